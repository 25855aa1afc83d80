import type { User } from '@/domain/user';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { RoleLink, TenantLink } from '../admin-links';
import { UserIdentities } from './user-identities';
import { secondFactorText } from './user-labels';

/** The facts of an account, and its roles one by one. */
export function UserOverview({ user }: { user: User }) {
  const t = useT();
  return (
    <>
      <Section>
        <Properties
          columns={2}
          items={[
            { label: t('Name'), value: user.name },
            { label: t('Email address'), value: user.email },
            {
              label: t('Last sign-in'),
              value: user.last_login_at ? <RelativeTime at={user.last_login_at} /> : t('Never'),
            },
            {
              label: t('Second factor'),
              value: user.second_factor_at
                ? t.rich('Set up {at}', { at: <RelativeTime at={user.second_factor_at} /> })
                : user.second_factor_required
                  ? t('Required at next sign-in')
                  : secondFactorText(t, user),
            },
            {
              label: t('Password'),
              value: user.has_password
                ? user.password_sign_in
                  ? t('Password sign-in on')
                  : t('Password sign-in off')
                : t('None: sign-in provider only'),
            },
            { label: t('Open sessions'), value: String(user.sessions_total) },
            { label: t('Created'), value: <RelativeTime at={user.created_at} /> },
            {
              label: t('History'),
              value: (
                <Link className="link" href={paths.audit({ actor_id: user.id })}>
                  {t('Actions of this user')}
                </Link>
              ),
            },
          ]}
        />
      </Section>
      <Section title={t('Roles')}>
        {user.assignments.length === 0 ? (
          <p className="text-muted">{t('Without a role, this user can sign in but sees nothing.')}</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {user.assignments.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <RoleLink id={one.role_id} title={one.role_title} />
                <span className="text-muted">
                  {one.tenant_id && one.tenant_name
                    ? t.rich(one.project_name === null ? 'in {tenant}' : 'in {project} of {tenant}', {
                        project: one.project_name,
                        tenant: <TenantLink id={one.tenant_id} name={one.tenant_name} />,
                      })
                    : t('for the whole installation')}
                </span>
                {one.source === 'oidc' && <Badge>{t('From group claim')}</Badge>}
                {one.source === 'ldap' && <Badge>{t('From directory group')}</Badge>}
                {one.expires_at && (
                  <Badge tone={one.expired ? 'off' : 'warn'}>
                    {one.expired
                      ? t('Expired {at}', { at: formatDateTime(one.expires_at) })
                      : t('Until {at}', { at: formatDateTime(one.expires_at) })}
                  </Badge>
                )}
              </li>
            ))}
          </ul>
        )}
      </Section>
      <UserIdentities user={user} />
    </>
  );
}

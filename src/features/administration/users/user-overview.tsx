import Link from 'next/link';
import type { User } from '@/domain/user';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { RoleLink, TenantLink } from '../admin-links';
import { UserIdentities } from './user-identities';

/** The facts of an account, and its roles one by one. */
export function UserOverview({ user }: { user: User }) {
  return (
    <>
      <Section>
        <Properties
          columns={2}
          items={[
            { label: 'Name', value: user.name },
            { label: 'Email address', value: user.email },
            {
              label: 'Last sign-in',
              value: user.last_login_at ? <RelativeTime at={user.last_login_at} /> : 'Never',
            },
            {
              label: 'Second factor',
              value: user.second_factor_at ? (
                <>
                  Set up <RelativeTime at={user.second_factor_at} />
                </>
              ) : user.second_factor_required ? (
                'Asked for at the next sign-in'
              ) : (
                'None'
              ),
            },
            {
              label: 'Password',
              value: user.has_password
                ? user.password_sign_in
                  ? 'Signs in'
                  : 'Does not sign in'
                : 'None: only the sign-in provider lets them in',
            },
            { label: 'Open sessions', value: String(user.sessions_total) },
            { label: 'Created', value: <RelativeTime at={user.created_at} /> },
            {
              label: 'History',
              value: (
                <Link className="link" href={paths.audit({ actor_id: user.id })}>
                  What this user did
                </Link>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Roles">
        {user.assignments.length === 0 ? (
          <p className="text-muted">Without a role this user can sign in and see nothing.</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {user.assignments.map((one) => (
              <li key={one.id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <RoleLink id={one.role_id} title={one.role_title} />
                <span className="text-muted">
                  {one.tenant_id && one.tenant_name ? (
                    <>
                      in <TenantLink id={one.tenant_id} name={one.tenant_name} />
                    </>
                  ) : (
                    'for the whole installation'
                  )}
                </span>
                {one.source === 'oidc' && <Badge>From a group</Badge>}
                {one.expires_at && (
                  <Badge tone={one.expired ? 'off' : 'warn'}>
                    {one.expired ? 'Expired ' : 'Until '}
                    {new Date(one.expires_at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
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

import type { CurrentUser } from '@/domain/auth';
import { PERMISSIONS } from '@/domain/permissions';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { EmptyState } from '@/ui/empty-state';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';

/** Who is signed in, with which roles, and what that permits. */
export function Profile({ user }: { user: CurrentUser }) {
  const t = useT();
  const placeName = ({ tenant_id, project_name }: CurrentUser['grants'][number]) => {
    if (tenant_id === null) return t('Everywhere');
    const tenant = user.tenants.find(({ id }) => id === tenant_id)?.name ?? tenant_id;
    return project_name === null ? tenant : t('{project} in {tenant}', { project: project_name, tenant });
  };
  const all = user.permissions.includes('*');
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <Section>
        <Properties
          items={[
            { label: t('Email address'), value: user.email },
            { label: t('Name'), value: user.name },
            {
              label: t('Tenants'),
              value: user.all_tenants ? t('All') : user.tenants.map((tenant) => tenant.name).join(', '),
            },
          ]}
        />
      </Section>
      <Section title={t('Roles')}>
        {user.grants.length === 0 ? (
          <EmptyState title={t('No role yet')}>
            {t('No permissions until you have a role. Ask an administrator for a role.')}
          </EmptyState>
        ) : (
          <Properties items={user.grants.map((grant) => ({ label: grant.title, value: placeName(grant) }))} />
        )}
      </Section>
      <Section title={t('Permissions')} description={all ? t('A super administrator has all permissions.') : undefined}>
        <ul className="flex flex-wrap gap-1.5">
          {(all ? PERMISSIONS : user.permissions).map((permission) => (
            <li key={permission}>
              <Badge>{permission}</Badge>
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}

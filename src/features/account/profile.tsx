import type { CurrentUser } from '@/domain/auth';
import { PERMISSIONS } from '@/domain/permissions';
import { Badge } from '@/ui/badge';
import { EmptyState } from '@/ui/empty-state';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';

/** Who is signed in, with which roles, and what that permits. */
export function Profile({ user }: { user: CurrentUser }) {
  const tenantName = (id: string | null) =>
    id === null ? 'Everywhere' : (user.tenants.find((tenant) => tenant.id === id)?.name ?? id);
  const all = user.permissions.includes('*');
  return (
    <div className="flex max-w-2xl flex-col gap-6">
      <Section>
        <Properties
          items={[
            { label: 'Email address', value: user.email },
            { label: 'Name', value: user.name },
            {
              label: 'Tenants',
              value: user.all_tenants ? 'All' : user.tenants.map((tenant) => tenant.name).join(', '),
            },
          ]}
        />
      </Section>
      <Section title="Roles">
        {user.grants.length === 0 ? (
          <EmptyState title="No role yet">Ask an administrator for a role; until then nothing is permitted.</EmptyState>
        ) : (
          <Properties
            items={user.grants.map((grant) => ({ label: grant.title, value: tenantName(grant.tenant_id) }))}
          />
        )}
      </Section>
      <Section title="Permissions" description={all ? 'A super administrator may do everything.' : undefined}>
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

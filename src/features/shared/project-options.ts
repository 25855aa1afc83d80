import { type Permission, projectsOf, type RoleGrant, reachOf, tenantsOf } from '@/domain/permissions';
import type { Translate } from '@/lib/i18n/translator';
import type { Option } from '@/ui/option';

/** In place of an id for what belongs to a whole tenant. */
export const WHOLE_TENANT = 'none';

type Grant = RoleGrant & { readonly project_name: string | null };

/** What of a tenant something may belong to: the whole tenant, or one of its projects. Empty when there is nothing to choose. */
export function projectOptions(
  t: Translate,
  grants: readonly Grant[],
  permission: Permission,
  tenantId: string | null,
  projects: readonly { id: string; name: string; tenant_id: string }[],
): Option[] {
  const reach = reachOf(grants, permission);
  const tenants = tenantsOf(reach);
  const whole = tenantId !== null && (tenants === 'all' || tenants.includes(tenantId));
  const single = new Map(grants.map(({ project_id, project_name }) => [project_id, project_name]));
  const options = whole
    ? [
        { value: WHOLE_TENANT, label: t('Whole tenant') },
        ...projects.filter((one) => one.tenant_id === tenantId).map(({ id, name }) => ({ value: id, label: name })),
      ]
    : projectsOf(reach)
        .filter((id) => tenantId === null || grants.some((one) => one.project_id === id && one.tenant_id === tenantId))
        .map((id) => ({ value: id, label: single.get(id) ?? id }))
        .sort((a, b) => a.label.localeCompare(b.label));
  return options.length > 1 ? options : [];
}

/** `project_id` as it is sent: left out when there was nothing to choose. */
export const toProjectId = (choice: string | null): { project_id?: string | null } =>
  choice === null ? {} : { project_id: choice === WHOLE_TENANT ? null : choice };

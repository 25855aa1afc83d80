import type { Assignment } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';

type Held = Pick<Assignment, 'role_title' | 'tenant_name' | 'project_name'>;

/** `Viewer`, `Viewer in Blue`, `Viewer in shop (Blue)`. */
export function roleInPlace(t: Translate, { role_title: role, tenant_name, project_name }: Held): string {
  if (!tenant_name) return role;
  return project_name
    ? t('{role} in {project} ({tenant})', { role, project: project_name, tenant: tenant_name })
    : t('{role} in {tenant}', { role, tenant: tenant_name });
}

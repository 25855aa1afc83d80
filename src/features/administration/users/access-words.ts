import type { UserAccess } from '@/domain/user';

type Reason = UserAccess['permissions'][number]['reasons'][number];

/** What one role has to do with a permission. */
export function reasonText({ role_title, tenant_name, effect }: Reason): string {
  const role = `${role_title}${tenant_name ? ` in ${tenant_name}` : ''}`;
  if (effect === 'gives') return `${role} gives it.`;
  if (effect === 'expired') return `${role} would give it, but has expired.`;
  return `${role} has it, but it counts only in a role for the whole installation.`;
}

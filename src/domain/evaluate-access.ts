import type { UserAccess } from './user';

type Row = UserAccess['permissions'][number];
type Reason = Row['reasons'][number];

/** Where something is to be done: a tenant, one project of it, or (both null) the whole installation. */
export type AccessPlace = { readonly tenant_id: string | null; readonly project_id: string | null };

/** What keeps a user from doing something. */
export type Lack =
  | 'deactivated'
  | 'second_factor'
  | 'no_role'
  | 'expired'
  | 'platform_only'
  | 'tenant_only'
  | 'elsewhere';

export type AccessAnswer =
  | { allowed: true; by: Reason[] }
  /** `near` are the roles that come closest: expired ones, or ones that count elsewhere. */
  | { allowed: false; lack: Lack; near: Reason[] };

/**
 * Whether a user may do something in a tenant, in one project of it, or (`tenant_id` null) in the whole installation,
 * and by which of their roles, or what is missing. The nearest reason is given: an expired role is reported as
 * expired, not as missing.
 */
export function evaluateAccess(
  { active, second_factor_missing }: Pick<UserAccess, 'active' | 'second_factor_missing'>,
  { reasons }: Pick<Row, 'reasons'>,
  { tenant_id, project_id }: AccessPlace,
): AccessAnswer {
  const reaches = (reason: Reason) =>
    reason.tenant_id === null ||
    (reason.tenant_id === tenant_id && (reason.project_id === null || reason.project_id === project_id));
  const by = reasons.filter((reason) => reason.effect === 'gives' && reaches(reason));
  if (!active) return { allowed: false, lack: 'deactivated', near: by };
  if (by.length > 0) {
    return second_factor_missing ? { allowed: false, lack: 'second_factor', near: by } : { allowed: true, by };
  }
  const expired = reasons.filter((reason) => reason.effect === 'expired' && reaches(reason));
  if (expired.length > 0) return { allowed: false, lack: 'expired', near: expired };
  const platformOnly = reasons.filter((reason) => reason.effect === 'platform_only');
  if (platformOnly.length > 0) return { allowed: false, lack: 'platform_only', near: platformOnly };
  const tenantOnly = reasons.filter((reason) => reason.effect === 'tenant_only' && reason.tenant_id === tenant_id);
  if (tenantOnly.length > 0) return { allowed: false, lack: 'tenant_only', near: tenantOnly };
  if (reasons.length > 0) return { allowed: false, lack: 'elsewhere', near: [...reasons] };
  return { allowed: false, lack: 'no_role', near: [] };
}

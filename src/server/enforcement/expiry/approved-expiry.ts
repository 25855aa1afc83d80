import type { Owned } from '@/domain/permissions';
import type { PolicySnapshot } from '@/domain/policies';
import { type ApprovedExpiry, type ExpiredPart, widensAccess } from '@/domain/policy/expiry';
import type { Executor } from '../../db/client';
import { findExpiryVersion, findStoringChange } from '../queries/expiries';

/** Approvers of a change whom the owner of a policy may know: those who approved for this owner. */
const approvesFor =
  ({ tenant_id }: Owned) =>
  ({ tenant_ids }: { tenant_ids: string[] | null }): boolean =>
    tenant_ids === null || (tenant_id !== null && tenant_ids.includes(tenant_id));

/** An expired part of a policy, with who set its expiry and who approved that. */
export async function describeApprovedExpiry(
  executor: Executor,
  policy: PolicySnapshot & Owned & { readonly id: string; readonly version: number },
  { rule, expires_at }: ExpiredPart,
): Promise<ApprovedExpiry> {
  const version = await findExpiryVersion(executor, policy.id, rule?.id ?? null, expires_at);
  const stored = version && (await findStoringChange(executor, policy.id, version));
  return {
    policy_id: policy.id,
    policy_name: policy.name,
    rule_id: rule?.id ?? null,
    rule_position: rule?.position ?? null,
    expires_at,
    widens_access: widensAccess(policy, { rule }),
    version: version?.version ?? policy.version,
    set_by: { id: version?.author_id ?? null, name: version?.author_name ?? 'an account that is gone' },
    set_at: version?.created_at ?? expires_at,
    change_id: stored?.change_id ?? null,
    approved_by: (stored?.approvals ?? []).filter(approvesFor(policy)).map(({ id, name, at }) => ({ id, name, at })),
  };
}

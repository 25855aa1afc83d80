import {
  type ApprovalRule,
  type ApprovalStatus,
  countApprovals,
  countRequired,
  NO_APPROVAL,
} from '@/domain/change/approval';
import type { Owned } from '@/domain/permissions';
import type { Executor } from '../../../db/client';
import type { ChangeReviewRow, ChangeRow } from '../../queries/changes';
import { readApprovalRules } from '../approval-rules';

export type OwnerApproval = ApprovalStatus & { readonly rule: ApprovalRule };

/** Whether an approval counts: it was not revoked, and is of what the change says and compiles to. */
export const isCounting = (
  review: ChangeReviewRow,
  { content_hash, compiled_hash }: Pick<ChangeRow, 'content_hash' | 'compiled_hash'>,
): boolean =>
  review.decision === 'approve' &&
  review.revoked === null &&
  review.content_hash === content_hash &&
  review.compiled_hash === compiled_hash;

/** What each owner of a change requires by the rules of now, and the approvals that it has. */
export async function readApprovalStatus(
  executor: Executor,
  row: ChangeRow,
  owners: readonly Owned[],
  reviews: readonly ChangeReviewRow[],
  isEnforcing: boolean,
): Promise<OwnerApproval[]> {
  const rules = await readApprovalRules(executor, new Set(owners.map(({ tenant_id }) => tenant_id)));
  const required = new Map([...rules].map(([tenant, rule]) => [tenant, countRequired(rule, isEnforcing)]));
  const approvals = reviews
    .filter((review) => isCounting(review, row))
    .map(({ actor_id, tenant_ids }) => ({ actor_id, tenants: tenant_ids ?? ('all' as const) }));
  return countApprovals(required, approvals, new Set(row.author_ids)).map((status) => ({
    ...status,
    rule: rules.get(status.tenant_id) ?? NO_APPROVAL,
  }));
}

import { z } from 'zod';
import { APPROVAL_SCOPES } from '../choices';

export const MAX_APPROVALS = 5;

export const ApprovalRule = z.object({
  /** How many people other than the authors have to approve. */
  required: z.int().min(0).max(MAX_APPROVALS),
  scope: z.enum(APPROVAL_SCOPES),
});
export type ApprovalRule = z.output<typeof ApprovalRule>;

export const NO_APPROVAL: ApprovalRule = { required: 0, scope: 'enforcing' };

/** The rule for a tenant's part of a change: the stricter of the installation's and the tenant's own. */
export function combineRules(installation: ApprovalRule, tenant: ApprovalRule | null): ApprovalRule {
  if (!tenant || tenant.required === 0) return installation;
  if (installation.required === 0) return tenant;
  return {
    required: Math.max(installation.required, tenant.required),
    scope: installation.scope === 'all' || tenant.scope === 'all' ? 'all' : 'enforcing',
  };
}

/** How many approvals a part of a change needs. @param isEnforcing whether it changes rules on a hypervisor */
export const countRequired = ({ required, scope }: ApprovalRule, isEnforcing: boolean): number =>
  scope === 'all' || isEnforcing ? required : 0;

/** One approval that counts: its approver, and for which tenants (null: the installation) the approver may approve. */
export type Approval = { readonly actor_id: string; readonly tenants: 'all' | readonly string[] };

/** What one owner of a change requires, and what it has. */
export type ApprovalStatus = {
  readonly tenant_id: string | null;
  readonly required: number;
  readonly approved: number;
};

/**
 * The approvals that each owner of a change has. An author never counts, and each approver counts once. What belongs to the
 * installation is approved only by those who may approve for all of it.
 */
export function countApprovals(
  required: ReadonlyMap<string | null, number>,
  approvals: readonly Approval[],
  authors: ReadonlySet<string>,
): ApprovalStatus[] {
  const valid = approvals.filter(({ actor_id }) => !authors.has(actor_id));
  return [...required].map(([tenant_id, count]) => {
    const approvers = valid.filter(
      ({ tenants }) => tenants === 'all' || (tenant_id !== null && tenants.includes(tenant_id)),
    );
    return { tenant_id, required: count, approved: new Set(approvers.map(({ actor_id }) => actor_id)).size };
  });
}

/** Whether every owner of a change has the approvals that it requires. */
export const isApproved = (statuses: readonly ApprovalStatus[]): boolean =>
  statuses.every(({ required, approved }) => approved >= required);

import type { z } from 'zod';
import { countRequired } from '@/domain/change/approval';
import type { ChangeItemInput } from '@/domain/change/items';
import { MAX_CHANGE_ITEMS } from '@/domain/choices';
import type { Owned } from '@/domain/permissions';
import type { PolicyCreate, PolicySnapshot } from '@/domain/policies';
import { compareSnapshots } from '@/domain/policy/snapshot';
import type { Executor } from '../../db/client';
import { AppError } from '../../lib/errors';
import { readApprovalRules } from './approval-rules';

/** An edit as POST /changes takes it. */
type GivenItem = z.input<typeof ChangeItemInput>;

export type Gated = {
  /** Whether it changes rules on a hypervisor, or what an enforced policy puts there. */
  readonly isEnforcing: boolean;
  /** What is asked for: verb and object, such as `Apply web-in`. */
  readonly title: string;
  /** The change that does the same after approval. */
  readonly items: readonly GivenItem[];
};

const MAX_TITLE = 120;
const APPROVAL_REQUIRED = 'approval_required';

/** The body of POST /changes. */
type ProposedChange = { readonly title: string; readonly items: readonly GivenItem[] };
const toChange = (title: string, items: readonly GivenItem[]): ProposedChange => ({
  title: title.slice(0, MAX_TITLE).trim(),
  items,
});

/**
 * Refuses what was requested directly where one of its owners requires approvals. Call it in the transaction of everything that
 * can lead to a write to a hypervisor. Deployments of a change do not come here: its approvals were counted when it was applied.
 * @throws AppError `conflict` with `reason` `approval_required` and in `change` the body of POST /changes
 */
export async function assertNoApprovalNeeded(
  executor: Executor,
  owners: readonly Pick<Owned, 'tenant_id'>[],
  { isEnforcing, title, items }: Gated,
): Promise<void> {
  const rules = await readApprovalRules(
    executor,
    owners.map(({ tenant_id }) => tenant_id),
  );
  const approvals_required = Math.max(0, ...[...rules.values()].map((rule) => countRequired(rule, isEnforcing)));
  if (approvals_required === 0) return;
  const needed = `${approvals_required} ${approvals_required === 1 ? 'approval' : 'approvals'}`;
  throw new AppError('conflict', `${title}: this requires ${needed} by other people. Submit it as a change.`, {
    extra: { reason: APPROVAL_REQUIRED, approvals_required, change: toChange(title, items) },
  });
}

/**
 * What was refused of a request for several objects, as one change that does the same after approval.
 * @returns null when nothing was refused because it needs approval
 */
export function combineRefused(title: string, errors: readonly AppError[]): ProposedChange | null {
  const items = errors.flatMap(({ extra }) =>
    extra?.reason === APPROVAL_REQUIRED ? (extra.change as ProposedChange).items : [],
  );
  return items.length === 0 ? null : toChange(title, items.slice(0, MAX_CHANGE_ITEMS));
}

/** The item that gives a policy this content. */
export const toPolicyInput = (
  { rules, ...content }: PolicySnapshot,
  reason = '',
): Omit<PolicyCreate, 'tenant_id' | 'project_id'> => ({
  ...content,
  rules: rules.map(({ id: _, position: __, ...rule }) => rule),
  reason,
});

/** Fields of a policy and of its rules that filter nothing, now or later. What expires may be removed without another approval. */
const UNFILTERING = ['name', 'description', 'tenant_visibility', 'owner', 'ticket'];

/** Whether two versions of a policy filter the same, whatever the inventory is. */
export function isSameFilter(before: PolicySnapshot, after: PolicySnapshot): boolean {
  const { fields, rules } = compareSnapshots(before, after);
  const isUnfiltering = (field: string) => UNFILTERING.includes(field);
  return (
    fields.every(({ field }) => isUnfiltering(field)) &&
    rules.every((rule) => rule.change === 'changed' && rule.fields.every(isUnfiltering))
  );
}

import { getTitleFor } from '@/domain/change/change';
import type { ChangeItem, KeptOfPolicy } from '@/domain/change/items';
import type { ManagedBy } from '@/domain/managed-source';
import { type Owned, toOwner } from '@/domain/permissions';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { type Actor, changeScope, type Origin } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { createSecurityGroupIn } from '../../groups/create-group';
import { deleteSecurityGroupIn, updateSecurityGroupIn } from '../../groups/groups';
import { changeMembersIn } from '../../groups/members';
import { changeManager, getManagedObject } from '../../managed/managed';
import { changePolicyIn } from '../../policies/change-policy';
import { createPolicyIn, deletePolicyIn } from '../../policies/policies';
import { createPolicyTestIn, deletePolicyTestIn, updatePolicyTestIn } from '../../policy-tests/policy-tests';
import { type ChangeRow, listChangeOwners, updateChangeIn } from '../../queries/changes';
import { lockManaged } from '../../queries/managed-objects';
import { lockPolicy, type PolicyRow } from '../../queries/policies';
import { findLastVersion } from '../../queries/policy-versions';
import { listConfirmations } from '../../queries/recertifications';
import { listAddedMembers } from '../../queries/security-group-members';
import { storeMove } from './move-workloads';
import { storeResidualRemoval } from './remove-residual';

export type Acting = { readonly actor: Actor; readonly origin: Origin | null };
type Kind = ChangeItem['kind'];
export type ItemOf<K extends Kind> = Extract<ChangeItem, { kind: K }>;

export const selectItems = <K extends Kind>(items: readonly ChangeItem[], kind: K): ItemOf<K>[] =>
  items.filter((item): item is ItemOf<K> => item.kind === kind);

/** What a policy that is deleted gets back when it returns. */
const readKept = async (tx: Tx, { id, created_at }: PolicyRow): Promise<KeptOfPolicy> => ({
  created_at,
  confirmations: await listConfirmations(tx, id),
});

/**
 * Stores the content of a change as versions of its policies, groups and tests. Policies come first: one may stop to name a group
 * by the name that it loses, or one that is deleted. Tests are evaluated by the next pass. What a rollback or revert needs besides the
 * items is noted in them.
 * @returns removals from workloads of another project, for `startDeployments` after the commit
 * @throws AppError `version_conflict`, `not_found`, and `conflict` for names that are taken
 */
export async function storeItems(tx: Tx, by: Acting, change: ChangeRow, index: InventoryIndex): Promise<string[]> {
  const within = { change_id: change.id, source: change.managed_by?.source, expires: change.expiry !== null };
  const [policies, groups] = [changeScope('policy:write', by), changeScope('group:write', by)];
  const removals: string[] = [];
  /** Items with what only applying them shows. */
  const noted = new Map<ChangeItem, ChangeItem>();
  const owners = await listChangeOwners(tx, change.id);
  const toReason = (owner: Owned) => `Change: ${getTitleFor(owner, change.title, owners)}`;
  // Their locks come before that of the audit trail.
  for (const item of selectItems(change.items, 'move')) removals.push(...(await storeMove(tx, by, item, within)));
  for (const item of selectItems(change.items, 'residual_removal')) {
    removals.push(...(await storeResidualRemoval(tx, by, item, within)));
  }
  for (const { policy_id: id, before, after, kept, ...item } of selectItems(change.items, 'policy')) {
    const reason = toReason(item);
    if (!before) {
      const version = (await findLastVersion(tx, id)) + 1;
      await createPolicyIn(tx, policies, { id, owner: toOwner(item), snapshot: after, reason, version, kept });
    } else {
      const guard = { version: before.version, reason, project_id: item.project_id };
      const done = await changePolicyIn(tx, policies, id, guard, 'policy.updated', () => after, index, within);
      removals.push(...done.removals);
    }
  }
  for (const item of selectItems(change.items, 'policy_delete')) {
    const { policy_id, base_version: version } = item;
    const row = await lockPolicy(tx, 'all', policy_id);
    if (row) noted.set(item, { ...item, kept: await readKept(tx, row) });
    await deletePolicyIn(tx, policies, policy_id, { version, reason: toReason(item) }, within);
  }
  for (const { group_id: id, before, after, add, ...item } of selectItems(change.items, 'group')) {
    if (!before) await createSecurityGroupIn(tx, groups, { id, ...toOwner(item), ...after }, add);
    else {
      const { project_id } = item;
      await updateSecurityGroupIn(tx, groups, id, { ...after, project_id, version: before.version }, within);
    }
  }
  for (const item of selectItems(change.items, 'group_members')) {
    const { added, removed } = await changeMembersIn(tx, groups, item.group_id, item, { rollout: within });
    noted.set(item, { ...item, added, removed });
  }
  for (const item of selectItems(change.items, 'group_delete')) {
    const { group_id } = item;
    // Their group is locked, as everything that a change edits.
    noted.set(item, { ...item, removed: await listAddedMembers(tx, group_id) });
    await deleteSecurityGroupIn(tx, groups, group_id, { rollout: within });
  }
  const tests = changeScope('policy_test:write', by);
  for (const { policy_test_id: id } of selectItems(change.items, 'policy_test_delete')) {
    await deletePolicyTestIn(tx, tests, id, { within });
  }
  for (const { policy_test_id: id, before, after, ...item } of selectItems(change.items, 'policy_test')) {
    if (!before) await createPolicyTestIn(tx, tests, null, { id, ...toOwner(item), ...after });
    else await updatePolicyTestIn(tx, tests, null, id, { ...after, version: before.version }, within);
  }
  if (change.managed_by) await storeManagers(tx, by, change.items, () => change.managed_by);
  if (noted.size > 0) {
    await updateChangeIn(tx, change.id, change.state, { items: change.items.map((item) => noted.get(item) ?? item) });
  }
  return removals;
}

/** Has the source of a change manage what its items edit, as far as it is still there. @param choose null: nothing manages it */
export async function storeManagers(
  tx: Tx,
  by: Acting,
  items: readonly ChangeItem[],
  choose: (item: ChangeItem) => ManagedBy | null,
): Promise<void> {
  const done = new Set<string>();
  for (const item of items) {
    const object = getManagedObject(item);
    if (!object || done.has(object.id)) continue;
    done.add(object.id);
    const row = await lockManaged(tx, object.kind, object.id);
    if (row) await changeManager(tx, by, object.kind, row, choose(item));
  }
}

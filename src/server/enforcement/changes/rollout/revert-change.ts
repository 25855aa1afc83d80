import { listObjectIds } from '@/domain/change/item-objects';
import type { ChangeItem } from '@/domain/change/items';
import type { StoredRollout } from '@/domain/change/rollout';
import { type Owned, toOwner } from '@/domain/permissions';
import { isSameSnapshot } from '@/domain/policy/snapshot';
import { toTestContent } from '@/domain/policy-tests/definition';
import { equalJson } from '../../../audit/canonical';
import type { Scope, Session } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { notFound } from '../../../lib/refusals';
import { claimItems } from '../../managed/managed';
import { readPolicySnapshot } from '../../policies/change-policy';
import { listChangeOwners, lockChange } from '../../queries/changes';
import { lockObjects } from '../../queries/managed-objects';
import { lockPolicy } from '../../queries/policies';
import { lockPolicyTest } from '../../queries/policy-tests';
import { listAddedMembers } from '../../queries/security-group-members';
import { listEligibleWorkloads, lockSecurityGroup } from '../../queries/security-groups';
import { assertMayWrite } from '../change-access';
import { insertDraft } from '../draft/create-change';
import { refuseStep } from '../transition';
import { revertMove } from './move-workloads';
import { readFormerContent } from './undo-items';

type TestEdit = Extract<ChangeItem, { kind: 'policy_test' | 'policy_test_delete' }>;
type Edit = Exclude<ChangeItem, TestEdit | { kind: 'move' | 'residual_removal' }>;
type Moved = Pick<Extract<ChangeItem, { kind: 'group' }>, 'project_id' | 'moved_from'>;

const NOTHING_LEFT = 'Nothing of the change is left to revert.';
const NOT_RESTORABLE = 'Removed residual rules cannot be restored: no policy requires them there any more.';

/** The move back of an object that the change moved to another project and that is still there. */
function revertProject(
  { moved_from, project_id }: Moved,
  present: Owned,
): Pick<Moved, 'project_id' | 'moved_from'> | null {
  const former = moved_from?.project_id;
  if (former === undefined || present.project_id !== project_id) return null;
  return { project_id: former, moved_from: { project_id } };
}

/** The edit that takes back one edit of a policy test, from what is stored now; null: there is nothing to take back. */
async function revertTest(tx: Tx, item: TestEdit): Promise<ChangeItem | null> {
  const { policy_test_id } = item;
  const row = await lockPolicyTest(tx, 'all', policy_test_id);
  const own = { policy_test_id, name: row?.name ?? item.name, ...toOwner(row ?? item) };
  const present = row && { ...toTestContent(row), version: row.version };
  if (!item.before) {
    return present && { kind: 'policy_test_delete', ...own, base_version: present.version, before: present };
  }
  const { version: _, ...after } = item.before;
  if (row && equalJson(toTestContent(row), after)) return null;
  return { kind: 'policy_test', ...own, base_version: present?.version ?? null, before: present, after };
}

/** The edit that takes one edit back, from what is stored now; null: there is nothing to take back. */
async function revertEdit(tx: Tx, item: Edit, rollout: StoredRollout | null): Promise<ChangeItem | null> {
  if (item.kind === 'policy' || item.kind === 'policy_delete') {
    const row = await lockPolicy(tx, 'all', item.policy_id);
    const present = row && { ...(await readPolicySnapshot(tx, row)), version: row.version };
    const own = { policy_id: item.policy_id, name: present?.name ?? item.name, ...toOwner(row ?? item) };
    if (!item.before) {
      return present && { kind: 'policy_delete', ...own, base_version: present.version, before: present };
    }
    const { version: _, ...content } = item.before;
    // A policy that was applied as it was stored gets what was live before.
    const live = rollout?.policies.find(({ policy_id }) => policy_id === item.policy_id);
    const isAsStored = item.kind === 'policy' && isSameSnapshot(item.before, item.after);
    const former = isAsStored ? await readFormerContent(tx, item.policy_id, item.before, live) : content;
    const back = row && item.kind === 'policy' ? revertProject(item, row) : null;
    if (present && !back && isSameSnapshot(present, former)) return null;
    const bases = { base_version: present?.version ?? null, before: present };
    const kept = !row && item.kept ? { kept: item.kept } : null;
    return { kind: 'policy', ...own, ...back, ...bases, ...kept, after: former, adopted_from: null };
  }
  const row = await lockSecurityGroup(tx, 'all', item.group_id);
  if (item.kind === 'group_delete') {
    if (row) return null;
    const { version: _, ...after } = item.before;
    const { group_id, name, removed = item.remove } = item;
    const known = await listEligibleWorkloads(tx, 'all', item, removed);
    const add = known.filter(({ eligible }) => eligible).map(({ id }) => id);
    return { kind: 'group', group_id, name, ...toOwner(item), base_version: null, before: null, after, add };
  }
  // A group that the change created stays: policies may name it by now, and by itself it filters nothing.
  if (!row) return null;
  const own = { group_id: row.id, name: row.name, ...toOwner(row), base_version: row.version };
  if (item.kind === 'group_members') {
    const { added = item.add, removed = item.remove } = item;
    const members = new Set(await listAddedMembers(tx, row.id, [...added, ...removed]));
    const add = removed.filter((id) => !members.has(id));
    const remove = added.filter((id) => members.has(id));
    return add.length + remove.length > 0 ? { kind: 'group_members', ...own, add, remove } : null;
  }
  if (!item.before) return null;
  const { version: _, ...former } = item.before;
  const { name, description, member_tags, member_tags_match } = row;
  const present = { name, description, member_tags, member_tags_match };
  const back = revertProject(item, row);
  if (!back && equalJson(present, former)) return null;
  return { kind: 'group', ...own, ...back, before: { ...present, version: row.version }, after: former, add: [] };
}

/**
 * Drafts the change that takes a confirmed change back, from what is stored now. It has its own review and impact.
 * @returns the id of the draft
 * @throws AppError `not_found`, `forbidden`, `conflict` when the change is not confirmed or nothing of it is left
 */
export async function revertChange(scope: Scope<'policy:write'>, session: Session, id: string): Promise<string> {
  return db.transaction(async (tx) => {
    const change = await lockChange(tx, scope.reach, id);
    if (!change) throw notFound('change');
    await assertMayWrite(tx, session, change);
    if (change.state !== 'confirmed') throw refuseStep(change, 'revert it');
    await lockObjects(tx, change.items.flatMap(listObjectIds));
    const items: ChangeItem[] = [];
    for (const item of change.items) {
      if (item.kind === 'residual_removal') continue;
      const reverted =
        item.kind === 'move'
          ? await revertMove(tx, item)
          : item.kind === 'policy_test' || item.kind === 'policy_test_delete'
            ? [await revertTest(tx, item)]
            : [await revertEdit(tx, item, change.rollout)];
      items.push(...reverted.filter((one) => one !== null));
    }
    if (items.length === 0) {
      const isRemoval = change.items.every(({ kind }) => kind === 'residual_removal');
      throw new AppError('conflict', isRemoval ? NOT_RESTORABLE : NOTHING_LEFT, {
        extra: { reason: 'nothing_to_revert' },
      });
    }
    await claimItems(tx, items, null);
    const { confirm_within_seconds, waves, on_failure, rollback_on_failed_check } = change;
    const draft = {
      ...{ confirm_within_seconds, waves, on_failure, rollback_on_failed_check },
      ...{
        title: `Revert: ${change.title}`.slice(0, 120),
        description: '',
        scheduled_at: null,
        within_maintenance: false,
        log_new_rules: null,
      },
      reverts: id,
    };
    return (await insertDraft(tx, scope, draft, items, await listChangeOwners(tx, id))).id;
  });
}

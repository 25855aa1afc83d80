import type { Page } from '@/domain/list';
import { type Owned, toOwner } from '@/domain/permissions';
import type {
  MembershipChange,
  MembershipResult,
  SecurityGroupMember,
  SecurityGroupMemberListInput,
} from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { assertNoRollout, type WithinChange } from '../changes/rollout/guard';
import { assertUnmanaged } from '../managed/managed';
import * as repository from '../queries/security-group-members';
import { deleteMembers, findMember, insertMembers } from '../queries/security-group-members';
import { listEligibleWorkloads, lockSecurityGroup, type SecurityGroupRow } from '../queries/security-groups';
import { assertGroupNeedsNoApproval, readSecurityGroup } from './groups';

/** One page of a group's members. @throws AppError `not_found` */
export async function listMembers(
  scope: Scope<'group:read'>,
  groupId: string,
  input: SecurityGroupMemberListInput,
): Promise<Page<SecurityGroupMember>> {
  await readSecurityGroup(scope, groupId);
  return repository.listMembers(scope.reach, groupId, input);
}

type Named = { id: string; name: string; external_id: string };
type Outcome = { added: string[]; removed: string[]; group: SecurityGroupRow };

/** Workloads that may become members. @throws AppError `malformed` for unknown ones, `refused` for those of other tenants and projects */
export async function findEligible(
  tx: Tx,
  scope: Scope<'group:write'>,
  group: Owned,
  ids: readonly string[],
  field: string,
): Promise<Named[]> {
  const found = await listEligibleWorkloads(tx, scope.reach, group, ids);
  const known = new Set(found.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new AppError('malformed', 'Workload not found.', {
      errors: unknown
        .slice(0, 20)
        .map((id) => ({ field, message: `Workload ${id} not found. It may have been deleted.` })),
    });
  }
  const strangers = found.filter((workload) => !workload.eligible);
  if (strangers.length > 0) {
    const what = group.project_id === null ? 'tenant' : 'project';
    throw new AppError('refused', `A group of a ${what} can only have members of that ${what}.`, {
      errors: strangers
        .slice(0, 20)
        .map(({ name }) => ({ field, message: `${name} belongs to another ${what} or to none.` })),
    });
  }
  return found;
}

/**
 * Adds and removes members inside the caller's transaction and records what changed.
 * @throws AppError `not_found`, `malformed`, `refused`, `conflict` while a change with the group is rolled out
 */
export async function changeMembersIn(
  tx: Tx,
  scope: Scope<'group:write'>,
  groupId: string,
  { add, remove }: MembershipChange,
  { field = 'add', rollout }: { field?: string; rollout?: WithinChange | undefined } = {},
): Promise<Outcome> {
  const group = await lockSecurityGroup(tx, scope.reach, groupId);
  if (!group) throw notFound('group');
  assertUnmanaged('security_group', group, rollout);
  await assertNoRollout(tx, [groupId], rollout);
  const workloads = await findEligible(tx, scope, group, add, field);
  const added = await insertMembers(tx, groupId, add);
  // Those that moved to another owner are no members, and what they are called now is not for this one.
  const gone = (await listEligibleWorkloads(tx, 'all', group, remove)).filter((workload) => workload.eligible);
  const removed = await deleteMembers(
    tx,
    groupId,
    gone.map(({ id }) => id),
  );
  if (added.length + removed.length === 0) return { added, removed, group };
  const selectMembers = (ids: readonly string[], list: readonly Named[]) =>
    list
      .filter(({ id }) => ids.includes(id))
      .map(({ id, name, external_id }) => ({ workload_id: id, name, external_id }));
  await publishEvent(tx, { type: 'security_group.changed', security_group_id: groupId, ...toOwner(group) });
  await recordAudit(tx, scope, {
    action: 'security_group.members_changed',
    object_kind: 'security_group',
    object_id: groupId,
    object_name: group.name,
    tenant_id: group.tenant_id,
    before: { project_id: group.project_id, removed: selectMembers(removed, gone) },
    after: { added: selectMembers(added, workloads) },
  });
  return { added, removed, group };
}

/** As `changeMembersIn`, for a request that is not part of a change. @throws AppError also `conflict` where approvals are required */
export async function changeMembersDirectly(
  tx: Tx,
  scope: Scope<'group:write'>,
  groupId: string,
  change: MembershipChange,
  field?: string,
): Promise<Outcome> {
  const outcome = await changeMembersIn(tx, scope, groupId, change, { field });
  const { added: add, removed: remove, group } = outcome;
  if (add.length + remove.length > 0) {
    await assertGroupNeedsNoApproval(tx, group, true, {
      title: `Change members of group ${group.name}`,
      items: [{ kind: 'group_members', group_id: groupId, base_version: group.version, add, remove }],
    });
  }
  return outcome;
}

/** Changes many memberships in one call; unchanged ones are only counted. */
export async function changeMembers(
  scope: Scope<'group:write'>,
  groupId: string,
  change: MembershipChange,
): Promise<MembershipResult> {
  const { added, removed } = await db.transaction((tx) => changeMembersDirectly(tx, scope, groupId, change));
  const asked = change.add.length + change.remove.length;
  return { added: added.length, removed: removed.length, unchanged: asked - added.length - removed.length };
}

/**
 * Adds one member manually. A member by tag may be added too: it then stays when it loses the tag.
 * @throws AppError `not_found`; `conflict` when it was added before; `malformed`, `refused` as for many
 */
export function addMember(
  scope: Scope<'group:write'>,
  groupId: string,
  workloadId: string,
): Promise<SecurityGroupMember> {
  return db.transaction(async (tx) => {
    const { added, group } = await changeMembersDirectly(
      tx,
      scope,
      groupId,
      { add: [workloadId], remove: [] },
      'workload_id',
    );
    const member = await findMember(tx, groupId, workloadId);
    if (!member) throw new Error('expected the stored member to exist');
    if (added.length === 0) {
      throw new AppError('conflict', `${member.workload_name} is already a member of ${group.name}.`, {
        errors: [{ field: 'workload_id', message: 'Choose another workload.' }],
      });
    }
    return member;
  });
}

/**
 * Removes one member that was added manually.
 * @throws AppError `not_found`; `refused` when it is a member by its tags
 */
export function removeMember(scope: Scope<'group:write'>, groupId: string, workloadId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const { removed, group } = await changeMembersDirectly(tx, scope, groupId, { add: [], remove: [workloadId] });
    if (removed.length > 0) return;
    const member = await findMember(tx, groupId, workloadId);
    if (!member) throw new AppError('not_found', 'The workload is not a member of this group.');
    throw new AppError(
      'refused',
      `${member.workload_name} is a member because of its tags (${group.member_tags.join(', ')}). Remove the tag from the workload, or change the tags of the group.`,
    );
  });
}

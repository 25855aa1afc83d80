import type { ChangeEdit, ChangeItem, GroupContent } from '@/domain/change/items';
import { isWithinReach, type Owned, toOwner } from '@/domain/permissions';
import type { SecurityGroup } from '@/domain/security-group';
import type { Scope } from '../../../auth/scope';
import { AppError } from '../../../lib/errors';
import { newId } from '../../../lib/ids';
import { assertVersion, refuseField } from '../../../lib/refusals';
import { changeOwner, chooseOwner } from '../../../tenancy/choose-owner';
import { assertFoundAfterMove, assertUnused } from '../../groups/groups';
import { findEligible } from '../../groups/members';
import { listAddedMembers } from '../../queries/security-group-members';
import { findSecurityGroup, listGroupUsers, securityGroupNameTaken } from '../../queries/security-groups';
import { authorizeGroups, type ItemContext, type NormalItem, objectNotFound } from './item-context';

type Given<K extends ChangeEdit['kind']> = Extract<ChangeEdit, { kind: K }>;
type GroupItem = Extract<ChangeItem, { kind: 'group' }>;

const toContent = ({ name, description, member_tags, member_tags_match }: GroupContent): GroupContent => ({
  name,
  description,
  member_tags,
  member_tags_match,
});

/** A group as it is stored. @throws AppError `not_found`, `version_conflict` with both versions */
async function readStored(
  { tx }: ItemContext,
  scope: Scope<'group:write'>,
  at: number,
  { group_id, base_version }: { group_id: string; base_version?: number | undefined },
): Promise<SecurityGroup> {
  const group = await findSecurityGroup(tx, scope.reach, group_id);
  // A group that only has members in a visible project belongs to others.
  if (!group || !isWithinReach(group, scope.reach)) throw objectNotFound('group', at);
  assertVersion('group', group.version, base_version, { group_id, current: toContent(group) });
  return group;
}

async function assertNameFree({ tx }: ItemContext, at: number, owner: Owned, name: string): Promise<void> {
  if (!(await securityGroupNameTaken(tx, owner, name))) return;
  throw new AppError('conflict', `A group named ${name} already exists.`, {
    errors: [{ field: `items.${at}.group.name`, message: 'Choose another name.' }],
  });
}

/** The edit of a group, or a new one with its first members. */
export async function normalizeGroup(
  context: ItemContext,
  at: number,
  { group_id, base_version, group: given }: Given<'group'>,
): Promise<NormalItem<'group'>> {
  const { tx } = context;
  const scope = authorizeGroups(context);
  const after = toContent(given);
  const former = context.former.find((item): item is GroupItem => item.kind === 'group' && item.group_id === group_id);
  if (group_id === undefined || former?.before === null) {
    const owner = await chooseOwner(tx, scope.reach, given);
    await assertNameFree(context, at, owner, after.name);
    await findEligible(tx, scope, owner, given.workload_ids, `items.${at}.group.workload_ids`);
    const created = { kind: 'group', group_id: former?.group_id ?? newId(), name: after.name, ...owner } as const;
    return {
      item: { ...created, base_version: null, before: null, after, add: given.workload_ids },
      owners: [owner],
    };
  }
  const group = await readStored(context, scope, at, { group_id, base_version });
  if (given.tenant_id !== undefined && given.tenant_id !== group.tenant_id) {
    throw refuseField(
      `items.${at}.group.tenant_id`,
      'A group cannot be given to another tenant. Leave this field out.',
    );
  }
  const { project_id } = given;
  const moves = project_id !== undefined && project_id !== group.project_id;
  const owner = moves ? await changeOwner(tx, scope.reach, group, project_id) : toOwner(group);
  if (moves) await assertFoundAfterMove(tx, group, scope.reach);
  if (given.workload_ids.length > 0) {
    throw refuseField(`items.${at}.group.workload_ids`, 'Change the members of a group with an edit group_members.');
  }
  if (moves || after.name !== group.name) await assertNameFree(context, at, owner, after.name);
  if (after.name !== group.name) {
    assertUnused(`The name ${group.name}`, await listGroupUsers(tx, group_id), [`sg:${group.name}`], scope.reach);
  }
  const before = { ...toContent(group), version: group.version };
  return {
    item: {
      ...{ kind: 'group', group_id, name: after.name, ...owner },
      ...(moves && { moved_from: { project_id: group.project_id } }),
      ...{ base_version: group.version, before, after, add: [] },
    },
    owners: [toOwner(group), owner],
  };
}

/** Members that are added or removed, as far as that changes anything. @throws AppError `refused` when it changes nothing */
export async function normalizeMembers(
  context: ItemContext,
  at: number,
  { group_id, base_version, add, remove }: Given<'group_members'>,
): Promise<NormalItem<'group_members'>> {
  const { tx } = context;
  const scope = authorizeGroups(context);
  const group = await readStored(context, scope, at, { group_id, base_version });
  if (add.some((id) => remove.includes(id))) {
    throw refuseField(`items.${at}.remove`, 'A workload cannot be both added and removed.');
  }
  const owner = toOwner(group);
  await findEligible(tx, scope, owner, add, `items.${at}.add`);
  const members = new Set(await listAddedMembers(tx, group_id, [...add, ...remove]));
  const changed = { add: add.filter((id) => !members.has(id)), remove: remove.filter((id) => members.has(id)) };
  if (changed.add.length + changed.remove.length === 0) {
    throw refuseField(`items.${at}.add`, `This does not change who was added to the group ${group.name}.`);
  }
  return {
    item: { kind: 'group_members', group_id, name: group.name, ...owner, base_version: group.version, ...changed },
    owners: [owner],
  };
}

/** The deletion of a group. Whether policies still name it is decided when it is stored, after the edits of policies. */
export async function normalizeGroupDeletion(
  context: ItemContext,
  at: number,
  given: Given<'group_delete'>,
): Promise<NormalItem<'group_delete'>> {
  const scope = authorizeGroups(context);
  const group = await readStored(context, scope, at, given);
  const { id: group_id, name, version } = group;
  const before = { ...toContent(group), version };
  const remove = await listAddedMembers(context.tx, group_id);
  return {
    item: { kind: 'group_delete', group_id, name, ...toOwner(group), base_version: version, before, remove },
    owners: [toOwner(group)],
  };
}

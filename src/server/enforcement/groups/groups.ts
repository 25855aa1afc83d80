import { isWithinReach, type Reach, toOwner } from '@/domain/permissions';
import type { SecurityGroup, SecurityGroupUpdate, SecurityGroupUsage } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import { assertVersion, changedFields, nameTaken, notFound } from '../../lib/refusals';
import { changeOwner } from '../../tenancy/choose-owner';
import { assertNoApprovalNeeded, type Gated } from '../changes/gate';
import { assertNoRollout, type WithinChange } from '../changes/rollout/guard';
import { assertUnmanaged } from '../managed/managed';
import { isDeployed } from '../policies/policy-inputs';
import {
  deleteSecurityGroup as deleteRow,
  findSecurityGroup,
  type GroupUser,
  listGroupUsers,
  lockSecurityGroup,
  type SecurityGroupRow,
  securityGroupNameTaken,
  updateSecurityGroup as updateRow,
} from '../queries/security-groups';

/** @throws AppError `not_found` */
export async function readSecurityGroup(scope: Scope<'group:read'>, id: string): Promise<SecurityGroup> {
  const group = await findSecurityGroup(db, scope.reach, id);
  if (!group) throw notFound('group');
  return group;
}

/** What the audit trail keeps of a group. */
export function auditedGroup(
  group: Pick<SecurityGroupRow, 'project_id' | 'name' | 'description' | 'member_tags' | 'member_tags_match'>,
): Record<string, unknown> {
  const { project_id, name, description, member_tags, member_tags_match } = group;
  return { project_id, name, description, member_tags, member_tags_match };
}

type Content = Pick<SecurityGroupRow, 'name' | 'description' | 'member_tags' | 'member_tags_match'>;

/** The input that gives a group this content. */
export const toGroupInput = ({ name, description, member_tags, member_tags_match }: Content): Content => ({
  name,
  description,
  member_tags,
  member_tags_match,
});

/**
 * Refuses a change to a group, once it is stored, where approvals are required: the next apply of a policy that names the group
 * writes what its members are then.
 * @param filters whether the change can change what the group resolves to
 * @throws AppError `conflict` with the change to submit
 */
export async function assertGroupNeedsNoApproval(
  tx: Tx,
  { id, tenant_id }: Pick<SecurityGroupRow, 'id' | 'tenant_id'>,
  filters: boolean,
  gated: Omit<Gated, 'isEnforcing'>,
): Promise<void> {
  const isEnforcing = filters && (await listGroupUsers(tx, id)).some(isDeployed);
  await assertNoApprovalNeeded(tx, [{ tenant_id }], { ...gated, isEnforcing });
}

/** What of a group's uses those with this reach may learn; `endpoints` are the texts that name the group. */
export function toGroupUsage(
  users: readonly GroupUser[],
  endpoints: readonly string[],
  reach: Reach,
): SecurityGroupUsage {
  const visible = users.filter((policy) => isWithinReach(policy, reach));
  const named = (side: 'source' | 'target', list: readonly string[]) =>
    list.filter((endpoint) => endpoints.includes(endpoint)).map((endpoint) => ({ side, endpoint }));
  return {
    policies: visible.map(({ policy_id, name, enabled, definition }) => ({
      policy_id,
      name,
      enabled,
      enforcement_mode: definition.enforcement_mode,
      references: [...named('source', definition.sources), ...named('target', definition.targets)],
    })),
    hidden: users.length - visible.length,
  };
}

/**
 * The policies that name a group.
 * @throws AppError `not_found`
 */
export async function readGroupUsage(scope: Scope<'group:read'>, id: string): Promise<SecurityGroupUsage> {
  const group = await findSecurityGroup(db, scope.reach, id);
  // Of a group that only touches a project, its uses elsewhere are none of the project's business.
  if (!group || !isWithinReach(group, scope.reach)) throw notFound('group');
  return toGroupUsage(await listGroupUsers(db, id), [`sg:${group.id}`, `sg:${group.name}`], scope.reach);
}

/**
 * Policies that reference deleted objects resolve to less than before, so applying them would remove rules.
 * Referenced objects therefore cannot be deleted.
 * @throws AppError `conflict` naming the policies when there are any
 */
export function assertUnused(
  what: string,
  users: readonly GroupUser[],
  endpoints: readonly string[],
  reach: Reach,
): void {
  const naming = users.filter(({ definition }) =>
    [...definition.sources, ...definition.targets].some((endpoint) => endpoints.includes(endpoint)),
  );
  if (naming.length === 0) return;
  const used_by = toGroupUsage(naming, endpoints, reach);
  const names = used_by.policies.slice(0, 5).map(({ name }) => name);
  const others = naming.length - names.length;
  const list = [...names, ...(others > 0 ? [`${others} ${names.length > 0 ? 'more' : 'not visible to you'}`] : [])];
  throw new AppError('conflict', `${what} is used by policies: ${list.join(', ')}. Change these policies first.`, {
    extra: { used_by },
  });
}

/**
 * Policies of the former owner would not find a group any more that moves to another project; those of the installation do, by its id.
 * @throws AppError `conflict` naming the policies when there are any
 */
export async function assertFoundAfterMove(
  tx: Tx,
  { id, name }: Pick<SecurityGroupRow, 'id' | 'name'>,
  reach: Reach,
): Promise<void> {
  const lost = (await listGroupUsers(tx, id)).filter((policy) => policy.tenant_id !== null);
  assertUnused(`The group ${name}`, lost, [`sg:${id}`, `sg:${name}`], reach);
}

/**
 * Changes a group; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`; `version_conflict`; `conflict` when the name is taken, or when policies name the group by
 * the name that it shall lose, or would not find it in its new project; what `changeOwner` throws
 */
export const updateSecurityGroup = (
  scope: Scope<'group:write'>,
  id: string,
  update: SecurityGroupUpdate,
): Promise<SecurityGroup> => db.transaction((tx) => updateSecurityGroupIn(tx, scope, id, update));

/** As `updateSecurityGroup`, inside the caller's transaction. @param rollout the change whose content it stores */
export async function updateSecurityGroupIn(
  tx: Tx,
  scope: Scope<'group:write'>,
  id: string,
  { version, project_id, ...input }: SecurityGroupUpdate,
  rollout?: WithinChange,
): Promise<SecurityGroup> {
  const row = await lockSecurityGroup(tx, scope.reach, id);
  if (!row) throw notFound('group');
  assertVersion('group', row.version, version, { current: auditedGroup(row) });
  const changes = changedFields<SecurityGroupRow, Partial<SecurityGroupRow>>(row, input);
  const moves = project_id !== undefined && project_id !== row.project_id;
  const owner = moves ? await changeOwner(tx, scope.reach, row, project_id) : toOwner(row);
  if (moves) {
    changes.project_id = owner.project_id;
    await assertFoundAfterMove(tx, row, scope.reach);
  }
  const changed = Object.keys(changes).length > 0;
  if (changed) {
    assertUnmanaged('security_group', row, rollout);
    await assertNoRollout(tx, [id], rollout);
    const name = changes.name ?? row.name;
    if ((moves || name !== row.name) && (await securityGroupNameTaken(tx, owner, name))) throw nameTaken('group', name);
    if (changes.name !== undefined) {
      assertUnused(`The name ${row.name}`, await listGroupUsers(tx, id), [`sg:${row.name}`], scope.reach);
    }
    await updateRow(tx, id, { ...changes, version: row.version + 1 });
    if (!rollout) {
      const group = { ...toGroupInput({ ...row, ...changes }), ...(moves && { project_id }) };
      await assertGroupNeedsNoApproval(tx, row, Object.keys(changes).join() !== 'description', {
        title: `Edit group ${row.name}`,
        items: [{ kind: 'group', group_id: id, base_version: row.version, group }],
      });
    }
    await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...toOwner(row) });
    if (moves) await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...owner });
  }
  const group = await findSecurityGroup(tx, 'all', id);
  if (!group) throw new Error('expected the locked group to exist');
  if (changed) {
    await recordAudit(tx, scope, {
      action: 'security_group.updated',
      object_kind: 'security_group',
      object_id: id,
      object_name: group.name,
      tenant_id: row.tenant_id,
      before: auditedGroup(row),
      after: auditedGroup({ ...row, ...changes }),
    });
  }
  return group;
}

/**
 * Deletes a group that no policy names.
 * @throws AppError `not_found`; `conflict` naming the policies
 */
export const deleteSecurityGroup = (scope: Scope<'group:write'>, id: string, version?: number): Promise<void> =>
  db.transaction((tx) => deleteSecurityGroupIn(tx, scope, id, { version }));

/** As `deleteSecurityGroup`, inside the caller's transaction. @param rollout the change that takes back what it created */
export async function deleteSecurityGroupIn(
  tx: Tx,
  scope: Scope<'group:write'>,
  id: string,
  { version, rollout }: { version?: number | undefined; rollout?: WithinChange },
): Promise<void> {
  const row = await lockSecurityGroup(tx, scope.reach, id);
  const group = row && (await findSecurityGroup(tx, 'all', id));
  if (!row || !group) throw notFound('group');
  assertVersion('group', row.version, version);
  assertUnmanaged('security_group', row, rollout);
  await assertNoRollout(tx, [id], rollout);
  const endpoints = [`sg:${row.id}`, `sg:${row.name}`];
  assertUnused(`The group ${row.name}`, await listGroupUsers(tx, id), endpoints, scope.reach);
  await deleteRow(tx, id);
  await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...toOwner(row) });
  await recordAudit(tx, scope, {
    action: 'security_group.deleted',
    object_kind: 'security_group',
    object_id: id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    before: { ...auditedGroup(row), members_total: group.members_total },
  });
}

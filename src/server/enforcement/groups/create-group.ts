import type { GroupContent } from '@/domain/change/items';
import { type Owned, toOwner } from '@/domain/permissions';
import type { SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { newId } from '../../lib/ids';
import { nameTaken } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import { findSecurityGroup, insertSecurityGroup, securityGroupNameTaken } from '../queries/security-groups';
import { assertGroupNeedsNoApproval, auditedGroup, toGroupInput } from './groups';
import { changeMembersIn } from './members';

type NewGroup = GroupContent & Owned & { readonly id: string };

/**
 * Adds a group with its first members inside the caller's transaction.
 * @throws AppError `conflict` when the owner has one of this name; what `changeMembersIn` throws about members
 */
export async function createSecurityGroupIn(
  tx: Tx,
  scope: Scope<'group:write'>,
  row: NewGroup,
  workload_ids: readonly string[],
): Promise<void> {
  const owner = toOwner(row);
  if (await securityGroupNameTaken(tx, owner, row.name)) throw nameTaken('group', row.name);
  await insertSecurityGroup(tx, row);
  await publishEvent(tx, { type: 'security_group.changed', security_group_id: row.id, ...owner });
  await recordAudit(tx, scope, {
    action: 'security_group.created',
    object_kind: 'security_group',
    object_id: row.id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    after: auditedGroup(row),
  });
  if (workload_ids.length > 0) {
    await changeMembersIn(tx, scope, row.id, { add: [...workload_ids], remove: [] }, { field: 'workload_ids' });
  }
}

/**
 * Adds a group with its first members.
 * @throws AppError as `createSecurityGroupIn`, `malformed` without a tenant or project of the caller's
 */
export function createSecurityGroup(
  scope: Scope<'group:write'>,
  { workload_ids, ...input }: SecurityGroupInput,
): Promise<SecurityGroup> {
  return db.transaction(async (tx) => {
    const owner = await chooseOwner(tx, scope.reach, input);
    const row = { ...input, ...owner, id: newId() };
    await createSecurityGroupIn(tx, scope, row, workload_ids);
    await assertGroupNeedsNoApproval(tx, row, true, {
      title: `Create group ${row.name}`,
      items: [{ kind: 'group', group: { ...toGroupInput(row), ...owner, workload_ids } }],
    });
    const group = await findSecurityGroup(tx, 'all', row.id);
    if (!group) throw new Error('expected the stored group to exist');
    return group;
  });
}

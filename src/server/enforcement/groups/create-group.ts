import type { SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { newId } from '../../lib/ids';
import { nameTaken } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import { findSecurityGroup, insertSecurityGroup, securityGroupNameTaken } from '../queries/security-groups';
import { assertGroupNeedsNoApproval, auditedGroup, toGroupInput } from './groups';
import { changeMembersIn } from './members';

/**
 * Adds a group with its first members.
 * @throws AppError `conflict` when the owner has one of this name, `malformed` without a tenant or project of the caller's; what
 * `changeMembersIn` throws about members
 */
export function createSecurityGroup(
  scope: Scope<'group:write'>,
  { workload_ids, ...input }: SecurityGroupInput,
): Promise<SecurityGroup> {
  return db.transaction(async (tx) => {
    const owner = await chooseOwner(tx, scope.reach, input);
    const { tenant_id } = owner;
    if (await securityGroupNameTaken(tx, owner, input.name)) throw nameTaken('group', input.name);
    const row = { ...input, ...owner, id: newId() };
    await insertSecurityGroup(tx, row);
    await publishEvent(tx, { type: 'security_group.changed', security_group_id: row.id, ...owner });
    await recordAudit(tx, scope, {
      action: 'security_group.created',
      object_kind: 'security_group',
      object_id: row.id,
      object_name: row.name,
      tenant_id,
      after: auditedGroup(row),
    });
    if (workload_ids.length > 0) {
      await changeMembersIn(tx, scope, row.id, { add: workload_ids, remove: [] }, 'workload_ids');
    }
    await assertGroupNeedsNoApproval(tx, row, true, {
      title: `Create group ${row.name}`,
      items: [{ kind: 'group', group: { ...toGroupInput(row), ...owner, workload_ids } }],
    });
    const group = await findSecurityGroup(tx, 'all', row.id);
    if (!group) throw new Error('expected the stored group to exist');
    return group;
  });
}

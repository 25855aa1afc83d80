import { ownedPart } from '@/domain/permissions';
import type { SecurityGroup, SecurityGroupUpdate } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { assertVersion, changedFields, nameTaken, notFound } from '../../lib/refusals';
import { changeOwner } from '../../tenancy/choose-owner';
import {
  findSecurityGroup,
  listGroupUsers,
  lockSecurityGroup,
  type SecurityGroupRow,
  securityGroupNameTaken,
  updateSecurityGroup as updateRow,
} from '../queries/security-groups';
import { auditedGroup } from './audited-group';
import { refuseWhileUsed } from './refuse-while-used';

/**
 * Changes a group; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`; `version_conflict`; `conflict` when the name is taken, or when policies name the group by
 * the name that it shall lose, or would not find it in its new project; what `changeOwner` throws
 */
export function updateSecurityGroup(
  scope: Scope<'group:write'>,
  id: string,
  { version, project_id, ...input }: SecurityGroupUpdate,
): Promise<SecurityGroup> {
  return db.transaction(async (tx) => {
    const row = await lockSecurityGroup(tx, scope.reach, id);
    if (!row) throw notFound('security group');
    assertVersion('group', row.version, version, { current: auditedGroup(row) });
    const changes = changedFields<SecurityGroupRow, Partial<SecurityGroupRow>>(row, input);
    const moves = project_id !== undefined && project_id !== row.project_id;
    const owner = moves ? await changeOwner(tx, scope.reach, row, project_id) : ownedPart(row);
    if (moves) {
      changes.project_id = owner.project_id;
      // Policies of the former owner would not find it any more; those of the installation do, by its id.
      const users = await listGroupUsers(tx, id);
      const lost = users.filter((policy) => policy.tenant_id !== null);
      refuseWhileUsed(`The group ${row.name}`, lost, [`sg:${row.id}`, `sg:${row.name}`], scope.reach);
      if (row.project_id === null) refuseWhileUsed(`The name ${row.name}`, users, [`sg:${row.name}`], scope.reach);
    }
    const changed = Object.keys(changes).length > 0;
    if (changed) {
      const name = changes.name ?? row.name;
      if ((moves || name !== row.name) && (await securityGroupNameTaken(tx, owner, name)))
        throw nameTaken('security group', name);
      if (changes.name !== undefined) {
        refuseWhileUsed(`The name ${row.name}`, await listGroupUsers(tx, id), [`sg:${row.name}`], scope.reach);
      }
      await updateRow(tx, id, { ...changes, version: row.version + 1 });
      await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...ownedPart(row) });
      if (moves) await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...owner });
    }
    const group = await findSecurityGroup(tx, 'all', id);
    if (!group) throw new Error('the group that is locked is not there');
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
  });
}

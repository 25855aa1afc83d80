import { ownedPart } from '@/domain/permissions';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { notFound } from '../../lib/refusals';
import {
  deleteSecurityGroup as deleteRow,
  findSecurityGroup,
  listGroupUsers,
  lockSecurityGroup,
} from '../queries/security-groups';
import { auditedGroup } from './audited-group';
import { refuseWhileUsed } from './refuse-while-used';

/**
 * Deletes a group that no policy names.
 * @throws AppError `not_found`; `conflict` naming the policies
 */
export function deleteSecurityGroup(scope: Scope<'group:write'>, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockSecurityGroup(tx, scope.reach, id);
    const group = row && (await findSecurityGroup(tx, 'all', id));
    if (!row || !group) throw notFound('security group');
    const endpoints = [`sg:${row.id}`, `sg:${row.name}`];
    refuseWhileUsed(`The group ${row.name}`, await listGroupUsers(tx, id), endpoints, scope.reach);
    await deleteRow(tx, id);
    await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, ...ownedPart(row) });
    await recordAudit(tx, scope, {
      action: 'security_group.deleted',
      object_kind: 'security_group',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: { ...auditedGroup(row), members_total: group.members_total },
    });
  });
}

import type { SecurityGroup, SecurityGroupInput } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { newId } from '../../lib/ids';
import { nameTaken } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import { findSecurityGroup, insertSecurityGroup, securityGroupNameTaken } from '../queries/security-groups';
import { auditedGroup } from './audited-group';

/**
 * Adds a group.
 * @throws AppError `conflict` when the owner has one of this name, `malformed` without a tenant or project of the caller's
 */
export function createSecurityGroup(scope: Scope<'group:write'>, input: SecurityGroupInput): Promise<SecurityGroup> {
  return db.transaction(async (tx) => {
    const owner = await chooseOwner(tx, scope.reach, input);
    const { tenant_id } = owner;
    if (await securityGroupNameTaken(tx, owner, input.name)) throw nameTaken('security group', input.name);
    const row = { ...input, ...owner, id: newId() };
    await insertSecurityGroup(tx, row);
    await publishEvent(tx, { type: 'security_group.changed', security_group_id: row.id, ...owner });
    const group = await findSecurityGroup(tx, 'all', row.id);
    if (!group) throw new Error('the group that was just stored is not there');
    await recordAudit(tx, scope, {
      action: 'security_group.created',
      object_kind: 'security_group',
      object_id: row.id,
      object_name: row.name,
      tenant_id,
      after: auditedGroup(row),
    });
    return group;
  });
}

import type { SecurityGroup, SecurityGroupUpdate } from '@/domain/security-group';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { AppError } from '../../lib/errors';
import {
  findSecurityGroup,
  listGroupUsers,
  lockSecurityGroup,
  type SecurityGroupRow,
  securityGroupNameTaken,
  updateSecurityGroup as updateRow,
} from '../../repositories/security-groups';
import { auditedGroup } from './audited-group';
import { groupNameTaken } from './group-name-taken';
import { noSuchGroup } from './no-such-group';
import { refuseWhileUsed } from './refuse-while-used';

/**
 * Changes a group; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`; `version_conflict`; `conflict` when the name is taken, or when policies name the group by
 * the name that it shall lose
 */
export function updateSecurityGroup(
  scope: Scope<'group:write'>,
  id: string,
  { version, ...input }: SecurityGroupUpdate,
): Promise<SecurityGroup> {
  return db.transaction(async (tx) => {
    const row = await lockSecurityGroup(tx, scope.tenants, id);
    if (!row) throw noSuchGroup();
    if (version !== undefined && version !== row.version) {
      throw new AppError(
        'version_conflict',
        'Somebody else changed the group meanwhile. Look at it again, then save.',
        {
          extra: { version: row.version, given_version: version, current: auditedGroup(row) },
        },
      );
    }
    const changes: Partial<SecurityGroupRow> = Object.fromEntries(
      Object.entries(input).filter(
        ([name, value]) =>
          value !== undefined && JSON.stringify(value) !== JSON.stringify(row[name as keyof SecurityGroupRow]),
      ),
    );
    const changed = Object.keys(changes).length > 0;
    if (changed) {
      if (changes.name !== undefined) {
        if (await securityGroupNameTaken(tx, row.tenant_id, changes.name)) throw groupNameTaken(changes.name);
        refuseWhileUsed(`The name ${row.name}`, await listGroupUsers(tx, id), [`sg:${row.name}`], scope.tenants);
      }
      await updateRow(tx, id, { ...changes, version: row.version + 1 });
      await publishEvent(tx, { type: 'security_group.changed', security_group_id: id, tenant_id: row.tenant_id });
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

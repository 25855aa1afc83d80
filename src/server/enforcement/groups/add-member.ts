import type { SecurityGroupMember } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findMember } from '../queries/security-group-members';
import { changeMembersIn } from './change-members';

/**
 * Adds one member by hand. A member by tag may be added too: it then stays when it loses the tag.
 * @throws AppError `not_found`; `conflict` when it was added before; `malformed`, `refused` as for many
 */
export function addMember(
  scope: Scope<'group:write'>,
  groupId: string,
  workloadId: string,
): Promise<SecurityGroupMember> {
  return db.transaction(async (tx) => {
    const { added, group } = await changeMembersIn(
      tx,
      scope,
      groupId,
      { add: [workloadId], remove: [] },
      'workload_id',
    );
    const member = await findMember(tx, groupId, workloadId);
    if (!member) throw new Error('the member that was just stored is not there');
    if (added.length === 0) {
      throw new AppError('conflict', `${member.workload_name} is a member of ${group.name} already.`, {
        errors: [{ field: 'workload_id', message: 'Choose another workload.' }],
      });
    }
    return member;
  });
}

import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { findMember } from '../queries/security-group-members';
import { changeMembersIn } from './change-members';

/**
 * Removes one member that was added by hand.
 * @throws AppError `not_found`; `refused` when it is a member by its tags
 */
export function removeMember(scope: Scope<'group:write'>, groupId: string, workloadId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const { removed, group } = await changeMembersIn(tx, scope, groupId, { add: [], remove: [workloadId] });
    if (removed.length > 0) return;
    const member = await findMember(tx, groupId, workloadId);
    if (!member) throw new AppError('not_found', 'The workload is not a member of this group.');
    throw new AppError(
      'refused',
      `${member.workload_name} is a member because of its tags (${group.member_tags.join(', ')}). Take the tag from it, or change the tags of the group.`,
    );
  });
}

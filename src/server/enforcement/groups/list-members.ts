import type { Page } from '@/domain/list';
import type { SecurityGroupMember, SecurityGroupMemberListInput } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import * as repository from '../queries/security-group-members';
import { readSecurityGroup } from './read-security-group';

/** One page of a group's members. @throws AppError `not_found` */
export async function listMembers(
  scope: Scope<'group:read'>,
  groupId: string,
  input: SecurityGroupMemberListInput,
): Promise<Page<SecurityGroupMember>> {
  await readSecurityGroup(scope, groupId);
  return repository.listMembers(scope.reach, groupId, input);
}

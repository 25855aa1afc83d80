import type { Page } from '@/domain/list';
import type { SecurityGroup, SecurityGroupListInput } from '@/domain/security-group';
import type { Scope } from '../../auth/scope';
import * as repository from '../queries/security-groups';

/** One page of the groups within reach. */
export function listSecurityGroups(
  scope: Scope<'group:read'>,
  input: SecurityGroupListInput,
): Promise<Page<SecurityGroup>> {
  return repository.listSecurityGroups(scope.reach, input);
}

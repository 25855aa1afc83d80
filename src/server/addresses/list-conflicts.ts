import type { ConflictListInput, IpamConflict } from '@/domain/ipam/conflict';
import type { Page } from '@/domain/list';
import type { Scope } from '../auth/scope';
import * as repository from './queries/ipam-conflicts';

/** One page of the conflicts in which a workload within reach is a party. */
export function listConflicts(scope: Scope<'ipam:read'>, input: ConflictListInput): Promise<Page<IpamConflict>> {
  return repository.listConflicts(scope.reach, input);
}

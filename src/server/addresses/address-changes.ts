import type { AddressUpdate } from '@/domain/ipam/ip-address';
import type { Executor } from '../db/client';
import { AppError } from '../lib/errors';
import { changedFields } from '../lib/refusals';
import { checkAssignee } from './check-assignee';
import type { AddressRow } from './queries/ipam-writes';

type Changes = Partial<Pick<AddressRow, 'state' | 'workload_id' | 'interface_id' | 'mac' | 'hostname' | 'description'>>;
/** What the discovery finds out by itself; once a person sets it, it is theirs. */
const FOUND = ['state', 'workload_id', 'interface_id', 'mac'] as const;

/**
 * The columns that an update changes. An address whose state, workload or card is set by a person is a manual one from then
 * on: the discovery does not take it back.
 * @throws AppError `refused` while a conflict about it is open, or for a wrong assignment
 */
export async function addressChanges(
  executor: Executor,
  row: AddressRow,
  { version: _, ...given }: AddressUpdate,
): Promise<Changes & { source?: 'manual' }> {
  const input: Changes = { ...given };
  if (input.hostname === '') input.hostname = null;
  const moved = input.workload_id !== undefined && input.workload_id !== row.workload_id;
  // Another workload has other cards; what is left out does not stay from the old one.
  if (moved) {
    input.interface_id ??= null;
    if (given.mac === undefined) input.mac = null;
  }
  if (input.workload_id !== undefined || input.interface_id !== undefined) {
    Object.assign(
      input,
      await checkAssignee(
        executor,
        { id: row.network_id, cluster_id: row.cluster_id },
        {
          workload_id: input.workload_id === undefined ? row.workload_id : input.workload_id,
          interface_id: input.interface_id === undefined ? row.interface_id : input.interface_id,
          mac: input.mac === undefined ? row.mac : input.mac,
        },
      ),
    );
  }
  const changes = changedFields<Changes, Changes>(row, input);
  const decided = FOUND.some((field) => field in changes);
  if (decided && row.state === 'conflict') {
    throw new AppError('refused', `A conflict about ${row.address} is open. Resolve it first.`);
  }
  // A stale address that gets a holder again is in use.
  if (changes.workload_id && row.state === 'stale' && changes.state === undefined) changes.state = 'active';
  return decided && row.source !== 'manual' ? { ...changes, source: 'manual' } : changes;
}

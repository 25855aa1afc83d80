import type { AddressUpdate } from '@/domain/ipam/ip-address';
import type { Executor } from '../db/client';
import { AppError } from '../lib/errors';
import { changedFields, refuseField } from '../lib/refusals';
import { type AddressRow, findAssignee } from './queries/ipam-writes';

type Assignment = { workload_id: string | null; interface_id: string | null; mac: string | null };

/**
 * Checks that an address of this network may be assigned so, and completes it: the only card of the workload on the
 * network, and the card's MAC address.
 * @throws AppError `refused` when workload, card and cluster do not belong together
 */
export async function checkAssignee(
  executor: Executor,
  network: { id: string; cluster_id: string },
  given: Assignment,
): Promise<Assignment> {
  if (given.workload_id === null) {
    if (given.interface_id !== null)
      throw refuseField('interface_id', 'An interface needs its workload. Specify the workload, too.');
    return given;
  }
  const workload = await findAssignee(executor, given.workload_id);
  if (!workload) throw refuseField('workload_id', 'Workload not found.');
  if (workload.cluster_id !== network.cluster_id)
    throw refuseField('workload_id', `${workload.name} is not in the cluster of the network.`);
  const onNetwork = workload.interfaces.filter((nic) => nic.network_id === network.id);
  const nic =
    given.interface_id === null
      ? onNetwork.length === 1
        ? onNetwork[0]
        : undefined
      : workload.interfaces.find(({ id }) => id === given.interface_id);
  if (given.interface_id !== null && !nic) throw refuseField('interface_id', `${workload.name} has no such interface.`);
  return { workload_id: workload.id, interface_id: nic?.id ?? null, mac: given.mac ?? nic?.mac ?? null };
}

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
    throw new AppError('refused', `${row.address} has an open conflict. Resolve the conflict first.`);
  }
  // A stale address that gets a holder again is in use.
  if (changes.workload_id && row.state === 'stale' && changes.state === undefined) changes.state = 'active';
  return decided && row.source !== 'manual' ? { ...changes, source: 'manual' } : changes;
}

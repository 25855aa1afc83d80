import type { Executor } from '../db/client';
import { refuseField } from '../lib/refusals';
import { findAssignee } from './queries/ipam-writes';

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
      throw refuseField('interface_id', 'A network card needs its workload. Name the workload as well.');
    return given;
  }
  const workload = await findAssignee(executor, given.workload_id);
  if (!workload) throw refuseField('workload_id', 'There is no such workload.');
  if (workload.cluster_id !== network.cluster_id)
    throw refuseField('workload_id', `${workload.name} is in another cluster than the network.`);
  const onNetwork = workload.interfaces.filter((nic) => nic.network_id === network.id);
  const nic =
    given.interface_id === null
      ? onNetwork.length === 1
        ? onNetwork[0]
        : undefined
      : workload.interfaces.find(({ id }) => id === given.interface_id);
  if (given.interface_id !== null && !nic)
    throw refuseField('interface_id', `${workload.name} has no such network card.`);
  return { workload_id: workload.id, interface_id: nic?.id ?? null, mac: given.mac ?? nic?.mac ?? null };
}

import type { NetworkDetail } from '@/domain/inventory';
import { DISCOVERED_NETWORK } from '@/domain/ipam/discovery';
import type { NetworkInput } from '@/domain/ipam/network';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { holdCluster } from '../inventory/queries/clusters';
import { findNetwork } from '../inventory/queries/networks';
import { newId } from '../lib/ids';
import { nameTaken, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { insertNetwork, networkNameTaken } from './queries/ipam-writes';

/**
 * Adds a network by hand.
 * @throws AppError `refused` for an unknown cluster or the discovery's name, `conflict` when the name is taken
 */
export async function createNetwork(scope: Scope<'ipam:write'>, input: NetworkInput): Promise<NetworkDetail> {
  const id = newId();
  await db.transaction(async (tx) => {
    if (!(await holdCluster(tx, input.cluster_id))) throw refuseField('cluster_id', 'There is no such cluster.');
    if (input.name === DISCOVERED_NETWORK)
      throw refuseField('name', 'The address discovery makes the network of this name by itself. Choose another name.');
    if (await networkNameTaken(tx, input.cluster_id, input.name)) throw nameTaken('network', input.name);
    await insertNetwork(tx, { ...input, id, kind: 'manual', source: 'manual' });
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: input.cluster_id });
    await recordAudit(tx, scope, {
      action: 'network.created',
      object_kind: 'network',
      object_id: id,
      object_name: input.name,
      after: audited.network(input),
    });
  });
  const network = await findNetwork('all', id);
  if (!network) throw new Error('the network that was just stored is not there');
  return network;
}

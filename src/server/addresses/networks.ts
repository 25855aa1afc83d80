import type { NetworkDetail } from '@/domain/inventory';
import { DISCOVERED_NETWORK } from '@/domain/ipam/discovery';
import type { NetworkInput, NetworkUpdate } from '@/domain/ipam/network';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { lockClusterForShare } from '../inventory/queries/clusters';
import { findNetwork } from '../inventory/queries/networks';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { lockNetworks } from './queries/ipam-space';
import { deleteNetworkRow, insertNetwork, isNetworkNameTaken, updateNetworkRow } from './queries/ipam-writes';

/**
 * Adds a network manually.
 * @throws AppError `refused` for an unknown cluster or the discovery's name, `conflict` when the name is taken
 */
export async function createNetwork(scope: Scope<'ipam:write'>, input: NetworkInput): Promise<NetworkDetail> {
  const id = newId();
  await db.transaction(async (tx) => {
    if (!(await lockClusterForShare(tx, input.cluster_id))) throw refuseField('cluster_id', 'Cluster not found.');
    if (input.name === DISCOVERED_NETWORK)
      throw refuseField(
        'name',
        'The address discovery creates the network with this name itself. Choose another name.',
      );
    if (await isNetworkNameTaken(tx, input.cluster_id, input.name)) throw nameTaken('network', input.name);
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
  if (!network) throw new Error('expected the stored network to exist');
  return network;
}

/**
 * Changes a network; fields that are left out stay.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken, `refused` when the cluster decides it
 */
export async function updateNetwork(
  scope: Scope<'ipam:write'>,
  id: string,
  { version, ...input }: NetworkUpdate,
): Promise<NetworkDetail> {
  await db.transaction(async (tx) => {
    const [row] = await lockNetworks(tx, [id], 'layout');
    if (!row) throw notFound('network');
    assertVersion('network', row.version, version);
    const changes = changedFields(row, input);
    if (Object.keys(changes).length === 0) return;
    for (const field of ['name', 'vlan_tag'] as const) {
      if (field in changes && row.source !== 'manual')
        throw refuseField(field, 'This value comes from the cluster. Change it there; the next sync updates it here.');
    }
    if (changes.name !== undefined && (await isNetworkNameTaken(tx, row.cluster_id, changes.name)))
      throw nameTaken('network', changes.name);
    await updateNetworkRow(tx, id, { ...changes, version: row.version + 1 });
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
    await recordAudit(tx, scope, {
      action: 'network.updated',
      object_kind: 'network',
      object_id: id,
      object_name: changes.name ?? row.name,
      before: audited.network(row),
      after: audited.network({ ...row, ...changes }),
    });
  });
  const network = await findNetwork('all', id);
  if (!network) throw notFound('network');
  return network;
}

/**
 * Deletes a network with its subnets and addresses: a manually added one, one of the discovery, or one that the
 * cluster no longer has.
 * @throws AppError `not_found`, `version_conflict`, `refused` for a network that the cluster has
 */
export function deleteNetwork(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const [row] = await lockNetworks(tx, [id], 'layout');
    const detail = row && (await findNetwork('all', id));
    if (!row || !detail) throw notFound('network');
    assertVersion('network', row.version, version);
    if (row.source === 'provider' && row.missing_since === null) {
      throw new AppError(
        'refused',
        'This network comes from the cluster. Remove it there; the next sync removes it here.',
      );
    }
    await deleteNetworkRow(tx, id);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
    await recordAudit(tx, scope, {
      action: 'network.deleted',
      object_kind: 'network',
      object_id: id,
      object_name: row.name,
      before: {
        ...audited.network(row),
        deleted_with_it: {
          subnets: detail.subnets.length,
          addresses: detail.subnets.reduce((sum, subnet) => sum + subnet.addresses_total, 0),
        },
      },
    });
  });
}

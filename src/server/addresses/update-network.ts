import type { NetworkDetail } from '@/domain/inventory';
import type { NetworkUpdate } from '@/domain/ipam/network';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { findNetwork } from '../inventory/queries/networks';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { lockNetworks } from './queries/ipam-space';
import { networkNameTaken, updateNetworkRow } from './queries/ipam-writes';

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
        throw refuseField(field, 'The cluster decides this. Change it there; the next sync brings it here.');
    }
    if (changes.name !== undefined && (await networkNameTaken(tx, row.cluster_id, changes.name)))
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

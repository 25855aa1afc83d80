import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { findNetwork } from '../inventory/queries/networks';
import { AppError } from '../lib/errors';
import { assertVersion, notFound } from '../lib/refusals';
import { audited } from './audited';
import { lockNetworks } from './queries/ipam-space';
import { deleteNetworkRow } from './queries/ipam-writes';

/**
 * Deletes a network with its subnets and addresses: one made by hand, one of the discovery, or one that the cluster does
 * not have any more.
 * @throws AppError `not_found`, `version_conflict`, `refused` for a network that the cluster has
 */
export function deleteNetwork(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const [row] = await lockNetworks(tx, [id], 'layout');
    const detail = row && (await findNetwork('all', id));
    if (!row || !detail) throw notFound('network');
    assertVersion('network', row.version, version);
    if (row.source === 'provider' && row.missing_since === null) {
      throw new AppError('refused', 'The cluster has this network. Remove it there; the next sync removes it here.');
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

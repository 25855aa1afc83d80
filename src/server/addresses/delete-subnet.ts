import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { AppError } from '../lib/errors';
import { assertVersion, notFound } from '../lib/refusals';
import { audited } from './audited';
import { findSubnetRow, lockNetworks, lockSubnet } from './queries/ipam-space';
import { countAddresses, deleteSubnetRow, moveToSubnet } from './queries/ipam-writes';
import { findSubnet } from './queries/subnets';

type Options = { version?: number | undefined; with_addresses?: boolean | undefined };

/**
 * Deletes a prefix. What lies directly in it moves to the prefix around it; without one, addresses go only
 * `with_addresses`.
 * @throws AppError `not_found`, `version_conflict`, `refused` when addresses would be lost or the cluster has the subnet
 */
export function deleteSubnet(scope: Scope<'ipam:write'>, id: string, options: Options = {}): Promise<void> {
  return db.transaction(async (tx) => {
    const found = await findSubnetRow(tx, id);
    if (!found) throw notFound('subnet');
    await lockNetworks(tx, [found.network_id], 'layout');
    const row = await lockSubnet(tx, id);
    const detail = row && (await findSubnet(tx, 'all', id));
    if (!row || !detail) throw notFound('subnet');
    assertVersion('subnet', row.version, options.version);
    if (row.source === 'provider' && row.missing_since === null) {
      throw new AppError('refused', 'The cluster has this subnet. Remove it there; the next sync removes it here.');
    }
    const addresses = await countAddresses(tx, id);
    if (detail.parent_id !== null) await moveToSubnet(tx, id, detail.parent_id);
    else if (addresses > 0 && !options.with_addresses) {
      throw new AppError(
        'refused',
        `${addresses} addresses lie in ${row.cidr} and in no prefix around it. Delete them first, or delete the subnet together with them (with_addresses).`,
        { extra: { addresses_total: addresses } },
      );
    }
    await deleteSubnetRow(tx, id);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
    await recordAudit(tx, scope, {
      action: 'subnet.deleted',
      object_kind: 'subnet',
      object_id: id,
      object_name: row.cidr,
      before: {
        ...audited.subnet(row),
        ...(detail.parent_id === null ? { addresses_deleted: addresses } : { addresses_moved: addresses }),
      },
    });
  });
}

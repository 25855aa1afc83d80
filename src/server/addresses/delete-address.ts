import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { assertVersion, notFound } from '../lib/refusals';
import { audited } from './audited';
import { lockNetworks } from './queries/ipam-space';
import { deleteAddressRows, lockAddresses, networksOfAddresses } from './queries/ipam-writes';

/**
 * Deletes an address; who held it stays in the history. One that is in use comes back with the next discovery.
 * @throws AppError `not_found`, `version_conflict` with both versions
 */
export function deleteAddress(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    await lockNetworks(tx, await networksOfAddresses(tx, [id]), 'content');
    const [row] = await lockAddresses(tx, [id]);
    if (!row) throw notFound('address');
    assertVersion('address', row.version, version);
    await deleteAddressRows(tx, [id]);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
    await recordAudit(tx, scope, {
      action: 'ip_address.deleted',
      object_kind: 'ip_address',
      object_id: id,
      object_name: row.address,
      before: audited.address(row),
    });
  });
}

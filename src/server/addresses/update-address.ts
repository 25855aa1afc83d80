import type { AddressUpdate, IpAddress } from '@/domain/ipam/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { assertVersion, notFound } from '../lib/refusals';
import { addressChanges } from './address-changes';
import { audited } from './audited';
import { findIpAddress } from './queries/ip-addresses';
import { lockNetworks } from './queries/ipam-space';
import { lockAddresses, networksOfAddresses, updateAddressRow } from './queries/ipam-writes';

/**
 * Changes an address; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`, `version_conflict` with both versions, `refused`
 */
export function updateAddress(scope: Scope<'ipam:write'>, id: string, input: AddressUpdate): Promise<IpAddress> {
  return db.transaction(async (tx) => {
    await lockNetworks(tx, await networksOfAddresses(tx, [id]), 'content');
    const [row] = await lockAddresses(tx, [id]);
    if (!row) throw notFound('address');
    assertVersion('address', row.version, input.version);
    const changes = await addressChanges(tx, row, input);
    if (Object.keys(changes).length > 0) {
      await updateAddressRow(tx, id, changes);
      await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
      await recordAudit(tx, scope, {
        action: 'ip_address.updated',
        object_kind: 'ip_address',
        object_id: id,
        object_name: row.address,
        before: audited.address(row),
        after: audited.address({ ...row, ...changes }),
      });
    }
    const address = await findIpAddress(tx, 'all', id);
    if (!address) throw new Error('the address that is locked is not there');
    return address;
  });
}

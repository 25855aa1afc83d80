import type { SubnetDetail, SubnetUpdate } from '@/domain/ipam/subnet';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { assertVersion, changedFields, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { findSubnetRow, lockNetworks, lockSubnet, rehomeAddresses, type SubnetRow } from './queries/ipam-space';
import { rangesOutside, subnetTaken, updateSubnetRow } from './queries/ipam-writes';
import { findSubnet } from './queries/subnets';
import { assertGateway, prefixTaken } from './subnet-rules';

/** Everything that hangs on the prefix itself has to fit the new one; addresses find their place among what is there. */
async function moveSubnet(tx: Tx, row: SubnetRow, cidr: string): Promise<number> {
  if (row.source === 'provider')
    throw refuseField('cidr', 'The cluster decides this prefix. Change it there; the next sync brings it here.');
  if (await subnetTaken(tx, row.network_id, cidr)) throw prefixTaken(cidr);
  const ranges = await rangesOutside(tx, row.id, cidr);
  if (ranges > 0) throw refuseField('cidr', `${ranges} ranges would lie outside ${cidr}. Change or delete them first.`);
  // The caller stores the gateway with the rest; until then the old one must not be in the way.
  await updateSubnetRow(tx, row.id, { cidr, gateway: null });
  const { moved, homeless } = await rehomeAddresses(tx, row.network_id, [row.cidr, cidr]);
  if (homeless > 0) {
    throw refuseField(
      'cidr',
      `${homeless} addresses would lie in no prefix of the network. Delete them, or add a prefix around them first.`,
    );
  }
  return moved;
}

/**
 * Changes a subnet; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`, `version_conflict` with both versions, `conflict` when the prefix is taken, `refused` when
 * gateway, ranges or addresses do not fit
 */
export function updateSubnet(
  scope: Scope<'ipam:write'>,
  id: string,
  { version, ...input }: SubnetUpdate,
): Promise<SubnetDetail> {
  return db.transaction(async (tx) => {
    const found = await findSubnetRow(tx, id);
    if (!found) throw notFound('subnet');
    await lockNetworks(tx, [found.network_id], input.cidr === undefined ? 'content' : 'layout');
    const row = await lockSubnet(tx, id);
    if (!row) throw notFound('subnet');
    assertVersion('subnet', row.version, version);
    const changes = changedFields(row, input);
    if (Object.keys(changes).length > 0) {
      const after = { ...row, ...changes };
      assertGateway(after.cidr, after.gateway);
      const { cidr, ...rest } = changes;
      const moved = cidr === undefined ? 0 : await moveSubnet(tx, row, cidr);
      await updateSubnetRow(tx, id, { ...rest, gateway: after.gateway, version: row.version + 1 });
      await publishEvent(tx, { type: 'ipam.changed', cluster_id: row.cluster_id });
      await recordAudit(tx, scope, {
        action: 'subnet.updated',
        object_kind: 'subnet',
        object_id: id,
        object_name: after.cidr,
        before: audited.subnet(row),
        after: { ...audited.subnet(after), ...(moved > 0 && { addresses_moved: moved }) },
      });
    }
    const subnet = await findSubnet(tx, 'all', id);
    if (!subnet) throw new Error('the subnet that is locked is not there');
    return subnet;
  });
}

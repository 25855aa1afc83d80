import type { SubnetDetail, SubnetInput } from '@/domain/ipam/subnet';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { newId } from '../lib/ids';
import { refuseField } from '../lib/refusals';
import { audited } from './audited';
import { lockNetworks, type NetworkRow, rehomeAddresses } from './queries/ipam-space';
import { insertSubnet, subnetTaken } from './queries/ipam-writes';
import { findSubnet } from './queries/subnets';
import { assertGateway, prefixTaken } from './subnet-rules';

/**
 * Adds a prefix to a network that the caller has locked for `layout`. Addresses stored in wider prefixes move into it.
 * @throws AppError `conflict` when the network has it, `refused` for a gateway outside
 */
export async function createSubnetIn(
  tx: Tx,
  scope: Scope<'ipam:write'>,
  network: NetworkRow,
  input: Omit<SubnetInput, 'network_id'>,
): Promise<SubnetDetail> {
  assertGateway(input.cidr, input.gateway);
  if (await subnetTaken(tx, network.id, input.cidr)) throw prefixTaken(input.cidr);
  const row = { ...input, id: newId(), network_id: network.id, cluster_id: network.cluster_id };
  await insertSubnet(tx, { ...row, source: 'manual' });
  const { moved } = await rehomeAddresses(tx, network.id, [input.cidr]);
  await publishEvent(tx, { type: 'ipam.changed', cluster_id: network.cluster_id });
  const subnet = await findSubnet(tx, 'all', row.id);
  if (!subnet) throw new Error('the subnet that was just stored is not there');
  await recordAudit(tx, scope, {
    action: 'subnet.created',
    object_kind: 'subnet',
    object_id: row.id,
    object_name: input.cidr,
    after: { ...audited.subnet(row), ...(moved > 0 && { addresses_moved: moved }) },
  });
  return subnet;
}

/** Adds a prefix to a network. */
export function createSubnet(scope: Scope<'ipam:write'>, { network_id, ...input }: SubnetInput): Promise<SubnetDetail> {
  return db.transaction(async (tx) => {
    const [network] = await lockNetworks(tx, [network_id], 'layout');
    if (!network) throw refuseField('network_id', 'There is no such network.');
    return createSubnetIn(tx, scope, network, input);
  });
}

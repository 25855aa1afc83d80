import type { AddressInput, IpAddress } from '@/domain/ipam/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { checkAssignee } from './check-assignee';
import { findIpAddress } from './queries/ip-addresses';
import { lockNetworks, lockSubnet, matchSubnet, type SubnetRow } from './queries/ipam-space';
import { addressTaken, insertAddress } from './queries/ipam-writes';

type Fields = Omit<AddressInput, 'network_id'>;

/** Stores an address in a subnet that the caller has locked. */
export async function createAddressIn(
  tx: Tx,
  scope: Scope<'ipam:write'>,
  subnet: SubnetRow,
  input: Fields,
): Promise<IpAddress> {
  const { network_id, cluster_id } = subnet;
  const taken = await addressTaken(tx, network_id, input.address);
  if (taken) {
    throw new AppError('conflict', `${input.address} is stored in this network already.`, {
      errors: [{ field: 'address', message: 'Change the address that is there, or choose another one.' }],
      extra: { ip_address_id: taken.id },
    });
  }
  const assignment = await checkAssignee(tx, { id: network_id, cluster_id }, input);
  const hostname = input.hostname === '' ? null : input.hostname;
  const row = { ...input, ...assignment, hostname, id: newId(), cluster_id, network_id, subnet_id: subnet.id };
  await insertAddress(tx, { ...row, source: 'manual' });
  await publishEvent(tx, { type: 'ipam.changed', cluster_id });
  const address = await findIpAddress(tx, 'all', row.id);
  if (!address) throw new Error('the address that was just stored is not there');
  await recordAudit(tx, scope, {
    action: 'ip_address.created',
    object_kind: 'ip_address',
    object_id: row.id,
    object_name: input.address,
    after: audited.address(row),
  });
  return address;
}

/**
 * Stores an address of a network; the longest prefix that holds it becomes its subnet.
 * @throws AppError `conflict` when the network has it, `refused` when it lies in no prefix or the assignment is wrong
 */
export function createAddress(scope: Scope<'ipam:write'>, { network_id, ...input }: AddressInput): Promise<IpAddress> {
  return db.transaction(async (tx) => {
    const [network] = await lockNetworks(tx, [network_id], 'content');
    if (!network) throw refuseField('network_id', 'There is no such network.');
    const match = await matchSubnet(tx, network_id, input.address);
    if (!match)
      throw refuseField(
        'address',
        `No prefix of ${network.name} holds ${input.address}. Add a subnet around it first.`,
      );
    const subnet = await lockSubnet(tx, match.id);
    if (!subnet) throw notFound('subnet');
    return createAddressIn(tx, scope, subnet, input);
  });
}

import type { SubnetDetail, SubnetInput, SubnetUpdate } from '@/domain/ipam/subnet';
import { type Cidr, cidrContains, parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import {
  findSubnetRow,
  lockNetworks,
  lockSubnet,
  type NetworkRow,
  rehomeAddresses,
  type SubnetRow,
} from './queries/ipam-space';
import {
  countAddresses,
  countRangesOutside,
  deleteSubnetRow,
  findRangeOverlap,
  insertSubnet,
  isSubnetTaken,
  moveToSubnet,
  updateSubnetRow,
} from './queries/ipam-writes';
import { findSubnet } from './queries/subnets';

/** @throws AppError `not_found` */
export async function readSubnet(scope: Scope<'ipam:read'>, id: string): Promise<SubnetDetail> {
  const subnet = await findSubnet(db, scope.reach, id);
  if (!subnet) throw notFound('subnet');
  return subnet;
}

/** Parses a stored or validated network; a parse failure is a bug in Fabric. */
export function parseStoredCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`expected a prefix, not ${text}`);
  return cidr;
}

/** @throws AppError `refused` when the gateway is outside the subnet */
export function assertGateway(cidr: string, gateway: string | null): void {
  const ip = gateway === null ? null : parseIp(gateway);
  if (ip && !cidrContains(parseStoredCidr(cidr), ip)) throw refuseField('gateway', `The gateway is not in ${cidr}.`);
}

/** The answer to a prefix that its network has already. */
export const prefixTaken = (cidr: string): AppError =>
  new AppError('conflict', `The network already has the prefix ${cidr}.`, {
    errors: [{ field: 'cidr', message: 'Choose another prefix, or change the existing one.' }],
  });

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
  if (await isSubnetTaken(tx, network.id, input.cidr)) throw prefixTaken(input.cidr);
  const row = { ...input, id: newId(), network_id: network.id, cluster_id: network.cluster_id };
  await insertSubnet(tx, { ...row, source: 'manual' });
  const { moved } = await rehomeAddresses(tx, network.id, [input.cidr]);
  await publishEvent(tx, { type: 'ipam.changed', cluster_id: network.cluster_id });
  const subnet = await findSubnet(tx, 'all', row.id);
  if (!subnet) throw new Error('expected the stored prefix to exist');
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
    if (!network) throw refuseField('network_id', 'Network not found.');
    return createSubnetIn(tx, scope, network, input);
  });
}

/** Everything attached to the prefix itself has to fit the new one; addresses move to a matching existing prefix. */
async function moveSubnet(tx: Tx, row: SubnetRow, cidr: string): Promise<number> {
  if (row.source === 'provider')
    throw refuseField('cidr', 'This prefix comes from the cluster. Change it there; the next sync updates it here.');
  if (await isSubnetTaken(tx, row.network_id, cidr)) throw prefixTaken(cidr);
  const ranges = await countRangesOutside(tx, row.id, cidr);
  if (ranges > 0)
    throw refuseField('cidr', `${ranges} ranges would be outside ${cidr}. Change or delete these ranges first.`);
  // The caller stores the gateway with the rest; until then the old one must not be in the way.
  await updateSubnetRow(tx, row.id, { cidr, gateway: null });
  const { moved, homeless } = await rehomeAddresses(tx, row.network_id, [row.cidr, cidr]);
  if (homeless > 0) {
    throw refuseField(
      'cidr',
      `${homeless} addresses would not be in any prefix of the network. Delete these addresses, or first add a prefix that contains them.`,
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
    if (!subnet) throw new Error('expected the locked prefix to exist');
    return subnet;
  });
}

/** @throws AppError `refused` when a range of the prefix overlaps one of the prefix around it, to which it would move */
async function assertRangesFit(tx: Tx, row: SubnetRow, parent: { id: string; cidr: string }): Promise<void> {
  const overlap = await findRangeOverlap(tx, row.id, parent.id);
  if (!overlap) return;
  const { own, other } = overlap;
  throw new AppError(
    'refused',
    `The range ${own.first_address} to ${own.last_address} would move to ${parent.cidr}, where it overlaps the range ${other.first_address} to ${other.last_address}. Change or delete one of these ranges first.`,
  );
}

type Options = { version?: number | undefined; with_addresses?: boolean | undefined };

/**
 * Deletes a prefix. What lies directly in it moves to the prefix around it; without one, addresses go only
 * `with_addresses`.
 * @throws AppError `not_found`, `version_conflict`, `refused` when addresses would be lost, ranges would overlap, or the
 * cluster has the subnet
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
      throw new AppError(
        'refused',
        'This prefix comes from the cluster. Remove it there; the next sync removes it here.',
      );
    }
    const addresses = await countAddresses(tx, id);
    const parent = detail.ancestors.at(-1);
    if (parent) {
      await assertRangesFit(tx, row, parent);
      await moveToSubnet(tx, id, parent.id);
    } else if (addresses > 0 && !options.with_addresses) {
      throw new AppError(
        'refused',
        `${addresses} addresses are in ${row.cidr} and in no other prefix. Delete these addresses first, or delete them together with the prefix (with_addresses).`,
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
        ...(parent ? { addresses_moved: addresses } : { addresses_deleted: addresses }),
      },
    });
  });
}

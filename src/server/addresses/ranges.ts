import type { IpRange, RangeInput, RangeUpdate } from '@/domain/ipam/ip-range';
import { cidrContains } from '@/domain/net/cidr';
import { compareIp, parseIp } from '@/domain/net/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, notFound, refuseField } from '../lib/refusals';
import { audited } from './audited';
import { findIpRange } from './queries/ip-ranges';
import { findSubnetRow, lockNetworks, lockSubnet, type SubnetRow } from './queries/ipam-space';
import {
  deleteRangeRow,
  findOverlappingRange,
  insertRange,
  lockRange,
  type RangeRow,
  updateRangeRow,
} from './queries/ipam-writes';
import { parseStoredCidr } from './subnets';

type Bounds = Pick<RangeRow, 'first_address' | 'last_address'>;

/** @throws AppError `refused` when the range is not one of the subnet, `conflict` when it overlaps another */
async function assertRange(tx: Tx, subnet: SubnetRow, range: Bounds, exceptId: string | null): Promise<void> {
  const cidr = parseStoredCidr(subnet.cidr);
  for (const field of ['first_address', 'last_address'] as const) {
    const ip = parseIp(range[field]);
    if (!ip || !cidrContains(cidr, ip)) throw refuseField(field, `${range[field]} is not in ${subnet.cidr}.`);
  }
  const [first, last] = [parseIp(range.first_address), parseIp(range.last_address)];
  if (first && last && compareIp(first, last) > 0)
    throw refuseField('last_address', 'The last address is before the first address.');
  const other = await findOverlappingRange(tx, subnet.id, range.first_address, range.last_address, exceptId);
  if (other) {
    throw new AppError('conflict', `The range overlaps ${other.first_address} to ${other.last_address}.`, {
      errors: [{ field: 'first_address', message: 'Choose addresses outside the other ranges of the prefix.' }],
    });
  }
}

async function lockSubnetContent(tx: Tx, subnetId: string): Promise<SubnetRow | null> {
  const found = await findSubnetRow(tx, subnetId);
  if (!found) return null;
  await lockNetworks(tx, [found.network_id], 'content');
  return lockSubnet(tx, subnetId);
}

async function getStoredRange(tx: Tx, id: string): Promise<IpRange> {
  const range = await findIpRange(tx, 'all', id);
  if (!range) throw new Error('expected the stored range to exist');
  return range;
}

const formatRange = (range: Bounds) => `${range.first_address}-${range.last_address}`;

/** Sets a range of a subnet aside. */
export function createRange(scope: Scope<'ipam:write'>, input: RangeInput): Promise<IpRange> {
  return db.transaction(async (tx) => {
    const subnet = await lockSubnetContent(tx, input.subnet_id);
    if (!subnet) throw refuseField('subnet_id', 'Prefix not found.');
    await assertRange(tx, subnet, input, null);
    const row = { ...input, id: newId(), network_id: subnet.network_id };
    await insertRange(tx, row);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: subnet.cluster_id });
    const range = await getStoredRange(tx, row.id);
    await recordAudit(tx, scope, {
      action: 'ip_range.created',
      object_kind: 'ip_range',
      object_id: row.id,
      object_name: formatRange(row),
      after: audited.range(row),
    });
    return range;
  });
}

/**
 * Changes a range; fields that are left out stay.
 * @throws AppError `not_found`, `version_conflict`, `refused`, `conflict`
 */
export function updateRange(
  scope: Scope<'ipam:write'>,
  id: string,
  { version, ...input }: RangeUpdate,
): Promise<IpRange> {
  return db.transaction(async (tx) => {
    const found = await findIpRange(tx, 'all', id);
    const subnet = found && (await lockSubnetContent(tx, found.subnet_id));
    const row = await lockRange(tx, id);
    if (!subnet || !row) throw notFound('range');
    assertVersion('range', row.version, version);
    const changes = changedFields(row, input);
    if (Object.keys(changes).length > 0) {
      const after = { ...row, ...changes };
      await assertRange(tx, subnet, after, id);
      await updateRangeRow(tx, id, changes);
      await publishEvent(tx, { type: 'ipam.changed', cluster_id: subnet.cluster_id });
      await recordAudit(tx, scope, {
        action: 'ip_range.updated',
        object_kind: 'ip_range',
        object_id: id,
        object_name: formatRange(after),
        before: audited.range(row),
        after: audited.range(after),
      });
    }
    return getStoredRange(tx, id);
  });
}

/** @throws AppError `not_found`, `version_conflict` */
export function deleteRange(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const found = await findIpRange(tx, 'all', id);
    const subnet = found && (await lockSubnetContent(tx, found.subnet_id));
    const row = await lockRange(tx, id);
    if (!subnet || !row) throw notFound('range');
    assertVersion('range', row.version, version);
    await deleteRangeRow(tx, id);
    await publishEvent(tx, { type: 'ipam.changed', cluster_id: subnet.cluster_id });
    await recordAudit(tx, scope, {
      action: 'ip_range.deleted',
      object_kind: 'ip_range',
      object_id: id,
      object_name: formatRange(row),
      before: audited.range(row),
    });
  });
}

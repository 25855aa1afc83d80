import type {
  AddressBulkDelete,
  AddressBulkUpdate,
  AddressInput,
  AddressUpdate,
  BulkResult,
  IpAddress,
  IpAddressDetail,
} from '@/domain/ipam/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { AppError, type FieldError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, notFound, refuseField } from '../lib/refusals';
import { addressChanges, checkAssignee } from './address-changes';
import { audited } from './audited';
import { findIpAddress, findIpAddressDetail } from './queries/ip-addresses';
import { lockNetworks, lockSubnet, matchSubnet, type SubnetRow } from './queries/ipam-space';
import {
  type AddressRow,
  deleteAddressRows,
  findStoredAddress,
  insertAddress,
  listAddressNetworks,
  lockAddresses,
  updateAddressRow,
  updateAddressRows,
} from './queries/ipam-writes';

/** @throws AppError `not_found` */
export async function readAddress(scope: Scope<'ipam:read'>, id: string): Promise<IpAddressDetail> {
  const address = await findIpAddressDetail(scope.reach, id);
  if (!address) throw notFound('address');
  return address;
}

type Fields = Omit<AddressInput, 'network_id'>;

/** Stores an address in a subnet that the caller has locked. */
export async function createAddressIn(
  tx: Tx,
  scope: Scope<'ipam:write'>,
  subnet: SubnetRow,
  input: Fields,
): Promise<IpAddress> {
  const { network_id, cluster_id } = subnet;
  const taken = await findStoredAddress(tx, network_id, input.address);
  if (taken) {
    throw new AppError('conflict', `${input.address} already exists in this network.`, {
      errors: [{ field: 'address', message: 'Change the existing address, or choose another one.' }],
      extra: { ip_address_id: taken.id },
    });
  }
  const assignment = await checkAssignee(tx, { id: network_id, cluster_id }, input);
  const hostname = input.hostname === '' ? null : input.hostname;
  const row = { ...input, ...assignment, hostname, id: newId(), cluster_id, network_id, subnet_id: subnet.id };
  await insertAddress(tx, { ...row, source: 'manual' });
  await publishEvent(tx, { type: 'ipam.changed', cluster_id });
  const address = await findIpAddress(tx, 'all', row.id);
  if (!address) throw new Error('expected the stored address to exist');
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
 * Stores an address of a network; the longest prefix that contains it becomes its subnet.
 * @throws AppError `conflict` when the network has it, `refused` when no prefix contains it or the assignment is wrong
 */
export function createAddress(scope: Scope<'ipam:write'>, { network_id, ...input }: AddressInput): Promise<IpAddress> {
  return db.transaction(async (tx) => {
    const [network] = await lockNetworks(tx, [network_id], 'content');
    if (!network) throw refuseField('network_id', 'Network not found.');
    const match = await matchSubnet(tx, network_id, input.address);
    if (!match)
      throw refuseField(
        'address',
        `No prefix of ${network.name} contains ${input.address}. Add a prefix that contains it first.`,
      );
    const subnet = await lockSubnet(tx, match.id);
    if (!subnet) throw notFound('subnet');
    return createAddressIn(tx, scope, subnet, input);
  });
}

/**
 * Changes an address; fields that are left out stay. Without a change nothing is written or recorded.
 * @throws AppError `not_found`, `version_conflict` with both versions, `refused`
 */
export function updateAddress(scope: Scope<'ipam:write'>, id: string, input: AddressUpdate): Promise<IpAddress> {
  return db.transaction(async (tx) => {
    await lockNetworks(tx, await listAddressNetworks(tx, [id]), 'content');
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
    if (!address) throw new Error('expected the locked address to exist');
    return address;
  });
}

/**
 * Deletes an address; who held it stays in the history. One that is in use comes back with the next discovery.
 * @throws AppError `not_found`, `version_conflict` with both versions
 */
export function deleteAddress(scope: Scope<'ipam:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    await lockNetworks(tx, await listAddressNetworks(tx, [id]), 'content');
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

type Items = AddressBulkUpdate['items'];

/**
 * Locks the addresses and refuses all when one is missing or was changed.
 * @throws AppError `not_found` or `version_conflict`, naming each of them
 */
async function lockAll(tx: Tx, items: Items): Promise<AddressRow[]> {
  const ids = items.map(({ id }) => id);
  await lockNetworks(tx, await listAddressNetworks(tx, ids), 'content');
  const rows = new Map((await lockAddresses(tx, ids)).map((row) => [row.id, row]));
  const missing: FieldError[] = [];
  const changed: FieldError[] = [];
  for (const [index, { id, version }] of items.entries()) {
    const row = rows.get(id);
    const field = `items.${index}`;
    if (!row) missing.push({ field, message: 'Address not found.' });
    else if (version !== undefined && version !== row.version)
      changed.push({ field, message: `${row.address} is at version ${row.version}, not ${version}.` });
  }
  if (missing.length > 0)
    throw new AppError('not_found', `${missing.length} of the addresses were not found. Nothing was changed.`, {
      errors: missing,
    });
  if (changed.length > 0)
    throw new AppError(
      'version_conflict',
      `Someone else changed ${changed.length} of the addresses. None of your changes were saved. Reload the list and try again.`,
      { errors: changed },
    );
  return [...rows.values()];
}

async function publishChanges(tx: Tx, rows: readonly AddressRow[]): Promise<void> {
  for (const cluster_id of new Set(rows.map((row) => row.cluster_id)))
    await publishEvent(tx, { type: 'ipam.changed', cluster_id });
}

/** Makes the same change to many addresses: to all of them or, when one cannot be changed, to none. */
export function bulkUpdateAddresses(scope: Scope<'ipam:write'>, input: AddressBulkUpdate): Promise<BulkResult> {
  return db.transaction(async (tx) => {
    const rows = await lockAll(tx, input.items);
    const groups = new Map<string, { changes: Awaited<ReturnType<typeof addressChanges>>; rows: AddressRow[] }>();
    for (const row of rows) {
      const changes = await addressChanges(tx, row, input.changes);
      const key = JSON.stringify(changes);
      if (key === '{}') continue;
      const group = groups.get(key);
      if (group) group.rows.push(row);
      else groups.set(key, { changes, rows: [row] });
    }
    const changed = [...groups.values()].flatMap((group) => group.rows);
    for (const group of groups.values())
      await updateAddressRows(
        tx,
        group.rows.map((row) => row.id),
        group.changes,
      );
    if (changed.length > 0) {
      await publishChanges(tx, changed);
      await recordAudit(tx, scope, {
        action: 'ip_address.bulk_updated',
        object_kind: 'ip_address',
        object_name: `${changed.length} addresses`,
        before: { addresses: changed.map((row) => ({ id: row.id, ...audited.address(row) })) },
        after: input.changes,
      });
    }
    return { changed: changed.length, unchanged: rows.length - changed.length };
  });
}

/** Deletes many addresses: all of them or none. */
export function bulkDeleteAddresses(scope: Scope<'ipam:write'>, input: AddressBulkDelete): Promise<BulkResult> {
  return db.transaction(async (tx) => {
    const rows = await lockAll(tx, input.items);
    await deleteAddressRows(
      tx,
      rows.map((row) => row.id),
    );
    await publishChanges(tx, rows);
    await recordAudit(tx, scope, {
      action: 'ip_address.bulk_deleted',
      object_kind: 'ip_address',
      object_name: `${rows.length} addresses`,
      before: { addresses: rows.map((row) => ({ id: row.id, ...audited.address(row) })) },
    });
    return { changed: rows.length, unchanged: 0 };
  });
}

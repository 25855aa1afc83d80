import type { AddressBulkDelete, AddressBulkUpdate, BulkResult } from '@/domain/ipam/ip-address';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/publish-event';
import { AppError, type FieldError } from '../lib/errors';
import { addressChanges } from './address-changes';
import { audited } from './audited';
import { lockNetworks } from './queries/ipam-space';
import {
  type AddressRow,
  deleteAddressRows,
  lockAddresses,
  networksOfAddresses,
  updateAddressRows,
} from './queries/ipam-writes';

type Items = AddressBulkUpdate['items'];

/**
 * Locks the addresses and refuses all when one is missing or was changed.
 * @throws AppError `not_found` or `version_conflict`, naming each of them
 */
async function lockAll(tx: Tx, items: Items): Promise<AddressRow[]> {
  const ids = items.map(({ id }) => id);
  await lockNetworks(tx, await networksOfAddresses(tx, ids), 'content');
  const rows = new Map((await lockAddresses(tx, ids)).map((row) => [row.id, row]));
  const missing: FieldError[] = [];
  const changed: FieldError[] = [];
  for (const [index, { id, version }] of items.entries()) {
    const row = rows.get(id);
    const field = `items.${index}`;
    if (!row) missing.push({ field, message: 'There is no such address.' });
    else if (version !== undefined && version !== row.version)
      changed.push({ field, message: `${row.address} has version ${row.version} by now, not ${version}.` });
  }
  if (missing.length > 0)
    throw new AppError('not_found', `${missing.length} of the addresses are not there. Nothing was changed.`, {
      errors: missing,
    });
  if (changed.length > 0)
    throw new AppError(
      'version_conflict',
      `Somebody else changed ${changed.length} of the addresses meanwhile. Nothing was changed.`,
      { errors: changed },
    );
  return [...rows.values()];
}

async function tell(tx: Tx, rows: readonly AddressRow[]): Promise<void> {
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
      await tell(tx, changed);
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
    await tell(tx, rows);
    await recordAudit(tx, scope, {
      action: 'ip_address.bulk_deleted',
      object_kind: 'ip_address',
      object_name: `${rows.length} addresses`,
      before: { addresses: rows.map((row) => ({ id: row.id, ...audited.address(row) })) },
    });
    return { changed: rows.length, unchanged: 0 };
  });
}

import { db } from '../../db/client';
import { fillTrafficWorkloads, listUnknownTraffic } from '../storage/postgres/interface-counters';
import type { AddressBook } from './address-book';
import { confirmedObserver } from './attribute-flow';

/** Rows of one run, the newest first. */
const MOST_ROWS = 20_000;

/**
 * Fills in the workload of counters that an agent sent while it had no flows, once the workload is known to have been on the node.
 * @param vmids guests about which something was learned; null: all
 * @returns how many rows
 */
export async function fillCounters(book: AddressBook, vmids: readonly number[] | null): Promise<number> {
  if (vmids?.length === 0) return 0;
  const rows = (await listUnknownTraffic(db, vmids, MOST_ROWS)).flatMap((row) => {
    const workload_id = confirmedObserver(book, { ...row, at: Date.parse(row.observed_at) });
    return workload_id === null ? [] : [{ ...row, workload_id }];
  });
  if (rows.length > 0) await fillTrafficWorkloads(db, rows);
  return rows.length;
}

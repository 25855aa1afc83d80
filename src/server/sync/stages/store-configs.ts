import type { Tx } from '../../db/client';
import type { StageCounters } from '../../db/schema/operations';
import {
  deleteInterfaces,
  deleteWorkloads,
  insertInterfaces,
  insertWorkloads,
  listWorkloadInterfaces,
  type SyncedWorkload,
  updateInterfaces,
  updateWorkloads,
} from '../../inventory/queries/sync-guests';
import {
  configState,
  type InterfaceState,
  isOtherGuest,
  type NetworkIds,
  type PresentInterface,
  planInterfaces,
} from '../../inventory/reconcile/interfaces';
import { newId } from '../../lib/ids';
import { findPgError } from '../../lib/pg-errors';
import type { GuestConfig } from '../../providers/hypervisor/types';
import { recordRemoved } from './absences';

export type StoredConfigs = {
  wrote: boolean;
  counters: Partial<StageCounters>;
  errors: { code: string; object: string; message: string }[];
};

/** The workload that takes the place of another guest's: the same facts, a new identity, nothing inherited. */
function successor({ tenant_id: _, ...workload }: SyncedWorkload, clusterId: string, config: GuestConfig, now: Date) {
  return {
    ...workload,
    id: newId(),
    cluster_id: clusterId,
    name: config.name ?? workload.name,
    creation_fingerprint: config.creation_fingerprint,
    config_digest: config.digest,
    config_read_at: now.toISOString(),
  };
}

/**
 * Stores the interfaces from the configs that were read, in a fixed number of statements. A config that belongs to a
 * different guest than the one known under its number replaces the workload.
 */
export async function storeConfigs(
  tx: Tx,
  clusterId: string,
  read: readonly { workload: SyncedWorkload; config: GuestConfig }[],
  networks: NetworkIds,
  now: Date,
): Promise<StoredConfigs> {
  const rows = await listWorkloadInterfaces(
    tx,
    read.map(({ workload }) => workload.id),
  );
  const presentOf = new Map<string, PresentInterface[]>();
  for (const row of rows) {
    const known = presentOf.get(row.workload_id);
    if (known) known.push(row);
    else presentOf.set(row.workload_id, [row]);
  }
  const replaced: SyncedWorkload[] = [];
  const successors: ReturnType<typeof successor>[] = [];
  const create: (InterfaceState & { workload_id: string })[] = [];
  const change: PresentInterface[] = [];
  const remove: PresentInterface[] = [];
  const states: ({ id: string } & NonNullable<ReturnType<typeof configState>>)[] = [];
  const errors: StoredConfigs['errors'] = [];
  for (const { workload, config } of read) {
    const present = presentOf.get(workload.id) ?? [];
    for (const nic of config.unreadable) {
      errors.push({
        code: 'unreadable_nic',
        object: `${workload.external_id} ${nic.name}`,
        message: `The interface configuration cannot be parsed: ${nic.reason}. The last known values were kept.`,
      });
    }
    if (isOtherGuest(workload, config, present)) {
      const next = successor(workload, clusterId, config, now);
      replaced.push(workload);
      successors.push(next);
      create.push(...planInterfaces(config, [], networks).create.map((nic) => ({ ...nic, workload_id: next.id })));
      continue;
    }
    const plan = planInterfaces(config, present, networks);
    create.push(...plan.create.map((nic) => ({ ...nic, workload_id: workload.id })));
    change.push(...plan.change);
    remove.push(...plan.remove);
    const state = configState(workload, config, now);
    if (state) states.push({ id: workload.id, ...state });
  }
  await deleteWorkloads(
    tx,
    replaced.map((row) => row.id),
  );
  await insertWorkloads(tx, successors);
  await deleteInterfaces(
    tx,
    remove.map((row) => row.id),
  );
  await insertInterfaces(tx, create);
  await updateInterfaces(tx, change);
  await updateWorkloads(tx, states);
  if (replaced.length > 0) await recordRemoved(tx, clusterId, replaced, 'Another workload uses its VMID.');
  const written = replaced.length + create.length + change.length + remove.length;
  return {
    wrote: written > 0,
    counters: {
      created: create.length,
      changed: change.length,
      removed: remove.length + replaced.length,
    },
    errors,
  };
}

/** Whether the database refused the data themselves: a value out of range, a character it cannot hold, a broken rule. */
function isDataError(error: unknown): boolean {
  const code = findPgError(error)?.code ?? '';
  return code.startsWith('22') || code === '23514';
}

/**
 * Stores rows together. When the database refuses one of them, stores ever smaller parts, so that one odd row does not
 * keep the others from being stored. Calls `refuse` for each row that cannot be stored.
 */
export async function insertWithBisect<T>(
  rows: readonly T[],
  store: (rows: readonly T[]) => Promise<void>,
  refuse: (row: T) => void,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  try {
    await store(rows);
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (rows.length === 1) return refuse(first);
    const half = Math.ceil(rows.length / 2);
    await insertWithBisect(rows.slice(0, half), store, refuse);
    await insertWithBisect(rows.slice(half), store, refuse);
  }
}

/** The error reported for a row that could not be stored. */
export const UNSTORABLE = {
  code: 'unstorable',
  message:
    'The data that the cluster returned for it cannot be stored: a value is out of range or contains a forbidden character.',
  remedy: 'Check the configuration of the workload on its node.',
};

import { setImmediate as turn } from 'node:timers/promises';
import { MAX_IMPORT_ERRORS } from '@/domain/ipam/csv-import';
import {
  type AddressImportRow,
  type ImportRows,
  type RowError,
  readImportRows,
  type SubnetImportRow,
} from '@/domain/ipam/import-rows';
import { recordAudit } from '../../../audit/record';
import type { Actor } from '../../../auth/scope';
import { db, type Tx } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { clock } from '../../../lib/clock';
import { newId } from '../../../lib/ids';
import { logger } from '../../../lib/logger';
import { changeAddresses, insertAddresses } from '../../../repositories/discovery';
import {
  claimImport,
  type ImportLease,
  type ImportRow,
  noteImport,
  releaseImport,
} from '../../../repositories/ipam-imports';
import { rehomeAddresses } from '../../../repositories/ipam-space';
import { insertSubnets, updateSubnets } from '../../../repositories/sync-networks';
import { loadImportContext } from './import-context';
import { planAddresses } from './plan-addresses';
import { planSubnets } from './plan-subnets';

type Claimed = ImportRow & ImportLease;
type Options = {
  signal: AbortSignal;
  /** Called before each batch is written; tests end the process there. */
  onBatch?: (written: number) => Promise<void>;
};

/** Rows of one statement; progress is told after each. */
const BATCH_ROWS = 1000;
const RENEW_MS = 5_000;

/** Ends the writing transaction of an import that must not write: the rows already written go with it. */
class Rollback extends Error {}

type Outcome = {
  status: 'ok' | 'failed';
  message: string | null;
  rows_bad: number;
  created: number;
  updated: number;
  unchanged: number;
  errors: RowError[];
};

const byLine = (a: RowError, b: RowError) => a.line - b.line;
const linesOf = (errors: readonly RowError[]) => new Set(errors.map(({ line }) => line)).size;

async function tell(lease: ImportLease, changes: Parameters<typeof noteImport>[2]): Promise<void> {
  const held = await noteImport(db, lease, changes);
  if (!held) throw new Rollback('the import was taken over');
  await publishEvent(db, { type: 'ipam_import.changed', import_id: lease.id });
}

/** Stores the end of an import with its audit record, in the transaction of what it wrote. */
async function finish(tx: Tx, row: Claimed, read: ImportRows, outcome: Outcome): Promise<void> {
  const errors = [...outcome.errors].sort(byLine);
  const held = await noteImport(tx, row, {
    status: outcome.status,
    stage: null,
    message: outcome.message,
    rows_total: read.rowsTotal,
    rows_bad: outcome.rows_bad,
    created: outcome.created,
    updated: outcome.updated,
    unchanged: outcome.unchanged,
    errors: errors.slice(0, MAX_IMPORT_ERRORS),
    errors_total: errors.length,
    progress_done: read.rowsTotal,
    progress_total: read.rowsTotal,
    finished_at: clock.now().toISOString(),
    // The report and the hash stay; the file has done its work.
    content: '',
  });
  if (!held) throw new Rollback('the import was taken over');
  await publishEvent(tx, { type: 'ipam_import.changed', import_id: row.id });
  const actor: Actor =
    row.requested_by === null
      ? { kind: 'system', id: null, name: row.requested_by_name }
      : { kind: 'user', id: row.requested_by, name: row.requested_by_name };
  await recordAudit(
    tx,
    { actor, origin: null },
    {
      action: actionOf(row, outcome.status === 'ok'),
      object_kind: 'ipam_import',
      object_id: row.id,
      object_name: row.file_name || `${row.kind}.csv`,
      after: {
        kind: row.kind,
        mode: row.mode,
        dry_run: row.dry_run,
        sha256: row.sha256,
        rows_total: read.rowsTotal,
        rows_bad: outcome.rows_bad,
        created: outcome.created,
        updated: outcome.updated,
        unchanged: outcome.unchanged,
        ...(outcome.message !== null && { message: outcome.message }),
      },
    },
  );
}

/** A check writes nothing, so its record does not say that something was imported. */
const actionOf = ({ dry_run }: Claimed, ok: boolean) =>
  dry_run
    ? ok
      ? ('ipam.import_checked' as const)
      : ('ipam.import_check_failed' as const)
    : ok
      ? ('ipam.imported' as const)
      : ('ipam.import_failed' as const);

const refused = (row: Claimed, bad: number): string | null =>
  row.mode === 'atomic' && bad > 0 ? `${bad} rows cannot be taken over, so nothing was written.` : null;

/** Checks the rows against what is stored and writes them: all of it in one transaction. */
async function write(row: Claimed, read: ImportRows, { signal, onBatch }: Options): Promise<void> {
  await db.transaction(async (tx) => {
    const context = await loadImportContext(tx, [...new Set(read.rows.map(({ cluster }) => cluster))]);
    const plan =
      row.kind === 'addresses'
        ? { kind: 'addresses' as const, ...planAddresses(read.rows as AddressImportRow[], context) }
        : { kind: 'subnets' as const, ...planSubnets(read.rows as SubnetImportRow[], context) };
    const errors = [...read.errors, ...plan.errors];
    const bad = linesOf(errors);
    const message = refused(row, bad);
    const total = plan.create.length + plan.update.length;
    const outcome: Outcome = {
      status: message === null ? 'ok' : 'failed',
      message,
      rows_bad: bad,
      created: plan.create.length,
      updated: plan.update.length,
      unchanged: plan.unchanged,
      errors,
    };
    if (message !== null) return finish(tx, row, read, { ...outcome, created: 0, updated: 0 });
    if (row.dry_run) return finish(tx, row, read, outcome);

    await tell(row, { stage: 'writing', progress_done: 0, progress_total: total });
    let written = 0;
    const inBatches = async <T>(rows: readonly T[], store: (batch: readonly T[]) => Promise<void>) => {
      for (let at = 0; at < rows.length; at += BATCH_ROWS) {
        signal.throwIfAborted();
        await onBatch?.(written);
        const batch = rows.slice(at, at + BATCH_ROWS);
        await store(batch);
        written += batch.length;
        await tell(row, { progress_done: written });
      }
    };
    if (plan.kind === 'addresses') {
      await inBatches(plan.create, (batch) => insertAddresses(tx, batch));
      await inBatches(plan.update, (batch) =>
        changeAddresses(
          tx,
          batch.map(({ address: _, cluster_id: __, network_id: ___, ...changes }) => changes),
        ),
      );
    } else {
      await inBatches(plan.create, (batch) =>
        insertSubnets(
          tx,
          batch.map((item) => ({ ...item, source: 'manual' as const })),
        ),
      );
      await inBatches(plan.update, (batch) =>
        updateSubnets(
          tx,
          batch.map(({ id, gateway, dns_servers, dhcp_enabled, vlan_tag, description, version }) => ({
            id,
            gateway,
            dns_servers,
            dhcp_enabled,
            vlan_tag,
            description,
            version,
          })),
        ),
      );
      for (const networkId of new Set(plan.create.map((item) => item.network_id)))
        await rehomeAddresses(tx, networkId, ['0.0.0.0/0', '::/0']);
    }
    if (total > 0)
      for (const { id } of context.clusters) await publishEvent(tx, { type: 'ipam.changed', cluster_id: id });
    await finish(tx, row, read, outcome);
  });
}

/**
 * Takes a waiting CSV file over; without one it does nothing. Everything is checked before anything is written, and all is
 * written in one transaction together with the report: a worker that dies in the middle leaves nothing behind, and the
 * next one begins anew.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the import for another worker
 */
export async function runImport(importId: string, options: Options): Promise<void> {
  const row = await claimImport(importId, newId());
  if (!row) return;
  // While the rows are written progress tells that the worker lives; before, this does.
  const alive = setInterval(() => {
    noteImport(db, row, {}).catch((error: unknown) => logger.warn({ err: error, import_id: importId }, 'no lease'));
  }, RENEW_MS);
  try {
    await tell(row, { stage: 'checking' });
    await turn();
    const read = readImportRows(row.kind, row.content);
    await tell(row, { rows_total: read.rowsTotal, progress_total: read.rowsTotal });
    if (read.refused !== null) {
      const outcome: Outcome = {
        status: 'failed',
        message: read.refused,
        rows_bad: linesOf(read.errors),
        created: 0,
        updated: 0,
        unchanged: 0,
        errors: read.errors,
      };
      await db.transaction((tx) => finish(tx, row, read, outcome));
    } else await write(row, read, options);
  } catch (error) {
    if (error instanceof Rollback) return logger.warn({ import_id: importId }, error.message);
    if (options.signal.aborted) {
      await releaseImport(row);
      throw options.signal.reason;
    }
    throw error;
  } finally {
    clearInterval(alive);
  }
}

import { setImmediate as turn } from 'node:timers/promises';
import { type ImportChange, MAX_IMPORT_CHANGES, MAX_IMPORT_ERRORS } from '@/domain/ipam/csv-import';
import {
  type AddressImportRow,
  HEADER_LINE,
  type ImportRows,
  type RowError,
  readImportRows,
  type SubnetImportRow,
} from '@/domain/ipam/import-rows';
import { recordAudit } from '../../audit/record';
import type { Actor } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { insertSubnets, updateSubnets } from '../../inventory/queries/sync-networks';
import type { Lease } from '../../jobs/queries/run-leases';
import { LeaseLost, RunLease } from '../../jobs/run-lease';
import { clock } from '../../lib/clock';
import { changeAddresses, insertAddresses } from '../queries/discovery';
import { findPreview, type ImportRow, importLeases } from '../queries/imports';
import { rehomeAddresses } from '../queries/ipam-space';
import { hashPlan, listPreviewDifferences } from './import-changes';
import { loadImportContext, planAddresses } from './plan-addresses';
import { planSubnets } from './plan-subnets';

type Progress = Pick<ImportRow, 'stage' | 'rows_total' | 'progress_done' | 'progress_total'>;
type Claimed = ImportRow & Lease;
/** One worker's work on one import: what it holds, and how far it is. */
type Session = { row: Claimed; lease: RunLease<Progress>; progress: Progress };
type Options = {
  signal: AbortSignal;
  /** Called before each batch is written; tests end the process there. */
  onBatch?: (written: number) => Promise<void>;
};

/** Rows per statement; progress is reported after each. */
const BATCH_ROWS = 1000;

type Outcome = {
  status: 'ok' | 'failed';
  message: string | null;
  rows_bad: number;
  created: number;
  updated: number;
  unchanged: number;
  errors: RowError[];
  changes: ImportChange[];
  plan_hash: string | null;
};

const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;
const countLines = (errors: readonly RowError[]) => new Set(errors.map(({ line }) => line)).size;

async function saveProgress({ lease, progress }: Session, changes: Partial<Progress>): Promise<void> {
  Object.assign(progress, changes);
  await lease.flush();
}

/** Stores the end of an import with its audit record, in the transaction of what it wrote. */
async function finish(tx: Tx, { row }: Session, read: ImportRows, outcome: Outcome): Promise<void> {
  const errors = [...outcome.errors].sort(byLine);
  const held = await importLeases.finish(tx, row, {
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
    changes: outcome.changes.slice(0, MAX_IMPORT_CHANGES),
    changes_total: outcome.changes.length,
    plan_hash: outcome.plan_hash,
    progress_done: read.rowsTotal,
    progress_total: read.rowsTotal,
    finished_at: clock.now().toISOString(),
    // The report and the hash stay; the file has done its work.
    content: '',
  });
  // What was written in this transaction goes with it.
  if (!held) throw new LeaseLost('the import was taken over or deleted');
  await publishEvent(tx, { type: 'ipam_import.changed', import_id: row.id });
  const actor: Actor =
    row.requested_by === null
      ? { kind: 'system', id: null, name: row.requested_by_name }
      : { kind: 'user', id: row.requested_by, name: row.requested_by_name };
  await recordAudit(
    tx,
    { actor, origin: null },
    {
      action: getAuditAction(row, outcome.status === 'ok'),
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
const getAuditAction = ({ dry_run }: Claimed, ok: boolean) =>
  dry_run
    ? ok
      ? ('ipam.import_checked' as const)
      : ('ipam.import_check_failed' as const)
    : ok
      ? ('ipam.imported' as const)
      : ('ipam.import_failed' as const);

const formatRefusal = (row: Claimed, bad: number): string | null =>
  row.mode === 'atomic' && bad > 0 ? `${bad} rows have errors, so nothing was written.` : null;

/** The clusters that a file is about; null when a row does not say which. */
function listClusterNames({ rows }: ImportRows): string[] | null {
  const names = new Set<string>();
  for (const { cluster } of rows) {
    if (cluster === undefined) return null;
    names.add(cluster);
  }
  return [...names];
}

/** How an import ends that would write something else than its dry run listed; null when it is the same, or there was none. */
async function findPreviewDifference(
  tx: Tx,
  { preview_id }: Claimed,
  outcome: Outcome,
): Promise<Partial<Outcome> | null> {
  const preview = preview_id === null ? null : await findPreview(tx, preview_id);
  if (preview_id === null || preview?.plan_hash === outcome.plan_hash) return null;
  const differing = listPreviewDifferences(preview?.changes ?? [], outcome.changes.slice(0, MAX_IMPORT_CHANGES));
  return {
    status: 'failed',
    message:
      'The stored data changed since the check, so the import would write something else. Nothing was written. Check the rows again.',
    errors: [...outcome.errors, ...differing],
  };
}

/** Checks the rows against what is stored and writes them: all of it in one transaction. */
async function write(session: Session, read: ImportRows, onBatch: Options['onBatch']): Promise<void> {
  const { row, lease } = session;
  await db.transaction(async (tx) => {
    const context = await loadImportContext(tx, listClusterNames(read));
    const plan =
      row.kind === 'addresses'
        ? { kind: 'addresses' as const, ...planAddresses(read.rows as AddressImportRow[], context) }
        : { kind: 'subnets' as const, ...planSubnets(read.rows as SubnetImportRow[], context) };
    const errors = [...read.errors, ...plan.errors];
    const bad = countLines(errors);
    const message = formatRefusal(row, bad);
    const total = plan.create.length + plan.update.length;
    const outcome: Outcome = {
      status: message === null ? 'ok' : 'failed',
      message,
      rows_bad: bad,
      created: plan.create.length,
      updated: plan.update.length,
      unchanged: plan.unchanged,
      errors,
      changes: [...plan.changes].sort(byLine),
      plan_hash: hashPlan(plan.changes, errors),
    };
    const nothing = { created: 0, updated: 0, changes: [], plan_hash: null };
    if (message !== null) return finish(tx, session, read, { ...outcome, ...nothing });
    const otherwise = await findPreviewDifference(tx, row, outcome);
    if (otherwise) return finish(tx, session, read, { ...outcome, ...nothing, ...otherwise });
    if (row.dry_run) return finish(tx, session, read, outcome);

    await saveProgress(session, { stage: 'writing', progress_done: 0, progress_total: total });
    let written = 0;
    const inBatches = async <T>(rows: readonly T[], store: (batch: readonly T[]) => Promise<void>) => {
      for (let at = 0; at < rows.length; at += BATCH_ROWS) {
        lease.signal.throwIfAborted();
        await onBatch?.(written);
        const batch = rows.slice(at, at + BATCH_ROWS);
        await store(batch);
        written += batch.length;
        await saveProgress(session, { progress_done: written });
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
    await finish(tx, session, read, outcome);
  });
}

/**
 * Imports a waiting CSV file; without one it does nothing. Everything is checked before anything is written, and all
 * is written in one transaction together with the report: a worker that dies halfway leaves nothing behind, and the
 * next one starts over.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the import for another worker
 */
export async function runImport(importId: string, { signal, onBatch }: Options): Promise<void> {
  const row = await importLeases.claim(db, { id: importId }, { stage: 'reading' });
  if (!row) return;
  const progress: Progress = { stage: 'reading', rows_total: null, progress_done: 0, progress_total: null };
  const lease = new RunLease(row, {
    what: 'import',
    ids: { import_id: importId },
    leases: importLeases,
    outer: signal,
    progress: () => progress,
    announce: (tx) => publishEvent(tx, { type: 'ipam_import.changed', import_id: importId }),
  });
  const session = { row, lease, progress };
  await lease.carryOut({
    work: async () => {
      await saveProgress(session, { stage: 'checking' });
      await turn();
      const read = readImportRows(row.kind, row.content);
      await saveProgress(session, { rows_total: read.rowsTotal, progress_total: read.rowsTotal });
      if (read.refused === null) return write(session, read, onBatch);
      const outcome: Outcome = {
        status: 'failed',
        message: read.refused,
        rows_bad: countLines(read.errors.filter(({ line }) => line !== HEADER_LINE)),
        created: 0,
        updated: 0,
        unchanged: 0,
        errors: read.errors,
        changes: [],
        plan_hash: null,
      };
      await db.transaction((tx) => finish(tx, session, read, outcome));
    },
    release: () => importLeases.release(db, row),
    fail: (error) => Promise.reject(error),
  });
}

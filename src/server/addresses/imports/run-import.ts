import { setImmediate as turn } from 'node:timers/promises';
import { type ImportChange, MAX_IMPORT_ERRORS } from '@/domain/ipam/csv-import';
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
import { AppError } from '../../lib/errors';
import { changeAddresses, insertAddresses } from '../queries/discovery';
import { findPreview, type ImportRow, importLeases } from '../queries/imports';
import { rehomeAddresses } from '../queries/ipam-space';
import { hashPlan, listPreviewDifferences } from './import-changes';
import { type AddressPlan, loadImportContext, planAddresses } from './plan-addresses';
import { planSubnets, type SubnetPlan } from './plan-subnets';

type Progress = Pick<ImportRow, 'stage' | 'rows_total' | 'progress_done' | 'progress_total'>;
type Claimed = ImportRow & Lease;
/** One worker's work on one import: what it holds, and how far it is. */
type Session = { row: Claimed; lease: RunLease<Progress>; progress: Progress };

/** What rows become, however they were read. */
export type ImportPlan = {
  clusters: readonly { id: string }[];
  subnets: Pick<SubnetPlan, 'create' | 'update'>;
  addresses: Pick<AddressPlan, 'create' | 'update'>;
  unchanged: number;
  errors: RowError[];
  /** Said besides; they are no rows that cannot be imported. */
  notices?: RowError[];
  /** What is written. */
  changes: ImportChange[];
  /** What a preview lists, if that is more than what is written. */
  listed?: ImportChange[];
  /** What else is written, in the same transaction. */
  writeMore?: (tx: Tx) => Promise<void>;
};

/** Rows that were read, and what becomes of them. */
export type ImportReading = {
  rowsTotal: number;
  plan: (tx: Tx) => Promise<ImportPlan>;
};

/** Reads what an import is about from elsewhere than a file. */
export type ImportReader = (
  row: ImportRow,
  given: { signal: AbortSignal; onRead: (count: number) => void },
) => Promise<ImportReading>;

type Options = {
  signal: AbortSignal;
  /** Reads imports of the kind `netbox`. */
  readNetbox?: ImportReader;
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
  conflicts: number;
  errors: RowError[];
  changes: ImportChange[];
  plan_hash: string | null;
};
const NOTHING = { created: 0, updated: 0, unchanged: 0, conflicts: 0, changes: [], plan_hash: null };

const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;
const countLines = (errors: readonly RowError[]) => new Set(errors.map(({ line }) => line)).size;

async function saveProgress({ lease, progress }: Session, changes: Partial<Progress>): Promise<void> {
  Object.assign(progress, changes);
  await lease.flush();
}

/** Who requested an import, as its audit records name them. */
export const getRequester = ({ requested_by: id, requested_by_name: name }: ImportRow): Actor =>
  id === null ? { kind: 'system', id, name } : { kind: 'user', id, name };

/** Stores the end of an import with its audit record, in the transaction of what it wrote. */
async function finish(tx: Tx, { row }: Session, rowsTotal: number, outcome: Outcome): Promise<void> {
  const errors = [...outcome.errors].sort(byLine);
  const held = await importLeases.finish(tx, row, {
    status: outcome.status,
    stage: null,
    message: outcome.message,
    rows_total: rowsTotal,
    rows_bad: outcome.rows_bad,
    created: outcome.created,
    updated: outcome.updated,
    unchanged: outcome.unchanged,
    conflicts: outcome.conflicts,
    errors: errors.slice(0, MAX_IMPORT_ERRORS),
    errors_total: errors.length,
    // Nothing is written that its preview does not list.
    changes: outcome.changes,
    changes_total: outcome.changes.length,
    plan_hash: outcome.plan_hash,
    progress_done: rowsTotal,
    progress_total: rowsTotal,
    finished_at: clock.now().toISOString(),
    // The report and the hash stay; the file has done its work.
    content: '',
  });
  // What was written in this transaction goes with it.
  if (!held) throw new LeaseLost('the import was taken over or deleted');
  await publishEvent(tx, { type: 'ipam_import.changed', import_id: row.id });
  await recordAudit(
    tx,
    { actor: getRequester(row), origin: null },
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
        rows_total: rowsTotal,
        rows_bad: outcome.rows_bad,
        created: outcome.created,
        updated: outcome.updated,
        unchanged: outcome.unchanged,
        ...(row.kind === 'netbox' && {
          netbox_source_id: row.netbox_source_id,
          conflicts: outcome.conflicts,
          overwrite: row.overwrite_all ? 'all' : row.overwrite,
        }),
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

/** What the rows of a file become. */
async function planFile(tx: Tx, read: ImportRows): Promise<ImportPlan> {
  const context = await loadImportContext(tx, listClusterNames(read));
  const none = { create: [], update: [] };
  if (read.kind === 'addresses') {
    const { create, update, ...plan } = planAddresses(read.rows as AddressImportRow[], context);
    return {
      clusters: context.clusters,
      subnets: none,
      addresses: { create, update },
      ...plan,
      errors: [...read.errors, ...plan.errors],
    };
  }
  const { create, update, ...plan } = planSubnets(read.rows as SubnetImportRow[], context);
  return {
    clusters: context.clusters,
    subnets: { create, update },
    addresses: none,
    ...plan,
    errors: [...read.errors, ...plan.errors],
  };
}

/** How an import ends that would write something else than its dry run listed; null when it is the same, or there was none. */
async function findPreviewDifference(
  tx: Tx,
  { preview_id }: Claimed,
  outcome: Outcome,
  listed: readonly ImportChange[],
): Promise<Partial<Outcome> | null> {
  const preview = preview_id === null ? null : await findPreview(tx, preview_id);
  if (preview_id === null || preview?.plan_hash === outcome.plan_hash) return null;
  const differing = listPreviewDifferences(preview?.changes ?? [], listed.slice(0, preview?.changes.length));
  return {
    status: 'failed',
    message:
      'The stored data changed since the check, so the import would write something else. Nothing was written. Check the rows again.',
    errors: [...outcome.errors, ...differing],
  };
}

/** Conflicts first: they are what a person has to read. */
const byConflict = (a: ImportChange, b: ImportChange) =>
  Number(a.conflict === undefined) - Number(b.conflict === undefined) || byLine(a, b);

/** Writes a plan in batches. */
async function writePlan(tx: Tx, session: Session, plan: ImportPlan, onBatch: Options['onBatch']): Promise<void> {
  const { lease } = session;
  const { subnets, addresses } = plan;
  const total = subnets.create.length + subnets.update.length + addresses.create.length + addresses.update.length;
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
  await inBatches(subnets.create, (batch) =>
    insertSubnets(
      tx,
      batch.map((item) => ({ ...item, source: 'manual' as const })),
    ),
  );
  await inBatches(subnets.update, (batch) =>
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
  for (const networkId of new Set(subnets.create.map((item) => item.network_id)))
    await rehomeAddresses(tx, networkId, ['0.0.0.0/0', '::/0']);
  await inBatches(addresses.create, (batch) => insertAddresses(tx, batch));
  await inBatches(addresses.update, (batch) =>
    changeAddresses(
      tx,
      batch.map(({ address: _, cluster_id: __, network_id: ___, ...changes }) => changes),
    ),
  );
  await plan.writeMore?.(tx);
  if (plan.changes.length > 0)
    for (const { id } of plan.clusters) await publishEvent(tx, { type: 'ipam.changed', cluster_id: id });
}

/** Checks the rows against what is stored and writes them: all of it in one transaction. */
async function write(session: Session, { rowsTotal, plan: planRows }: ImportReading, onBatch: Options['onBatch']) {
  const { row } = session;
  await db.transaction(async (tx) => {
    const plan = await planRows(tx);
    const bad = countLines(plan.errors);
    const message = formatRefusal(row, bad);
    const listed = [...(plan.listed ?? plan.changes)].sort(byConflict);
    const shown = row.dry_run ? listed : [...plan.changes].sort(byLine);
    const count = (action: ImportChange['action']) =>
      shown.filter((one) => one.action === action && one.conflict === undefined).length;
    const outcome: Outcome = {
      status: message === null ? 'ok' : 'failed',
      message,
      rows_bad: bad,
      created: count('create'),
      updated: count('update'),
      unchanged: plan.unchanged,
      conflicts: listed.filter((one) => one.conflict !== undefined).length,
      errors: [...plan.errors, ...(plan.notices ?? [])],
      changes: shown,
      plan_hash: hashPlan(listed, plan.errors),
    };
    const none = { created: 0, updated: 0, changes: [], plan_hash: null };
    if (message !== null) return finish(tx, session, rowsTotal, { ...outcome, ...none });
    const otherwise = await findPreviewDifference(tx, row, outcome, listed);
    if (otherwise) return finish(tx, session, rowsTotal, { ...outcome, ...none, ...otherwise });
    if (!row.dry_run) await writePlan(tx, session, plan, onBatch);
    await finish(tx, session, rowsTotal, outcome);
  });
}

type Read = ImportReading | (Pick<Outcome, 'message' | 'errors'> & { rowsTotal: number });

/** Reads what an import is about, or why it cannot be read. */
async function read({ row, lease, progress }: Session, { readNetbox }: Options): Promise<Read> {
  if (row.kind === 'netbox') {
    if (!readNetbox) throw new Error('expected a reader of NetBox');
    const onRead = (count: number) => {
      progress.progress_done += count;
      lease.touch();
    };
    try {
      return await readNetbox(row, { signal: lease.signal, onRead });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      lease.log.warn({ err: error }, 'cannot read NetBox');
      return { message: error.message, errors: [], rowsTotal: 0 };
    }
  }
  const rows = readImportRows(row.kind, row.content);
  if (rows.refused !== null) return { message: rows.refused, errors: rows.errors, rowsTotal: rows.rowsTotal };
  return { rowsTotal: rows.rowsTotal, plan: (tx) => planFile(tx, rows) };
}

/**
 * Imports a waiting file or NetBox; without one it does nothing. Everything is checked before anything is written, and all
 * is written in one transaction together with the report: a worker that dies halfway leaves nothing behind, and the
 * next one starts over.
 * @throws the reason of `signal` when it aborts, and database errors: both leave the import for another worker
 */
export async function runImport(importId: string, options: Options): Promise<void> {
  const row = await importLeases.claim(db, { id: importId }, { stage: 'reading' });
  if (!row) return;
  const progress: Progress = { stage: 'reading', rows_total: null, progress_done: 0, progress_total: null };
  const lease = new RunLease(row, {
    what: 'import',
    ids: { import_id: importId },
    leases: importLeases,
    outer: options.signal,
    progress: () => progress,
    announce: (tx) => publishEvent(tx, { type: 'ipam_import.changed', import_id: importId }),
  });
  const session = { row, lease, progress };
  await lease.carryOut({
    work: async () => {
      const isFile = row.kind !== 'netbox';
      await saveProgress(session, { stage: isFile ? 'checking' : 'reading' });
      await turn();
      const found = await read(session, options);
      const { rowsTotal } = found;
      await saveProgress(session, {
        stage: 'checking',
        rows_total: rowsTotal,
        progress_done: 0,
        progress_total: rowsTotal,
      });
      const failWith = ({ message, errors }: Pick<Outcome, 'message' | 'errors'>) => {
        const rows_bad = countLines(errors.filter(({ line }) => line !== HEADER_LINE));
        const outcome: Outcome = { ...NOTHING, status: 'failed', message, rows_bad, errors };
        return db.transaction((tx) => finish(tx, session, rowsTotal, outcome));
      };
      if (!('plan' in found)) return failWith(found);
      try {
        await write(session, found, options.onBatch);
      } catch (error) {
        // What a rule refuses is an outcome: the transaction was rolled back.
        if (!(error instanceof AppError)) throw error;
        await failWith({ message: `Nothing was written. ${error.message}`, errors: [] });
      }
    },
    release: () => importLeases.release(db, row),
    fail: (error) => Promise.reject(error),
  });
}

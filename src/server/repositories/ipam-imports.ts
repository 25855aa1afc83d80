import { and, eq, inArray, lt, or, sql } from 'drizzle-orm';
import type { ImportListInput, IpamImport, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../db/client';
import { ipamImports } from '../db/schema/ipam';
import { pageOfRows } from './page-of-rows';

export type ImportRow = typeof ipamImports.$inferSelect;
/** A worker's hold on an import. */
export type ImportLease = { id: string; lease_owner: string };

/** An import without a sign of life for this long has lost its worker. */
const LEASE_SECONDS = 30;
export const MAX_IMPORT_ATTEMPTS = 3;

const columns = {
  id: ipamImports.id,
  kind: ipamImports.kind,
  mode: ipamImports.mode,
  dry_run: ipamImports.dry_run,
  file_name: ipamImports.file_name,
  status: ipamImports.status,
  stage: ipamImports.stage,
  progress_done: ipamImports.progress_done,
  progress_total: ipamImports.progress_total,
  rows_total: ipamImports.rows_total,
  rows_bad: ipamImports.rows_bad,
  created: ipamImports.created,
  updated: ipamImports.updated,
  unchanged: ipamImports.unchanged,
  errors_total: ipamImports.errors_total,
  message: ipamImports.message,
  requested_by_name: ipamImports.requested_by_name,
  created_at: ipamImports.created_at,
  started_at: ipamImports.started_at,
  finished_at: ipamImports.finished_at,
};

export async function insertImport(tx: Tx, row: typeof ipamImports.$inferInsert): Promise<void> {
  await tx.insert(ipamImports).values(row);
}

/** Imports page by page, newest first. Two queries. */
export async function listImports(input: ImportListInput): Promise<Page<IpamImport>> {
  const conditions = [
    input.kind === undefined ? undefined : eq(ipamImports.kind, input.kind),
    input.status === undefined ? undefined : eq(ipamImports.status, input.status),
  ];
  return pageOfRows<IpamImport>(
    input,
    { sorts: { created_at: { column: ipamImports.id } }, sort: '-created_at', id: ipamImports.id },
    (paging) => ({
      rows: db
        .select(columns)
        .from(ipamImports)
        .where(and(...conditions, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(ipamImports, and(...conditions)),
    }),
  );
}

export async function findImport(id: string): Promise<IpamImportDetail | null> {
  const [row] = await db
    .select({ ...columns, errors: ipamImports.errors })
    .from(ipamImports)
    .where(eq(ipamImports.id, id));
  return row ?? null;
}

const leaseIsOver = sql`(${ipamImports.lease_at} is null or ${ipamImports.lease_at} < now() - ${`${LEASE_SECONDS} seconds`}::interval)`;
const isFree = or(eq(ipamImports.status, 'queued'), and(eq(ipamImports.status, 'running'), leaseIsOver));

/** Takes a waiting import, or one whose worker fell silent. Null when there is none or a living worker has it. */
export async function claimImport(id: string, owner: string): Promise<(ImportRow & ImportLease) | null> {
  const [row] = await db
    .update(ipamImports)
    .set({
      status: 'running',
      stage: 'reading',
      lease_owner: owner,
      lease_at: sql`now()`,
      attempts: sql`${ipamImports.attempts} + 1`,
      started_at: sql`coalesce(${ipamImports.started_at}, now())`,
    })
    .where(and(eq(ipamImports.id, id), isFree, lt(ipamImports.attempts, MAX_IMPORT_ATTEMPTS)))
    .returning();
  return row ? { ...row, lease_owner: owner } : null;
}

const isHeld = (lease: ImportLease) =>
  and(eq(ipamImports.id, lease.id), eq(ipamImports.lease_owner, lease.lease_owner), eq(ipamImports.status, 'running'));

type Changes = Partial<Omit<ImportRow, 'lease_at' | 'created_at' | 'id' | 'sha256'>>;

/** Stores progress and prolongs the lease. False when it is another's by now. */
export async function noteImport(executor: Executor, lease: ImportLease, changes: Changes): Promise<boolean> {
  const rows = await executor
    .update(ipamImports)
    .set({ ...changes, lease_at: sql`now()` })
    .where(isHeld(lease))
    .returning({ id: ipamImports.id });
  return rows.length > 0;
}

/** Puts an import back into the queue without counting the attempt. */
export async function releaseImport(lease: ImportLease): Promise<void> {
  await db
    .update(ipamImports)
    .set({
      status: 'queued',
      lease_owner: null,
      lease_at: null,
      attempts: sql`greatest(${ipamImports.attempts} - 1, 0)`,
    })
    .where(isHeld(lease));
}

/** Imports that nobody works on: waiting for longer than `seconds`, or without a living worker. */
export async function listOrphanImports(seconds: number): Promise<{ id: string; attempts: number; status: string }[]> {
  return db
    .select({ id: ipamImports.id, attempts: ipamImports.attempts, status: ipamImports.status })
    .from(ipamImports)
    .where(
      or(
        and(
          eq(ipamImports.status, 'queued'),
          sql`${ipamImports.created_at} < now() - ${`${seconds} seconds`}::interval`,
        ),
        and(eq(ipamImports.status, 'running'), leaseIsOver),
      ),
    )
    .orderBy(ipamImports.id);
}

/** Fails an import that lost its worker too often. */
export async function failOrphanImport(tx: Tx, id: string, message: string, at: string): Promise<boolean> {
  const rows = await tx
    .update(ipamImports)
    .set({ status: 'failed', message, finished_at: at, lease_owner: null, content: '' })
    .where(and(eq(ipamImports.id, id), inArray(ipamImports.status, ['queued', 'running']), isFree))
    .returning({ id: ipamImports.id });
  return rows.length > 0;
}

import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import type { RunKind, RunTrigger, SyncRun, SyncRunListInput } from '@/domain/sync';
import { db, type Executor, type Tx } from '../db/client';
import { clusters } from '../db/schema/clusters';
import { syncRuns } from '../db/schema/operations';
import { pageOfRows } from './page-of-rows';

export type SyncRunRow = typeof syncRuns.$inferSelect;

const columns = {
  id: syncRuns.id,
  cluster_id: syncRuns.cluster_id,
  cluster_name: clusters.name,
  kind: syncRuns.kind,
  status: syncRuns.status,
  trigger: syncRuns.trigger,
  requested_by: syncRuns.requested_by,
  stage: syncRuns.stage,
  progress_done: syncRuns.progress_done,
  progress_total: syncRuns.progress_total,
  counters: syncRuns.counters,
  errors: syncRuns.errors,
  attempts: syncRuns.attempts,
  created_at: syncRuns.created_at,
  started_at: syncRuns.started_at,
  finished_at: syncRuns.finished_at,
};

export async function findSyncRun(id: string): Promise<SyncRun | null> {
  const [row] = await db
    .select(columns)
    .from(syncRuns)
    .innerJoin(clusters, eq(clusters.id, syncRuns.cluster_id))
    .where(eq(syncRuns.id, id));
  return row ?? null;
}

/** Runs page by page, newest first unless asked otherwise. Two queries. */
export async function listSyncRuns(input: SyncRunListInput): Promise<Page<SyncRun>> {
  const conditions = [
    input.cluster_id && eq(syncRuns.cluster_id, input.cluster_id),
    input.kind && eq(syncRuns.kind, input.kind),
    input.status && eq(syncRuns.status, input.status),
  ].filter((condition) => condition !== undefined && condition !== '');
  return pageOfRows(
    input,
    { sorts: { created_at: { column: syncRuns.id } }, sort: '-created_at', id: syncRuns.id },
    (paging) => ({
      rows: db
        .select(columns)
        .from(syncRuns)
        .innerJoin(clusters, eq(clusters.id, syncRuns.cluster_id))
        .where(and(...conditions, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(syncRuns, and(...conditions)),
    }),
  );
}

/** Adds a queued run unless the cluster has one of its kind that waits or runs. Null in that case, else its id. */
export async function insertSyncRun(
  tx: Tx,
  run: { cluster_id: string; trigger: RunTrigger; requested_by: string | null; kind?: RunKind },
): Promise<string | null> {
  const [row] = await tx
    .insert(syncRuns)
    .values({ kind: 'inventory', ...run, status: 'queued' })
    .onConflictDoNothing({
      target: [syncRuns.cluster_id, syncRuns.kind],
      where: sql`status in ('queued', 'running')`,
    })
    .returning({ id: syncRuns.id });
  return row?.id ?? null;
}

const isActive = inArray(syncRuns.status, ['queued', 'running']);

/** The run of the cluster that waits or runs, or null. */
export async function findActiveRunId(
  executor: Executor,
  clusterId: string,
  kind: RunKind = 'inventory',
): Promise<string | null> {
  const [row] = await executor
    .select({ id: syncRuns.id })
    .from(syncRuns)
    .where(and(eq(syncRuns.cluster_id, clusterId), eq(syncRuns.kind, kind), isActive));
  return row?.id ?? null;
}

/** A run without a sign of life for this long has lost its worker. */
export const LEASE_SECONDS = 30;
/** A run that lost its worker this often is given up: it may be what kills them. */
export const MAX_ATTEMPTS = 3;
const leaseIsOver = sql`(${syncRuns.lease_at} is null or ${syncRuns.lease_at} < now() - ${`${LEASE_SECONDS} seconds`}::interval)`;
const isFree = sql`(${syncRuns.status} = 'queued' or (${syncRuns.status} = 'running' and ${leaseIsOver}))`;

/**
 * Takes the cluster's waiting run, or one whose worker fell silent, for `owner`. Null when there is none or when a
 * living worker has it.
 */
export async function claimRun(
  tx: Tx,
  clusterId: string,
  owner: string,
  kind: RunKind = 'inventory',
): Promise<SyncRunRow | null> {
  const [row] = await tx
    .update(syncRuns)
    .set({
      status: 'running',
      lease_owner: owner,
      lease_at: sql`now()`,
      attempts: sql`${syncRuns.attempts} + 1`,
      started_at: sql`coalesce(${syncRuns.started_at}, now())`,
    })
    .where(
      and(eq(syncRuns.cluster_id, clusterId), eq(syncRuns.kind, kind), isFree, lt(syncRuns.attempts, MAX_ATTEMPTS)),
    )
    .returning();
  return row ?? null;
}

type Lease = { id: string; lease_owner: string };
const isHeld = (lease: Lease) =>
  and(eq(syncRuns.id, lease.id), eq(syncRuns.lease_owner, lease.lease_owner), eq(syncRuns.status, 'running'));

/** Stores the run's progress and prolongs its lease. False when the lease is another's by now, or the run is gone. */
export async function renewLease(
  executor: Executor,
  lease: Lease,
  progress: Partial<Pick<SyncRunRow, 'stage' | 'progress_done' | 'progress_total' | 'counters' | 'errors'>>,
): Promise<boolean> {
  const rows = await executor
    .update(syncRuns)
    .set({ ...progress, lease_at: sql`now()` })
    .where(isHeld(lease))
    .returning({ id: syncRuns.id });
  return rows.length > 0;
}

/** Whether the lease is still held; nobody can take it before the transaction ends. */
export async function holdLease(tx: Tx, lease: Lease): Promise<boolean> {
  const rows = await tx.select({ id: syncRuns.id }).from(syncRuns).where(isHeld(lease)).for('share');
  return rows.length > 0;
}

/** Puts the run back into the queue without counting the attempt: its worker ends in good order. */
export async function releaseRun(tx: Tx, lease: Lease): Promise<boolean> {
  const rows = await tx
    .update(syncRuns)
    .set({ status: 'queued', lease_owner: null, lease_at: null, attempts: sql`greatest(${syncRuns.attempts} - 1, 0)` })
    .where(isHeld(lease))
    .returning({ id: syncRuns.id });
  return rows.length > 0;
}

type Outcome = Pick<SyncRunRow, 'status' | 'stage' | 'counters' | 'errors' | 'progress_done' | 'progress_total'>;

/** Ends a run. False when it is not this worker's any more. */
export async function finishRun(tx: Tx, lease: Lease, outcome: Outcome, at: string): Promise<boolean> {
  const rows = await tx
    .update(syncRuns)
    .set({ ...outcome, lease_owner: null, finished_at: at })
    .where(isHeld(lease))
    .returning({ id: syncRuns.id });
  return rows.length > 0;
}

/** Active runs that nobody works on: waiting for longer than `seconds`, or without a living worker. */
export async function listOrphanRuns(
  executor: Executor,
  seconds: number,
  kind: RunKind = 'inventory',
): Promise<SyncRunRow[]> {
  return executor
    .select()
    .from(syncRuns)
    .where(
      and(
        eq(syncRuns.kind, kind),
        sql`((${syncRuns.status} = 'queued' and ${syncRuns.created_at} < now() - ${`${seconds} seconds`}::interval)
          or (${syncRuns.status} = 'running' and ${leaseIsOver}))`,
      ),
    )
    .orderBy(syncRuns.id);
}

/** Fails a run that lost its worker too often. False when it has got a living one meanwhile. */
export async function failOrphanRun(
  tx: Tx,
  run: SyncRunRow,
  errors: SyncRunRow['errors'],
  at: string,
): Promise<boolean> {
  const rows = await tx
    .update(syncRuns)
    .set({ status: 'failed', errors, lease_owner: null, finished_at: at })
    .where(and(eq(syncRuns.id, run.id), isFree))
    .returning({ id: syncRuns.id });
  return rows.length > 0;
}

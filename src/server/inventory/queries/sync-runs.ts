import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import type { RunKind, RunTrigger, SyncRun, SyncRunListInput } from '@/domain/sync';
import { db, type Executor, type Tx } from '../../db/client';
import { pageOfRows } from '../../db/page-of-rows';
import { clusters } from '../../db/schema/clusters';
import { syncRuns } from '../../db/schema/operations';
import { runLeases } from '../../jobs/queries/run-leases';

export type SyncRunRow = typeof syncRuns.$inferSelect;

/** Leases of syncs and discoveries. */
export const syncLeases = runLeases(syncRuns);

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

import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import { type RunKind, type RunTrigger, SyncRun, type SyncRunListInput } from '@/domain/sync';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { clusters } from '../../db/schema/clusters';
import { syncRuns } from '../../db/schema/operations';
import { runLeases } from '../../jobs/queries/run-leases';

export type SyncRunRow = typeof syncRuns.$inferSelect;

/** Leases of syncs and discoveries. */
export const syncLeases = runLeases(syncRuns);

const columns = selectColumns(SyncRun, syncRuns, { cluster_name: clusters.name });

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
  // Nothing of a run is searched by text.
  const conditions = buildConditions(input, syncRuns, { q: () => undefined });
  return queryPage(
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

import { db, type Tx } from '../../db/client';
import type { StageCounters } from '../../db/schema/operations';
import { batches } from '../../db/update-rows';
import { publishEvent } from '../../events/event-hub';
import {
  deleteWorkloads,
  insertWorkloads,
  listWorkloadsForSync,
  type SyncedWorkload,
  updateWorkloads,
} from '../../inventory/queries/sync-guests';
import { type GuestPlan, planGuests, type WorkloadState } from '../../inventory/reconcile/guests';
import type { PresentNode } from '../../inventory/reconcile/nodes';
import type { RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { type Absences, recordRemoved, settleAbsences } from './absences';
import { insertWithBisect, UNSTORABLE } from './store-configs';

const listIds = (rows: readonly { id: string }[]) => rows.map((row) => row.id);

/** Carries out the plan and what became of the absent ones, in transactions of at most one batch of rows each. */
export async function storeGuests(
  session: RunSession,
  plan: GuestPlan<SyncedWorkload>,
  absences: Absences,
  now: Date,
): Promise<void> {
  const { report, clusterId } = session;
  const inBatches = async <T>(
    rows: readonly T[],
    objectOf: (row: T) => string,
    counters: readonly (keyof StageCounters)[],
    work: (tx: Tx, batch: readonly T[]) => Promise<void>,
  ) => {
    const store = async (part: readonly T[]) => {
      await session.write(async (tx) => {
        await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
        await work(tx, part);
      });
      for (const counter of counters) report.count({ [counter]: part.length });
    };
    for (const batch of batches(rows)) {
      await insertWithBisect(batch, store, (row) => report.error({ ...UNSTORABLE, object: objectOf(row) }));
      report.step(batch.length);
    }
  };
  const insert = (tx: Tx, rows: readonly WorkloadState[]) =>
    insertWorkloads(
      tx,
      rows.map((row) => ({ ...row, cluster_id: clusterId })),
    );
  const getName = (row: { external_id: string }) => row.external_id;

  // What goes comes first: a number that is taken over must be free.
  await inBatches(absences.remove, getName, ['removed'], async (tx, rows) => {
    await deleteWorkloads(tx, listIds(rows));
    await recordRemoved(tx, clusterId, rows, 'The cluster reports that the workload no longer exists.');
  });
  const replaceName = (row: { next: WorkloadState }) => row.next.external_id;
  await inBatches(plan.replace, replaceName, ['removed', 'created'], async (tx, rows) => {
    const gone = rows.map((row) => row.gone);
    await deleteWorkloads(tx, listIds(gone));
    await insert(
      tx,
      rows.map((row) => row.next),
    );
    await recordRemoved(tx, clusterId, gone, 'Another workload uses its VMID.');
  });
  await inBatches(plan.create, getName, ['created'], insert);
  await inBatches(plan.change, getName, ['changed'], updateWorkloads);
  const marks = [
    ...absences.mark.map((row) => ({ ...row, missing_since: now.toISOString() })),
    ...absences.clear.map((row) => ({ ...row, missing_since: null })),
  ];
  await inBatches(marks, getName, ['changed'], (tx, rows) =>
    updateWorkloads(
      tx,
      // Whether a guest runs that is not listed is unknown, whatever it did before.
      rows.map(({ id, missing_since }) => ({ id, missing_since, status: 'unknown' as const })),
    ),
  );
}

/** Brings the workloads up to date with the cluster's list of guests. */
export async function syncGuests(session: RunSession, nodes: readonly PresentNode[]): Promise<void> {
  const { report, provider, clusterId } = session;
  report.begin('guests');
  const listing = await provider.inventory.listGuests();
  const now = clock.now();
  const present = await listWorkloadsForSync(db, clusterId);
  const nodeIds = new Map(nodes.map((node) => [node.name, node.id]));
  const plan = planGuests(listing, present, nodeIds, now);
  const absences = await settleAbsences(session, plan.absent, present.length, nodes);
  report.count({ seen: listing.items.length, skipped: absences.kept });
  report.begin('guests', plan.create.length + plan.change.length + plan.replace.length);
  await storeGuests(session, plan, absences, now);
  if (listing.incompleteReason !== null) {
    report.error({
      code: 'incomplete',
      message: `The list of workloads is incomplete: ${listing.incompleteReason}.`,
      remedy: 'Grant the token the role PVEAuditor on /.',
    });
  }
}

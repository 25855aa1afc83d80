import { db, type Tx } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { clock } from '../../../lib/clock';
import type { Presence } from '../../../providers/hypervisor/types';
import {
  deleteWorkloads,
  insertWorkloads,
  listWorkloadsForSync,
  type SyncedWorkload,
  updateWorkloads,
} from '../../../repositories/sync-workloads';
import { batches } from '../../../repositories/update-rows';
import { judgeAbsence, planAbsence } from '../reconcile/absence';
import { planGuests } from '../reconcile/guests';
import type { PresentNode } from '../reconcile/nodes';
import { concurrently } from './concurrently';
import { describeFailure, isLocal } from './describe-failure';
import { recordRemoved } from './record-removed';
import type { RunSession } from './run-session';

/** Direct reads at once; the provider limits them further. */
const ASK_AT_ONCE = 4;

type Absences = { remove: SyncedWorkload[]; mark: SyncedWorkload[]; clear: SyncedWorkload[]; kept: number };

/** Asks for each guest that is not listed whether it is really gone. */
async function settleAbsences(
  session: RunSession,
  absent: readonly SyncedWorkload[],
  knownCount: number,
  nodes: readonly PresentNode[],
): Promise<Absences> {
  const { report, provider } = session;
  const plan = planAbsence(absent, knownCount, clock.now());
  const out: Absences = { remove: [], mark: [], clear: [], kept: 0 };
  if (plan.mass) {
    report.error({
      code: 'mass_absence',
      message: `${absent.length} of ${knownCount} guests are not listed any more. They are marked missing, not removed.`,
      remedy:
        'Check the address and the privileges of the token. Guests that were really deleted are removed a day after they went missing.',
    });
  }
  const settle = (workload: SyncedWorkload, presence: Presence) => {
    const verdict = judgeAbsence(presence, workload);
    if (verdict === 'keep') out.kept += 1;
    else out[verdict].push(workload);
  };
  for (const workload of plan.hold) settle(workload, 'unknown');
  const nodeNames = new Map(nodes.map((node) => [node.id, node.name]));
  const anyNode = nodes.find((node) => node.status === 'online')?.name;
  await concurrently(plan.ask, ASK_AT_ONCE, session.signal, async (workload) => {
    const node = nodeNames.get(workload.node_id ?? '') ?? anyNode;
    if (node === undefined) return settle(workload, 'unknown');
    try {
      settle(workload, await provider.inventory.guestPresence({ node, kind: workload.kind, vmid: workload.vmid }));
    } catch (error) {
      if (!isLocal(error)) throw error;
      report.error({ ...describeFailure(error), object: workload.external_id });
      settle(workload, 'unknown');
    }
  });
  return out;
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

  const inBatches = async <T>(rows: readonly T[], work: (tx: Tx, batch: T[]) => Promise<void>) => {
    for (const batch of batches(rows)) {
      await session.write(async (tx) => {
        await work(tx, batch);
        await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
      });
      report.step(batch.length);
    }
  };
  const insert = (tx: Tx, rows: typeof plan.create) =>
    insertWorkloads(
      tx,
      rows.map((row) => ({ ...row, cluster_id: clusterId })),
    );

  await inBatches(absences.remove, async (tx, rows) => {
    await deleteWorkloads(
      tx,
      rows.map((row) => row.id),
    );
    await recordRemoved(tx, clusterId, rows, 'The cluster says that it does not exist any more.');
    report.count({ removed: rows.length });
  });
  await inBatches(plan.replace, async (tx, rows) => {
    const gone = rows.map((row) => row.gone);
    await deleteWorkloads(
      tx,
      gone.map((row) => row.id),
    );
    await insert(
      tx,
      rows.map((row) => row.next),
    );
    await recordRemoved(tx, clusterId, gone, 'Another guest has taken its vmid.');
    report.count({ removed: rows.length, created: rows.length });
  });
  await inBatches(plan.create, async (tx, rows) => {
    await insert(tx, rows);
    report.count({ created: rows.length });
  });
  await inBatches(plan.change, async (tx, rows) => {
    await updateWorkloads(tx, rows);
    report.count({ changed: rows.length });
  });
  const marks = [
    ...absences.mark.map(({ id }) => ({
      id,
      missing_since: now.toISOString() as string | null,
      status: 'unknown' as const,
    })),
    ...absences.clear.map(({ id }) => ({ id, missing_since: null, status: 'unknown' as const })),
  ];
  await inBatches(marks, async (tx, rows) => {
    await updateWorkloads(tx, rows);
    report.count({ changed: rows.length });
  });
  if (listing.incompleteReason !== null) {
    report.error({
      code: 'incomplete',
      message: `The list of guests is not complete: ${listing.incompleteReason}.`,
      remedy: 'Give the token the role PVEAuditor on /.',
    });
  }
}

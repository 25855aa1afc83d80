import { db } from '../../db/client';
import { listWorkloadsForSync } from '../../inventory/queries/sync-workloads';
import { planGuests } from '../../inventory/reconcile/guests';
import type { PresentNode } from '../../inventory/reconcile/nodes';
import type { RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { settleAbsences } from './settle-absences';
import { storeGuests } from './store-guests';

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
      message: `The list of guests is not complete: ${listing.incompleteReason}.`,
      remedy: 'Give the token the role PVEAuditor on /.',
    });
  }
}

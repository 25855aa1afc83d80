import { db } from '../../db/client';
import { listWorkloadsForSync, type SyncedWorkload } from '../../inventory/queries/sync-guests';
import { listNetworksForSync } from '../../inventory/queries/sync-networks';
import { isConfigDue } from '../../inventory/reconcile/guests';
import type { PresentNode } from '../../inventory/reconcile/nodes';
import type { RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { ConfigStore, readConfigs } from './read-configs';

/**
 * Reads the configs that are due (all of them with `force`) and stores their interfaces. What cannot be read stays
 * unchanged and is due again at the next sync.
 */
export async function syncInterfaces(
  session: RunSession,
  nodes: readonly PresentNode[],
  force: boolean,
): Promise<void> {
  const { report, clusterId, signal } = session;
  report.begin('interfaces');
  const now = clock.now();
  const reachable = new Map(nodes.filter((node) => node.status !== 'offline').map((node) => [node.id, node.name]));
  const guestsOf = new Map<string, SyncedWorkload[]>();
  let due = 0;
  for (const workload of await listWorkloadsForSync(db, clusterId)) {
    if (workload.missing_since !== null || !isConfigDue(workload, force, now)) continue;
    const node = reachable.get(workload.node_id ?? '');
    if (node === undefined) {
      report.count({ skipped: 1 });
      continue;
    }
    due += 1;
    const guests = guestsOf.get(node);
    if (guests) guests.push(workload);
    else guestsOf.set(node, [workload]);
  }
  report.begin('interfaces', due);
  const networks = new Map((await listNetworksForSync(db, clusterId)).map((row) => [row.name, row.id]));
  const store = new ConfigStore(session, networks, now);
  try {
    await readConfigs(session, guestsOf, (read) => store.add(read));
  } finally {
    // What was read before a failure is true nevertheless.
    if (!signal.aborted) await store.flush();
  }
}

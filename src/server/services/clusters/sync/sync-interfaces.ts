import { db } from '../../../db/client';
import { publishEvent } from '../../../events/publish-event';
import { clock } from '../../../lib/clock';
import type { GuestConfig } from '../../../providers/hypervisor/types';
import { listNetworksForSync } from '../../../repositories/sync-networks';
import { listWorkloadsForSync, type SyncedWorkload } from '../../../repositories/sync-workloads';
import { configDue } from '../reconcile/config-due';
import type { PresentNode } from '../reconcile/nodes';
import { describeFailure, isLocal } from './describe-failure';
import type { RunSession } from './run-session';
import { storeConfigs } from './store-configs';

/** Configs read at once per node; the provider limits what goes to one node further. */
const PER_NODE = 4;
/** Configs stored in one transaction. */
const STORE_ROWS = 200;
/** After this many failures in a row a node is left alone until the next sync. */
const NODE_FAILURES = 3;

/** The node's own fault, or that of the way to it: the next guest there would meet it as well. */
const NODE_FAULTS = new Set(['node_unreachable', 'timeout', 'circuit_open']);

type Read = { workload: SyncedWorkload; config: GuestConfig };

/**
 * Reads the configs that are due, node by node side by side, and stores their network cards. What cannot be read stays
 * as it is and is due again at the next sync.
 */
export async function syncInterfaces(
  session: RunSession,
  nodes: readonly PresentNode[],
  force: boolean,
): Promise<void> {
  const { report, provider, clusterId, signal } = session;
  report.begin('interfaces');
  const now = clock.now();
  const reachable = new Map(nodes.filter((node) => node.status !== 'offline').map((node) => [node.id, node.name]));
  const workloads = (await listWorkloadsForSync(db, clusterId)).filter((row) => row.missing_since === null);
  const due = workloads.filter((row) => configDue(row, force, now));
  const queues = new Map<string, SyncedWorkload[]>();
  for (const workload of due) {
    const node = reachable.get(workload.node_id ?? '');
    if (node !== undefined) queues.set(node, [...(queues.get(node) ?? []), workload]);
    else report.count({ skipped: 1 });
  }
  report.begin(
    'interfaces',
    [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  );
  const networks = new Map((await listNetworksForSync(db, clusterId)).map((row) => [row.name, row.id]));

  let waiting: Read[] = [];
  let storing: Promise<void> = Promise.resolve();
  const store = () => {
    const batch = waiting;
    waiting = [];
    storing = storing.then(async () => {
      const counts = await session.write(async (tx) => {
        const result = await storeConfigs(tx, clusterId, batch, networks, now);
        if (result.wrote) await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
        return result;
      });
      report.count(counts.counters);
      for (const error of counts.errors) report.error(error);
    });
    // Whoever filled the batch waits for it; until then nobody has heard of its failure.
    storing.catch(() => undefined);
    return storing;
  };

  const readNode = async (node: string, queue: readonly SyncedWorkload[]) => {
    const rest = queue.values();
    let failures = 0;
    const reader = async () => {
      for (const workload of rest) {
        signal.throwIfAborted();
        if (failures >= NODE_FAILURES) {
          report.count({ skipped: 1 });
          report.step();
          continue;
        }
        try {
          const config = await provider.inventory.readGuestConfig({ node, kind: workload.kind, vmid: workload.vmid });
          failures = 0;
          waiting.push({ workload, config });
          report.count({ seen: config.nics.length + config.unreadable.length });
        } catch (error) {
          if (!isLocal(error)) throw error;
          const ofNode = NODE_FAULTS.has(error.code);
          failures = ofNode ? failures + 1 : 0;
          report.count({ skipped: 1 });
          // A guest that vanished between two calls is no error: the next list tells.
          if (error.code !== 'not_found' && (!ofNode || failures === 1))
            report.error({ ...describeFailure(error), object: ofNode ? node : workload.external_id });
        }
        report.step();
        if (waiting.length >= STORE_ROWS) await store();
      }
    };
    await settled(Array.from({ length: Math.min(PER_NODE, queue.length) }, reader));
  };
  try {
    await settled([...queues].map(([node, queue]) => readNode(node, queue)));
  } finally {
    // What was read before a failure is true nevertheless.
    if (waiting.length > 0 && !signal.aborted) void store();
    await storing;
  }
}

/** Waits for all, then passes on the first error: nothing goes on behind the back of a run that was given up. */
async function settled(work: Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) if (end.status === 'rejected') throw end.reason;
}

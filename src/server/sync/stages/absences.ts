import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import type { Tx } from '../../db/client';
import type { SyncedWorkload } from '../../inventory/queries/sync-guests';
import { classifyAbsence, planAbsence } from '../../inventory/reconcile/classify-absence';
import type { PresentNode } from '../../inventory/reconcile/nodes';
import { describeFailure, isLocal, type RunSession } from '../../inventory/run-session';
import { clock } from '../../lib/clock';
import { forEachConcurrent } from '../../lib/for-each-concurrent';
import type { Presence } from '../../providers/hypervisor/types';

/** Concurrent direct reads; the provider limits them further. */
const ASK_AT_ONCE = 4;

export type Absences = { remove: SyncedWorkload[]; mark: SyncedWorkload[]; clear: SyncedWorkload[]; kept: number };

/** Asks for each guest that is not listed whether it is really gone, and sorts them by what follows. */
export async function settleAbsences(
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
      message: `${absent.length} of ${knownCount} workloads are no longer listed. They are marked missing, not removed.`,
      remedy:
        'Check the address and the privileges of the token. Workloads that were really deleted are removed a day after they went missing.',
    });
  }
  const settle = (workload: SyncedWorkload, presence: Presence) => {
    const verdict = classifyAbsence(presence, workload);
    if (verdict === 'keep') out.kept += 1;
    else out[verdict].push(workload);
  };
  for (const workload of plan.hold) settle(workload, 'unknown');
  const nodeNames = new Map(nodes.map((node) => [node.id, node.name]));
  const anyNode = nodes.find((node) => node.status === 'online')?.name;
  await forEachConcurrent(plan.ask, ASK_AT_ONCE, session.signal, async (workload) => {
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

const scope = systemScope('cluster:sync', 'cluster sync');

/** Records which workloads a sync removed: one record per tenant, so that each learns of its own. */
export async function recordRemoved(
  tx: Tx,
  clusterId: string,
  removed: readonly SyncedWorkload[],
  reason: string,
): Promise<void> {
  const tenants = new Set(removed.map((workload) => workload.tenant_id));
  for (const tenant_id of tenants) {
    await recordAudit(tx, scope, {
      action: 'workload.removed',
      object_kind: 'cluster',
      object_id: clusterId,
      tenant_id,
      before: {
        workloads: removed
          .filter((workload) => workload.tenant_id === tenant_id)
          .map(({ id, external_id, name }) => ({ id, external_id, name })),
      },
      after: { reason },
    });
  }
}

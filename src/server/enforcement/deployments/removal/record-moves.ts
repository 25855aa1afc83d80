import { recordAudit } from '../../../audit/record';
import type { Scope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { batches } from '../../../db/update-rows';
import { publishEvent } from '../../../events/event-hub';
import { flowStore } from '../../../traffic/storage/flow-store';
import { settleMoves } from './settle';

/** A workload that got another project than it had. */
export type Move = {
  id: string;
  name: string;
  cluster_id: string;
  project_id: string | null;
  tenant_id: string | null;
};

type Target = { id: string; name: string; tenant_id: string } | null;

/** Workloads that one audit record names: a record is read as a whole. */
const PER_RECORD = 500;

/**
 * Everything that follows from assigning workloads to the target, or to no project: rules that policies of their
 * former tenants and projects left there are removed or kept, and pages and the audit trail are updated. Each tenant
 * that gains or loses workloads has its own record, which does not show another tenant's project.
 * @param isApproved a change moves them, whose approvals were counted when it was applied
 * @returns deployments for `startDeployments` after the commit
 */
export async function recordMoves(
  tx: Tx,
  scope: Pick<Scope, 'actor' | 'origin'>,
  action: 'workload.assigned' | 'workload.mapped',
  target: Target,
  moves: readonly Move[],
  isApproved = false,
): Promise<string[]> {
  for (const cluster_id of new Set(moves.map((move) => move.cluster_id))) {
    await publishEvent(tx, { type: 'inventory.changed', cluster_id });
  }
  const to = target?.tenant_id ?? null;
  // In the order of the locks: flows before the audit trail.
  await flowStore().endFlows(
    tx,
    moves.filter(({ tenant_id }) => tenant_id !== null && tenant_id !== to).map(({ id }) => id),
  );
  const tenants = new Set([to, ...moves.map(({ tenant_id }) => tenant_id)]);
  for (const tenant_id of tenants) {
    const concerned = tenant_id === to ? moves : moves.filter((move) => move.tenant_id === tenant_id);
    const visible = (of: string | null, id: string | null) => (of === tenant_id || tenant_id === null ? id : null);
    for (const batch of batches(concerned, PER_RECORD)) {
      await recordAudit(tx, scope, {
        action,
        object_kind: 'project',
        object_id: visible(to, target?.id ?? null),
        object_name: visible(to, target?.name ?? null),
        tenant_id,
        before: {
          workloads: batch.map(({ id, name, project_id, tenant_id: of }) => ({
            id,
            name,
            project_id: visible(of, project_id),
          })),
        },
        after: { project_id: visible(to, target?.id ?? null) },
      });
    }
  }
  const project_id = target?.id ?? null;
  const elsewhere = moves.filter((move) => move.project_id !== project_id);
  return settleMoves(
    tx,
    scope,
    elsewhere.map(({ id }) => ({ workload_id: id, tenant_id: to, project_id })),
    { by: action === 'workload.assigned' ? 'hand' : 'rule', isApproved },
  );
}

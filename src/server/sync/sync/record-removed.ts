import { recordAudit } from '../../audit/record';
import { systemScope } from '../../auth/scope';
import type { Tx } from '../../db/client';
import type { SyncedWorkload } from '../../inventory/queries/sync-workloads';

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

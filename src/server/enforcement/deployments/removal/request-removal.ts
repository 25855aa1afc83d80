import type { Tx } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import { newId } from '../../../lib/ids';
import { insertDeploymentGuests } from '../../queries/deployment-guests';
import { insertDeployment } from '../../queries/deployments';
import type { LeftBehind } from '../../queries/residual-rules';
import { deploymentChanged } from '../deployment-changed';

/**
 * Notes inside the caller's transaction that what policies left on these workloads is to be removed, and nothing else is
 * written there. The deployments are the system's: neither tenant sees them, since each would read the other's state.
 * @returns their ids, for `startDeployments` after the commit
 */
export async function requestRemovalIn(tx: Tx, left: readonly Omit<LeftBehind, 'on_move'>[]): Promise<string[]> {
  const operation_id = newId();
  const ids: string[] = [];
  for (const rows of groupBy(left, ({ policy_id, cluster_id }) => `${policy_id} ${cluster_id}`).values()) {
    const [first] = rows;
    if (!first) continue;
    const { policy_id, policy_name, cluster_id } = first;
    const id = await insertDeployment(tx, {
      operation_id,
      policy_id,
      policy_name,
      policy_version: Math.max(...rows.map(({ policy_version }) => policy_version)),
      tenant_id: null,
      project_id: null,
      cluster_id,
      kind: 'removal',
      trigger: 'moved',
      requested_by: null,
    });
    await insertDeploymentGuests(
      tx,
      rows.map(({ workload_id, vmid, workload_name }) => ({
        deployment_id: id,
        workload_id,
        vmid,
        name: workload_name,
      })),
    );
    await deploymentChanged(tx, { id, policy_id, tenant_id: null, project_id: null });
    ids.push(id);
  }
  return ids;
}

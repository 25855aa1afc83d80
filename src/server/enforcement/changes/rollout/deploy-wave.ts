import type { RolloutPolicy, StoredRollout } from '@/domain/change/rollout';
import type { DeploymentProblem } from '@/domain/deployments';
import { toOwner } from '@/domain/permissions';
import { listExistingUsers } from '../../../access/queries/users';
import type { Tx } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import { newId } from '../../../lib/ids';
import { publishDeploymentChange } from '../../deployments/outcome';
import type { ChangeDeployment, ChangeGuest } from '../../queries/change-rollouts';
import { insertDeployment } from '../../queries/deployments';
import { findPolicyState } from '../../queries/policy-placements';
import { findLastVersion } from '../../queries/policy-versions';

type Owner = { tenant_id: string | null; project_id: string | null };
type Planned = Owner &
  Pick<RolloutPolicy, 'policy_id' | 'name' | 'workload_ids' | 'fingerprints'> & {
    readonly kind: RolloutPolicy['kind'] | 'log_removal';
  };

const selectKeys = (record: Readonly<Record<string, string>>, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(record).filter(([key]) => keys.includes(key)));

/**
 * Adds the deployments of a wave: one for each policy and cluster, limited to the workloads of the wave.
 * @param wave 0: log levels of a confirmed change are removed
 * @param clusterIds the clusters of workloads that still exist
 * @returns their ids, for `startDeployments` after the commit
 */
export async function insertWave(
  tx: Tx,
  { id: change_id, rollout }: { id: string; rollout: StoredRollout },
  wave: number,
  planned: readonly Planned[],
  clusterIds: ReadonlyMap<string, string>,
): Promise<string[]> {
  const operation_id = newId();
  // The change outlives the user who applied it.
  const [requested_by = null] = await listExistingUsers(tx, rollout.requested_by ? [rollout.requested_by] : []);
  const ids: string[] = [];
  for (const { policy_id, name, kind, workload_ids, fingerprints, ...former } of planned) {
    const policy = await findPolicyState(tx, policy_id);
    const owner = toOwner(policy ?? former);
    const byCluster = groupBy(
      workload_ids.filter((id) => clusterIds.has(id)),
      (id) => clusterIds.get(id) ?? '',
    );
    for (const [cluster_id, list] of [...byCluster].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const id = await insertDeployment(tx, {
        ...{ operation_id, policy_id, ...owner, cluster_id, kind, change_id, wave },
        policy_name: policy?.name ?? name,
        policy_version: policy?.version ?? Math.max(await findLastVersion(tx, policy_id), 1),
        trigger: wave < 0 ? 'rollback' : 'change',
        requested_by,
        workload_ids: list,
        // A rollback writes what no preview showed.
        ...(wave > 0 && fingerprints && { fingerprints: selectKeys(fingerprints, list) }),
      });
      await publishDeploymentChange(tx, { id, policy_id, ...owner });
      ids.push(id);
    }
  }
  return ids;
}

const DONE = ['ok', 'unchanged'];
/** The workload is none of the change's any more: it was deleted, or another owner got it and what the policy left there is removed. */
const GONE = ['guest_missing', 'workload_moved'];

/** Whether nothing is left to do at a workload: it was written, or it is gone. */
const isDone = ({ status, problems }: Pick<ChangeGuest, 'status' | 'problems'>): boolean =>
  DONE.includes(status) || GONE.includes(problems[0]?.code ?? '');

/** A workload at which a deployment of a wave did not succeed, with the reason. */
export type FailedWorkload = {
  readonly policy_id: string;
  readonly workload_id: string;
  readonly name: string | null;
  readonly problem: DeploymentProblem | null;
};

/** The workloads at which ended deployments did not succeed; one that was tried again counts as what became of it last. */
export function listFailed(ended: readonly ChangeDeployment[], guests: readonly ChangeGuest[]): FailedWorkload[] {
  const byDeployment = groupBy(guests, ({ deployment_id }) => deployment_id);
  const failed = new Map<string, FailedWorkload>();
  for (const { id, policy_id, status, problems, workload_ids } of ended) {
    const known = new Map((byDeployment.get(id) ?? []).map((guest) => [guest.workload_id, guest]));
    for (const workload_id of workload_ids ?? []) {
      const guest = known.get(workload_id);
      // Without a result nothing was to be done there, or the deployment ended before it looked.
      const done = guest ? isDone(guest) : status !== 'failed';
      const key = `${policy_id} ${workload_id}`;
      if (done) failed.delete(key);
      else {
        const problem = guest?.problems[0] ?? problems[0] ?? null;
        failed.set(key, { policy_id, workload_id, name: guest ? `${guest.name} (${guest.vmid})` : null, problem });
      }
    }
  }
  return [...failed.values()];
}

/** What failed, in one sentence. */
export function describeFailed(failed: readonly FailedWorkload[]): string {
  const count = new Set(failed.map(({ workload_id }) => workload_id)).size;
  const [first] = failed;
  const who = first?.name ? `${first.name}: ` : '';
  const why = first?.problem ? ` ${who}${first.problem.message}` : '';
  return `${count === 1 ? 'One workload' : `${count} workloads`} failed.${why}`;
}

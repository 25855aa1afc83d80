import type { AppliedCluster, AppliedGuest, ApplyResult, Deployment, DeploymentGuest } from '@/domain/deployments';
import { db } from '../../db/client';
import { listGuestsOf } from '../../repositories/deployment-guests';
import { listDeploymentsByIds } from '../../repositories/deployments';
import type { PolicyState } from '../../repositories/policy-states';
import { compileWorld, type PolicyWorld } from '../policies/world/load-policy-world';

type Unresolved = ApplyResult['unresolved'];

/** Endpoints of the policy that stand for nothing. */
export const unresolvedOf = (world: PolicyWorld, policyId: string): Unresolved =>
  compileWorld(world)
    .unresolved.filter(({ policy_id }) => policy_id === policyId)
    .map(({ side, endpoint, reason }) => ({ side, endpoint, reason }));

const guestOf = ({
  workload_id,
  vmid,
  name,
  status,
  writes,
  changes,
  problems,
  reason,
  dormant,
  difference,
}: DeploymentGuest): AppliedGuest => ({
  workload_id,
  vmid,
  name,
  status,
  writes,
  changes,
  problems,
  reason,
  dormant,
  difference,
});

const clusterOf = (deployment: Deployment, guests: readonly DeploymentGuest[]): AppliedCluster => ({
  cluster_id: deployment.cluster_id,
  cluster_name: deployment.cluster_name,
  deployment_id: deployment.id,
  status: deployment.status,
  problems: deployment.problems,
  guests: guests.filter(({ deployment_id }) => deployment_id === deployment.id).map(guestOf),
});

const IN_FORCE = ['ok', 'unchanged', 'partial'];

/** What is not as wanted, in one text. */
function messageOf(clusters: readonly AppliedCluster[], finished: boolean): string | null {
  if (!finished) return 'The work goes on; ask for its deployments.';
  const problems = new Set<string>();
  for (const cluster of clusters) {
    for (const { message } of cluster.problems) problems.add(message);
    const bad = cluster.guests.filter(({ status }) => !['ok', 'unchanged'].includes(status));
    const [first] = bad;
    if (!first) continue;
    const more = bad.length > 1 ? ` and ${bad.length - 1} more` : '';
    const why = first.problems[0]?.message ?? first.status;
    problems.add(`${cluster.cluster_name}: ${first.name} (${first.vmid})${more}: ${why}`);
  }
  return problems.size > 0 ? [...problems].join(' ').slice(0, 2_000) : null;
}

/** What has become of these deployments by now. */
export async function applyResult(
  policy: PolicyState,
  ids: readonly string[],
  unresolved: Unresolved,
): Promise<ApplyResult> {
  const deployments = await listDeploymentsByIds(db, ids);
  const guests = await listGuestsOf(
    db,
    deployments.map(({ id }) => id),
  );
  const clusters = deployments.map((deployment) => clusterOf(deployment, guests));
  const finished = deployments.every(({ finished_at }) => finished_at !== null);
  return {
    policy_id: policy.id,
    policy_version: deployments[0]?.policy_version ?? policy.version,
    policy_mode: policy.definition.enforcement_mode,
    dry_run: false,
    success: finished && deployments.every(({ status }) => status === 'ok'),
    applied: clusters.some((cluster) => cluster.guests.some(({ status }) => IN_FORCE.includes(status))),
    message: messageOf(clusters, finished),
    operation_id: deployments[0]?.operation_id ?? null,
    finished,
    clusters,
    unresolved,
  };
}

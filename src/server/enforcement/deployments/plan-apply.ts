import type { DeploymentProblem } from '@/domain/deployments';
import { actsOn } from '@/domain/policy/acts-on';
import { db } from '../../db/client';
import { compileWorld, isDeployed, type PolicyWorld } from '../policies/world/load-policy-world';
import { listWorkloadIdsBy } from '../queries/deployment-guests';
import { listUnrestoredWorkloadIds } from '../queries/guest-firewalls';
import { listPlacedWorkloadIds } from '../queries/policy-placements';
import type { HeldDeployment } from './deployment-session';
import { type GuestWork, guestsOf } from './guest-work';
import { unmappedRules } from './unmapped-rules';

export type Work = { version: number; guests: GuestWork[]; problems: DeploymentProblem[] };

const NOT_ENFORCED: DeploymentProblem = {
  code: 'policy_not_enforced',
  message: 'The policy is disabled, in audit mode or deleted, so it is not applied.',
  remedy: 'Enable it and set its mode to enforced, then apply it.',
};

/** Guests of a retried deployment that are to be done again; null: all. */
export async function retriedGuests({ retry_of }: HeldDeployment): Promise<ReadonlySet<string> | null> {
  return retry_of === null
    ? null
    : listWorkloadIdsBy(db, retry_of, ['failed', 'partial', 'queued', 'running', 'skipped']);
}

/**
 * Guests of the cluster where the policy wants something now, and those where something of it may stand from before: a
 * workload that left a group must lose its rules, too.
 */
export async function planApply(deployment: HeldDeployment, world: PolicyWorld): Promise<Work> {
  const { policy_id, cluster_id, policy_version } = deployment;
  const policy = world.policies.find(({ id }) => id === policy_id);
  if (!policy || !isDeployed(policy)) return { version: policy_version, guests: [], problems: [NOT_ENFORCED] };
  const compiled = compileWorld(world);
  const wanted = new Map(
    compiled.guests.filter((guest) => guest.cluster_id === cluster_id).map((guest) => [guest.workload_id, guest]),
  );
  const placed = await listPlacedWorkloadIds(db, deployment, cluster_id);
  const unrestored = await listUnrestoredWorkloadIds(db, deployment, cluster_id);
  const concerned = guestsOf(compiled, policy_id)
    .filter((guest) => guest.cluster_id === cluster_id)
    .map(({ workload_id }) => workload_id)
    .filter((id) => {
      // Another owner may have the policy since the deployment was requested.
      const workload = world.workloads.get(id);
      return workload !== undefined && actsOn(deployment, workload);
    });
  const only = await retriedGuests(deployment);
  const guests = [...new Set([...concerned, ...placed, ...unrestored])]
    .filter((id) => only === null || only.has(id))
    .flatMap((id): GuestWork[] => {
      const workload = world.workloads.get(id);
      return workload ? [{ workload, wanted: wanted.get(id) ?? null }] : [];
    })
    .sort((a, b) => a.workload.vmid - b.workload.vmid);
  const unmapped = unmappedRules(policy, compiled);
  return { version: policy.version, guests, problems: unmapped ? [unmapped] : [] };
}

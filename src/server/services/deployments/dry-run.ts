import type { AppliedCluster, ApplyResult } from '@/domain/deployments';
import type { PolicyState } from '../../repositories/policy-states';
import { compileWorld, type PolicyWorld } from '../policies/world/load-policy-world';
import { unresolvedOf } from './apply-result';
import { dropsOf, rulesOf } from './guest-work';
import { unmappedRules } from './unmapped-rules';

/** What applying the policy would want of every guest, from the inventory alone: no cluster is asked. */
export function dryRun(policy: PolicyState, world: PolicyWorld): ApplyResult {
  const compiled = compileWorld(world);
  const own = world.policies.find(({ id }) => id === policy.id);
  const unmapped = own ? unmappedRules(own, compiled) : null;
  const clusters = new Map<string, AppliedCluster>();
  for (const wanted of compiled.guests) {
    const rules = rulesOf(policy.id, { wanted });
    const { drop_in, drop_out } = dropsOf(policy.id, { wanted });
    const workload = world.workloads.get(wanted.workload_id);
    const cluster = world.clusters.get(wanted.cluster_id);
    if (!workload || !cluster || (rules.length === 0 && !drop_in && !drop_out)) continue;
    const known = clusters.get(cluster.id) ?? {
      cluster_id: cluster.id,
      cluster_name: cluster.name,
      deployment_id: null,
      status: 'planned' as const,
      problems: unmapped ? [unmapped] : [],
      guests: [],
    };
    clusters.set(cluster.id, known);
    known.guests.push({
      workload_id: workload.id,
      vmid: workload.vmid,
      name: workload.name,
      status: 'planned',
      rules: rules.length,
      writes: 0,
      changes: null,
      problems: [],
    });
  }
  return {
    policy_id: policy.id,
    policy_version: policy.version,
    policy_mode: policy.definition.enforcement_mode,
    dry_run: true,
    success: unmapped === null,
    applied: false,
    message: unmapped?.message ?? null,
    operation_id: null,
    finished: true,
    clusters: [...clusters.values()].sort((a, b) => a.cluster_name.localeCompare(b.cluster_name)),
    unresolved: unresolvedOf(world, policy.id),
  };
}

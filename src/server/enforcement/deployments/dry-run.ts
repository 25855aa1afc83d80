import type { AppliedCluster, ApplyResult } from '@/domain/deployments';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import type { Reach } from '@/domain/permissions';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { compileInputs } from '../policies/policy-inputs';
import { previewWithInputs } from '../policies/preview/preview-inputs';
import type { InputPolicy } from '../queries/policy-inputs';
import type { PolicyState } from '../queries/policy-placements';
import { listDesiredGuests, selectPolicyRules, unmappedRules } from './guest-work';
import { listUnresolved } from './outcome';

const UNREAD: ClusterSnapshot = { firewall_enabled: null, groups: null, ipsets: null, aliases: null, unreadable: [] };

/** What would take effect with the switches by what was last read of the guests; those never read are left out. */
async function dormantByWorkload({ inputs, snapshots }: FirewallState, policy: InputPolicy, reach: Reach) {
  const preview = await previewWithInputs(inputs, policy, [], policy.id, reach, async (clusterId) => ({
    cluster: snapshots.clusters.get(clusterId) ?? { state: UNREAD, read_at: policy.created_at },
    guests: snapshots.guests,
  }));
  const guests = preview.clusters.flatMap((cluster) => cluster.guests);
  return new Map(guests.map(({ workload_id, dormant }) => [workload_id, dormant]));
}

/** What the planner of the apply wants of every guest, from the inventory and what was last read: no cluster is asked. */
export async function dryRun(policy: PolicyState, firewall: FirewallState, reach: Reach): Promise<ApplyResult> {
  const { inputs } = firewall;
  const compiled = compileInputs(inputs);
  const own = inputs.policies.find(({ id }) => id === policy.id);
  const unmapped = own ? unmappedRules(own, compiled) : null;
  const dormant = own ? await dormantByWorkload(firewall, own, reach) : null;
  const clusters = new Map<string, AppliedCluster>();
  for (const desired of listDesiredGuests(compiled, policy.id)) {
    const workload = inputs.workloads.get(desired.workload_id);
    const cluster = inputs.clusters.get(desired.cluster_id);
    if (!workload || !cluster) continue;
    const known = clusters.get(cluster.id) ?? {
      cluster_id: cluster.id,
      cluster_name: cluster.name,
      deployment_id: null,
      status: 'planned' as const,
      problems: unmapped ? [unmapped] : [],
      notes: [],
      guests: [],
    };
    clusters.set(cluster.id, known);
    known.guests.push({
      workload_id: workload.id,
      vmid: workload.vmid,
      name: workload.name,
      status: 'planned',
      rules: selectPolicyRules(policy.id, { desired }).length,
      writes: 0,
      changes: null,
      switches: [],
      problems: [],
      reason: null,
      dormant: dormant?.get(workload.id) ?? null,
      difference: null,
      notes: [],
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
    unresolved: listUnresolved(inputs, policy.id),
  };
}

import { evaluateEnforcement } from '@/domain/firewall/enforcement';
import { explainProtection } from '@/domain/firewall/explain-protection';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import { completeLiveNode, type LiveCluster, type LiveNic, type LiveState } from '@/domain/firewall/live-state';
import { type ExplainedProtection, type Protection, sumReasons, worstProtection } from '@/domain/firewall/protection';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { Workload, WorkloadEnforcement } from '@/domain/inventory';
import { diffGuest } from '@/domain/policy/compare-rules';
import type { DesiredGuest } from '@/domain/policy/desired';
import { diffSets } from '@/domain/policy/diff-sets';
import type { GuestView } from '@/domain/policy/status';
import { objectCache } from '../../../lib/cache';
import type { InputWorkload } from '../../queries/policy-inputs';
import type { PolicyInputs } from '../policy-inputs';
import type { FirewallState } from './firewall-state';
import { findMetCluster } from './met-cluster';

const UNKNOWN_CLUSTER: LiveCluster = { firewall_enabled: null, groups: null, ipsets: null, aliases: null };
const UNKNOWN_NIC: LiveNic = { name: 'net0', firewall: null, mac: null };

/** Everything that affects a guest's packets, as last read; without a snapshot everything is unknown. */
export function toLiveState(
  workload: InputWorkload,
  guest: GuestSnapshot | null,
  cluster: ClusterSnapshot | null,
): LiveState {
  const { options, rules, ipsets, aliases } = guest ?? { options: null, rules: null, ipsets: null, aliases: null };
  return {
    cluster: cluster ?? UNKNOWN_CLUSTER,
    guest: { options, rules, ipsets, aliases },
    node: completeLiveNode(cluster ?? UNKNOWN_CLUSTER, workload.node_name, workload.nftables),
  };
}

/** The same from what was last read. */
export const liveStateAt = ({ snapshots }: Pick<FirewallState, 'snapshots'>, workload: InputWorkload): LiveState =>
  toLiveState(
    workload,
    snapshots.guests.get(workload.id)?.state ?? null,
    snapshots.clusters.get(workload.cluster_id)?.state ?? null,
  );

/** A guest as the status of policies looks at it. Without a snapshot it is unreadable, never empty. */
export function guestView(
  inputs: PolicyInputs,
  workload: InputWorkload,
  desired: DesiredGuest | null,
  guest: GuestSnapshot | null,
  cluster: ClusterSnapshot | null,
): GuestView {
  const state = toLiveState(workload, guest, cluster);
  const placement = inputs.clusters.get(workload.cluster_id)?.rule_placement ?? 'above';
  const { rules, options, ipsets } = state.guest;
  const effective = options && effectiveOptions(options);
  const nics = guest?.nics ?? [UNKNOWN_NIC];
  const diffOptions = { instance: inputs.instance, vmid: workload.vmid, placement };
  return {
    vmid: workload.vmid,
    desired,
    diff: rules && diffGuest(desired?.rules ?? [], rules, diffOptions),
    sets: ipsets && diffSets(desired?.sets ?? [], ipsets),
    missing: guest?.presence === 'absent',
    enforcement: nics.map((nic) => evaluateEnforcement(state, nic)),
    nic_names: nics.map(({ name }) => name),
    defaults: effective && { in: effective.policy_in, out: effective.policy_out },
  };
}

/** Policies that want something at the guest, or of which something was found there. */
export function policiesAt({ desired, diff }: GuestView): Set<string> {
  const found = new Set<string>();
  for (const { policy_id } of desired?.rules ?? []) found.add(policy_id);
  for (const id of desired?.drop_in ?? []) found.add(id);
  for (const id of desired?.drop_out ?? []) found.add(id);
  for (const { policy_id } of diff?.removed ?? []) found.add(policy_id);
  return found;
}

const kinds = objectCache<GuestView, WorkloadEnforcement>({ name: 'workload_enforcement' });

/** One interface that certainly does not filter settles it; one of which it is not known leaves it open. */
function toWorkloadEnforcement(view: GuestView): WorkloadEnforcement {
  const states = view.enforcement.map(({ status }) => status);
  if (states.length === 0) return 'without_interface';
  if (states.includes('off')) return 'unenforced';
  return states.includes('unknown') ? 'unknown' : 'enforced';
}

/** Whether the interfaces of a workload filter, as last read. One that was never read is unknown. */
export function workloadEnforcement(firewall: FirewallState, workloadId: string): WorkloadEnforcement {
  const view = firewall.snapshots.guests.has(workloadId) ? firewall.viewAt(workloadId) : null;
  return view ? kinds.load(view, null, () => toWorkloadEnforcement(view)) : 'unknown';
}

type Protections = ReadonlyMap<string, ExplainedProtection>;

/** By snapshot of a guest: while it and what it depends on are the same, nothing is evaluated again. */
const known = objectCache<GuestSnapshot, Protections, { cluster: unknown; node: unknown; nftables: unknown }>({
  name: 'workload_protection',
  isFresh: (kept, asked) =>
    kept.cluster === asked.cluster && kept.node === asked.node && kept.nftables === asked.nftables,
});

/**
 * How the interfaces of a workload are protected, by name, as last read, and why not. Null: the workload was never read, or its
 * interfaces could not be.
 */
export function interfaceProtections(firewall: FirewallState, workloadId: string): Protections | null {
  const workload = firewall.inputs.workloads.get(workloadId);
  const guest = firewall.snapshots.guests.get(workloadId)?.state;
  if (!workload || !guest?.nics) return null;
  const cluster = findMetCluster(firewall.snapshots, workload);
  const { node_name: node, nftables } = workload;
  const { nics } = guest;
  return known.load(guest, { cluster, node, nftables }, () => {
    const state = toLiveState(workload, guest, cluster);
    return new Map(nics.map((nic) => [nic.name, explainProtection(state, nic)]));
  });
}

/** The worst protection of a workload's interfaces, as last read; null when it has none. Never read is unknown. */
export function workloadProtection(firewall: FirewallState, workloadId: string): Protection | null {
  const protections = interfaceProtections(firewall, workloadId);
  return protections ? worstProtection([...protections.values()].map(({ protection }) => protection)) : 'unknown';
}

/** Why a workload is not protected, as last read: all reasons, and which interface has which. Nothing when it is; never read is unknown. */
export function explainWorkload(
  firewall: FirewallState,
  workloadId: string,
): Pick<Workload, 'protection' | 'protection_reasons' | 'unprotected_interfaces'> {
  const protections = interfaceProtections(firewall, workloadId);
  const interfaces = [...(protections ?? [])];
  return {
    protection: workloadProtection(firewall, workloadId),
    protection_reasons: protections ? sumReasons([...protections.values()]) : ['unknown'],
    unprotected_interfaces: interfaces.flatMap(([name, { reasons }]) =>
      reasons.length > 0 ? [{ name, reasons: [...reasons] }] : [],
    ),
  };
}

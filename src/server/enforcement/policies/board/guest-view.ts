import { enforcementOf } from '@/domain/firewall/enforcement';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import { type LiveCluster, type LiveNic, type LiveState, liveNode } from '@/domain/firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { diffGuest } from '@/domain/policy/diff';
import { diffSets } from '@/domain/policy/diff-sets';
import type { GuestView } from '@/domain/policy/status';
import type { WantedGuest } from '@/domain/policy/wanted';
import type { WorldWorkload } from '../../queries/policy-world';
import type { PolicyWorld } from '../world/load-policy-world';

const UNKNOWN_CLUSTER: LiveCluster = { firewall_enabled: null, groups: null, ipsets: null, aliases: null };
const UNKNOWN_NIC: LiveNic = { name: 'net0', firewall: null, mac: null };

/** Everything that decides about a guest's packets, as it was read; without a reading everything is unknown. */
export function liveStateOf(
  workload: WorldWorkload,
  guest: GuestSnapshot | null,
  cluster: ClusterSnapshot | null,
): LiveState {
  const { options, rules, ipsets, aliases } = guest ?? { options: null, rules: null, ipsets: null, aliases: null };
  return {
    cluster: cluster ?? UNKNOWN_CLUSTER,
    guest: { options, rules, ipsets, aliases },
    node: liveNode(cluster ?? UNKNOWN_CLUSTER, workload.node_name, workload.nftables),
  };
}

/** A guest as the status of policies looks at it. Without a reading it is unreadable, never empty. */
export function guestView(
  world: PolicyWorld,
  workload: WorldWorkload,
  wanted: WantedGuest | null,
  guest: GuestSnapshot | null,
  cluster: ClusterSnapshot | null,
): GuestView {
  const state = liveStateOf(workload, guest, cluster);
  const placement = world.clusters.get(workload.cluster_id)?.rule_placement ?? 'above';
  const { rules, options, ipsets } = state.guest;
  const effective = options && effectiveOptions(options);
  const diffOptions = { instance: world.instance, vmid: workload.vmid, placement };
  return {
    vmid: workload.vmid,
    wanted,
    diff: rules && diffGuest(wanted?.rules ?? [], rules, diffOptions),
    sets: ipsets && diffSets(wanted?.sets ?? [], ipsets),
    missing: guest?.presence === 'absent',
    enforcement: (guest?.nics ?? [UNKNOWN_NIC]).map((nic) => enforcementOf(state, nic)),
    defaults: effective && { in: effective.policy_in, out: effective.policy_out },
  };
}

/** Policies that want something at the guest, or of which something was found there. */
export function policiesAt({ wanted, diff }: GuestView): Set<string> {
  const found = new Set<string>();
  for (const { policy_id } of wanted?.rules ?? []) found.add(policy_id);
  for (const id of wanted?.drop_in ?? []) found.add(id);
  for (const id of wanted?.drop_out ?? []) found.add(id);
  for (const { policy_id } of diff?.removed ?? []) found.add(policy_id);
  return found;
}

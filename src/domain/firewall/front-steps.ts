import { evaluateEnforcement } from './enforcement';
import type { FilterImplementation, LiveCluster, LiveNic, LiveNode, LiveState } from './live-state';
import { possibleImplementations } from './node-options';
import { prepareNode } from './prepare-node';

/** Built-in steps evaluated before those of every guest of a node, in their order. */
export const FRONT_STEPS = ['vital_icmp', 'invalid', 'blacklist', 'smurf', 'tcp_flags'] as const;
type Name = (typeof FRONT_STEPS)[number];

export type FrontStep = {
  readonly name: Name;
  readonly action: 'accept' | 'drop';
  readonly state: 'on' | 'off' | 'unknown';
};

const UNKNOWN_NIC: LiveNic = { name: 'net0', firewall: null, mac: null };

function hasBlacklist({ ipsets }: Pick<LiveCluster, 'ipsets'>): boolean | null {
  if (!ipsets) return null;
  return Object.hasOwn(ipsets, 'blacklist') && (ipsets.blacklist?.length ?? 0) > 0;
}

/** Which steps one implementation has; null: not known. */
function getSteps(cluster: LiveCluster, node: LiveNode | null, implementation: FilterImplementation) {
  const { drop_invalid, drop_smurfs, drop_tcp_flags } = prepareNode(node, implementation);
  const iptables = implementation === 'iptables';
  return {
    vital_icmp: !iptables,
    invalid: drop_invalid,
    blacklist: iptables && hasBlacklist(cluster),
    smurf: iptables && drop_smurfs,
    tcp_flags: iptables && drop_tcp_flags,
  } satisfies Record<Name, boolean | null>;
}

/** Whether the step exists at the interface, given that the node has it; null: not known. */
function isAtInterface(
  name: Name,
  state: LiveState,
  nic: LiveNic,
  implementation: FilterImplementation,
): boolean | null {
  if (implementation === 'iptables') return name === 'invalid' || nic.firewall;
  // Without all three switches an interface has no chain, and nothing is in front of it.
  const { status } = evaluateEnforcement(state, nic);
  return status === 'unknown' ? null : status === 'on';
}

const both = (one: boolean | null, other: boolean | null) =>
  one === false || other === false ? false : one === null || other === null ? null : true;

/**
 * What the node does to packets in front of a guest: on where it does so at an interface. Where its implementation is not
 * known, what both do is certain.
 * @param nics null: could not be read
 */
export function frontSteps(state: LiveState, nics: readonly LiveNic[] | null): FrontStep[] {
  const { cluster, node } = state;
  const possible = possibleImplementations(node).map((one) => [one, getSteps(cluster, node, one)] as const);
  return FRONT_STEPS.map((name) => {
    const at = (nics ?? [UNKNOWN_NIC]).map((nic) => {
      const values = possible.map(([one, steps]) => both(steps[name], isAtInterface(name, state, nic, one)));
      const [first = null] = values;
      return both(cluster.firewall_enabled, values.every((value) => value === first) ? first : null);
    });
    return {
      name,
      action: name === 'vital_icmp' ? 'accept' : 'drop',
      state: at.includes(true) ? 'on' : at.includes(null) ? 'unknown' : 'off',
    };
  });
}

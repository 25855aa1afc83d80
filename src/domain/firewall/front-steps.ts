import type { FilterImplementation, LiveCluster, LiveNode } from './live-state';
import { possibleImplementations } from './node-options';
import { prepareNode } from './prepare-node';

/** Built-in steps that stand in front of every guest of a node, in their order. */
export const FRONT_STEPS = ['vital_icmp', 'invalid', 'blacklist', 'smurf', 'tcp_flags'] as const;
type Name = (typeof FRONT_STEPS)[number];

export type FrontStep = {
  readonly name: Name;
  readonly action: 'accept' | 'drop';
  readonly state: 'on' | 'off' | 'unknown';
};

function hasBlacklist({ ipsets }: Pick<LiveCluster, 'ipsets'>): boolean | null {
  if (!ipsets) return null;
  return Object.hasOwn(ipsets, 'blacklist') && (ipsets.blacklist?.length ?? 0) > 0;
}

/** Which steps one implementation has; null: not known. */
function stepsOf(cluster: LiveCluster, node: LiveNode | null, implementation: FilterImplementation) {
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

/** What the node does to packets in front of its guests. Where its implementation is not known, what both do is certain. */
export function frontSteps(cluster: LiveCluster, node: LiveNode | null): FrontStep[] {
  const possible = possibleImplementations(node).map((implementation) => stepsOf(cluster, node, implementation));
  const { firewall_enabled } = cluster;
  return FRONT_STEPS.map((name) => {
    const values = possible.map((steps) => steps[name]);
    const [first = null] = values;
    const same = values.every((value) => value === first) ? first : null;
    const on = firewall_enabled === false || same === false ? false : firewall_enabled && same;
    return {
      name,
      action: name === 'vital_icmp' ? 'accept' : 'drop',
      state: on === null ? 'unknown' : on ? 'on' : 'off',
    };
  });
}

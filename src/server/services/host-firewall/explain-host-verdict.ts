import type { NodeUnknownReason, NodeVerdict } from '@/domain/firewall/evaluate-node';
import type { Builtin, UnknownReason } from '@/domain/firewall/verdict';
import { explainDecider } from '../firewall/explain-verdict';

type Decider = NodeVerdict['decided_by'];
type HostBuiltin = Extract<Decider, { kind: 'builtin' }>['name'];
type HostOff = Extract<Decider, { kind: 'not_enforced' }>['reason'];

/** Built-in rules that guests do not have, or that another option of the node controls. */
const BUILTIN_TEXTS: Readonly<Record<Exclude<HostBuiltin, Builtin> | 'ndp', string>> = {
  igmp: 'The node accepts IGMP before any rule.',
  management:
    'The node accepts the services of the cluster (web interface, consoles, SSH) from the management network.',
  ndp: 'The node option ndp accepts neighbor discovery.',
};

const OFF_TEXTS: Readonly<Record<HostOff, string>> = {
  cluster_firewall_off: 'The firewall of the cluster is off: nothing is filtered.',
  node_firewall_off: 'The firewall of the node is off: its own traffic is not filtered.',
};

const UNKNOWN_TEXTS: Readonly<Record<Exclude<NodeUnknownReason, UnknownReason>, string>> = {
  unknown_node_rules: 'The rules of the node or of the data center could not be read.',
  unknown_cluster_options: 'The options of the data center could not be read.',
  unknown_management_network: 'Whether the address is in the management network is not known.',
  unknown_corosync_links: 'Whether the address is a link of the cluster communication (corosync) is not known.',
  nftables_node: 'The node filters with nftables, which is not evaluated for traffic of the node itself.',
};

const PLACES = { node: 'the node', datacenter: 'the data center' } as const;

const has = <T extends object>(texts: T, key: PropertyKey): key is keyof T => Object.hasOwn(texts, key);

/** Why traffic of a node has its verdict, in words. */
export function explainHostDecider(by: Decider): string {
  switch (by.kind) {
    case 'rule':
      return by.group === undefined
        ? `Rule ${by.position} of ${PLACES[by.scope]} decides.`
        : `Rule ${by.group_position} of group ${by.group} decides, which rule ${by.position} of ${PLACES[by.scope]} refers to.`;
    case 'default':
      return `No rule matches: the default policy ${by.policy} of the data center decides.`;
    case 'builtin':
      return has(BUILTIN_TEXTS, by.name)
        ? BUILTIN_TEXTS[by.name]
        : explainDecider({ kind: 'builtin', name: by.name }, null);
    case 'not_enforced':
      return OFF_TEXTS[by.reason];
    case 'unknown':
      return has(UNKNOWN_TEXTS, by.reason)
        ? UNKNOWN_TEXTS[by.reason]
        : explainDecider({ kind: 'unknown', reason: by.reason, places: [] }, null);
  }
}

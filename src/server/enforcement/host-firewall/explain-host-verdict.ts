import type { NodeUnknownReason, NodeVerdict } from '@/domain/firewall/node-verdict';
import type { Builtin, ListScope, UnknownReason } from '@/domain/firewall/verdict';
import { explainDecider } from '../guest-firewall/explain-verdict';

type Decider = NodeVerdict['decided_by'];
type HostBuiltin = Extract<Decider, { kind: 'builtin' }>['name'];
type HostOff = Extract<Decider, { kind: 'not_enforced' }>['reason'];

/** Built-in rules of guests that are about something else at a node. */
type HostOwn = 'ndp' | 'ndp_blocked' | 'smurf' | 'windows_noise' | 'upnp' | 'dns_reply';

/** Built-in rules that guests do not have, or that another option of the node controls. */
const BUILTIN_TEXTS: Readonly<Record<Exclude<HostBuiltin, Builtin> | HostOwn, string>> = {
  igmp: 'The node accepts IGMP before any rule.',
  management:
    'The node accepts the services of the cluster (web interface, consoles, SSH) from the management network.',
  corosync: 'The node accepts the cluster communication (corosync) from everywhere.',
  conntrack_helper: 'A connection tracking helper of the node opens its port.',
  synflood: 'The node option protection_synflood drops TCP connections that no rule in front of it accepts.',
  windows_noise: 'The node drops or rejects traffic of Windows services.',
  upnp: 'The node drops UPnP.',
  dns_reply: 'The node drops late DNS replies.',
  smurf: 'The node option nosmurfs drops it because of a multicast or broadcast address.',
  ndp: 'The node option ndp accepts neighbor discovery.',
  ndp_blocked: 'The node option ndp is off: the node drops neighbor discovery.',
};

const OFF_TEXTS: Readonly<Record<HostOff, string>> = {
  cluster_firewall_off: 'The firewall of the cluster is off: nothing is filtered.',
  node_firewall_off: 'The firewall of the node is off: only guests and VNets are filtered there.',
  vnet_firewall_off: 'The firewall of the VNet is off.',
  iptables_node: 'The node filters with iptables, which does not enforce rules for forwarded traffic.',
};

const UNKNOWN_TEXTS: Readonly<Record<Exclude<NodeUnknownReason, UnknownReason>, string>> = {
  unknown_node_rules: 'The rules of the node or of the data center could not be read.',
  unknown_cluster_options: 'The options of the data center could not be read.',
  unknown_management_network: 'Whether the address is in the management network is not known.',
  unknown_corosync_links: 'Whether the address is a link of the cluster communication (corosync) is not known.',
};

function listName({ scope, name }: ListScope): string {
  if (scope === 'vnet') return `VNet ${name}`;
  return scope === 'node' ? 'the node' : 'the data center';
}

const has = <T extends object>(texts: T, key: PropertyKey): key is keyof T => Object.hasOwn(texts, key);

/** Why traffic of a node has its verdict, in words. */
export function explainHostDecider(by: Decider): string {
  switch (by.kind) {
    case 'rule':
      return by.group === undefined
        ? `Rule ${by.position} of ${listName(by)} decides.`
        : `Rule ${by.group_position} of group ${by.group} decides, which rule ${by.position} of ${listName(by)} refers to.`;
    case 'default':
      return `No rule matches: the default policy ${by.policy} of ${listName(by)} decides.`;
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

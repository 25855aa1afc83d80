import { trackedState } from './connection-state';
import { ICMPV6, TCP, UDP } from './data/protocols';
import { beforeDefault } from './default-chain';
import { byTracking, inFrontOfGuests } from './front-chain';
import type { DefaultPolicy } from './guest-options';
import { isMulticast, type Packet } from './packet';
import type { Possibility } from './possibility';
import type { PreparedNodeFilter } from './prepare-node-filter';
import { rejectOutcome } from './reject-outcome';
import { firstMatch } from './rule-index';
import type { Builtin, DefiniteVerdict, RulePlace, UnknownReason, Verdict } from './verdict';

/** Where a rule that filters a node stands. */
export type NodeRulePlace = RulePlace & { readonly scope: 'node' | 'datacenter' };

export type NodeUnknownReason =
  | UnknownReason
  | 'unknown_node_rules'
  | 'unknown_cluster_options'
  | 'unknown_management_network'
  | 'unknown_corosync_links'
  /** The node has the nftables implementation, which is not evaluated for its own traffic. */
  | 'nftables_node';

type Certain =
  | ({ readonly kind: 'rule' } & NodeRulePlace)
  | { readonly kind: 'default'; readonly policy: DefaultPolicy }
  | { readonly kind: 'builtin'; readonly name: Builtin | 'igmp' | 'management' }
  | { readonly kind: 'not_enforced'; readonly reason: 'cluster_firewall_off' | 'node_firewall_off' };

export type NodeVerdict =
  | { readonly verdict: DefiniteVerdict; readonly decided_by: Certain }
  | {
      readonly verdict: 'unknown';
      readonly decided_by: {
        readonly kind: 'unknown';
        readonly reason: NodeUnknownReason;
        readonly places: readonly NodeRulePlace[];
      };
    };

type Doubt = {
  readonly verdict: DefiniteVerdict | 'unknown';
  readonly doubt: NodeUnknownReason;
  readonly place?: NodeRulePlace;
};
type Step = Doubt | { readonly verdict: DefiniteVerdict; readonly decided_by: Certain };

const IGMP = 2;
const NDP_TYPES = { in: [133, 134, 135, 136], out: [133, 135, 136] };
const SERVICES = {
  in: [
    [8006, 8006],
    [5900, 5999],
    [3128, 3128],
    [22, 22],
    [60000, 60050],
  ],
  out: [
    [8006, 8006],
    [22, 22],
    [5900, 5999],
    [3128, 3128],
  ],
} as const;

const builtin = (verdict: DefiniteVerdict, name: Builtin | 'igmp' | 'management'): Step => ({
  verdict,
  decided_by: { kind: 'builtin', name },
});

/** Steps of a chain that guests have, too. Its verdict is one of the hypervisor's own rules. */
function* sharedSteps(run: (possible: Possibility[]) => Verdict | null): Generator<Step> {
  const possible: Possibility[] = [];
  const found = run(possible);
  for (const { verdict, reason } of possible) yield { verdict, doubt: reason };
  if (found && found.verdict !== 'unknown' && found.decided_by.kind === 'builtin') {
    yield builtin(found.verdict, found.decided_by.name);
  }
}

function* byOptions({ ndp }: PreparedNodeFilter, packet: Packet): Generator<Step> {
  const { source, protocol, icmp_type: type, direction } = packet;
  if (source.family === 4 || protocol !== ICMPV6 || ndp === false) return;
  if (type === undefined) yield { verdict: 'accept', doubt: 'unknown_packet_detail' };
  else if (NDP_TYPES[direction].includes(type)) {
    yield ndp ? builtin('accept', 'ndp') : { verdict: 'accept', doubt: 'unknown_node_options' };
  }
}

/** @param answered the packet with the direction in which every answer to it gets back */
function* byRules(filter: PreparedNodeFilter, packet: Packet, answered: Packet): Generator<Step> {
  const { broadcasts } = filter.node;
  const doubts: Doubt[] = [];
  const match = firstMatch(filter.index(packet.direction, packet.source.family), packet, (rule, what) => {
    const { scope, with_interface } = filter.about(rule);
    const unread = rule.place.group === undefined ? 'unknown_node_rules' : 'unknown_group';
    const verdict = rule.action === 'reject' ? rejectOutcome(answered, broadcasts, 'iptables') : rule.action;
    const detail = what === 'packet' || with_interface;
    const doubt = rule.action === 'unknown' ? unread : detail ? 'unknown_packet_detail' : 'unknown_reference';
    doubts.push({ verdict, doubt, place: { ...rule.place, scope } });
  });
  yield* doubts;
  if (!match) return;
  const place = { ...match.place, scope: filter.about(match).scope };
  const verdict = match.action === 'reject' ? rejectOutcome(answered, broadcasts, 'iptables') : match.action;
  if (verdict !== 'unknown') yield { verdict, decided_by: { kind: 'rule', ...place } };
  else {
    yield { verdict: 'reject', doubt: 'unknown_node_networks', place };
    yield { verdict: 'drop', decided_by: { kind: 'rule', ...place } };
  }
}

/** What the cluster needs for itself: its services from the management network, and the traffic between its nodes. */
function* byCluster(filter: PreparedNodeFilter, packet: Packet): Generator<Step> {
  const { direction, protocol, destination_port: port, source, destination } = packet;
  const far = direction === 'in' ? source : destination;
  const among = (ranges: readonly (readonly [number, number])[]) =>
    port === undefined || ranges.some(([first, last]) => first <= port && port <= last);
  if (protocol === TCP && among(SERVICES[direction])) {
    const managed = filter.managed(direction, far);
    if (managed === 'yes' && port !== undefined) yield builtin('accept', 'management');
    else if (managed !== 'no') {
      const doubt = port === undefined ? 'unknown_packet_detail' : 'unknown_management_network';
      yield { verdict: 'accept', doubt };
    }
  }
  // The addresses of its links, and whether it uses multicast, are not read.
  if (protocol === UDP && among([[5404, 5405]]) && (isMulticast(destination) || filter.may_be_peer(far))) {
    yield { verdict: 'accept', doubt: 'unknown_corosync_links' };
  }
}

function* byDefault({ policies, node }: PreparedNodeFilter, packet: Packet, answered: Packet): Generator<Step> {
  if (!policies) {
    yield { verdict: 'unknown', doubt: 'unknown_cluster_options' };
    yield { verdict: 'drop', decided_by: { kind: 'default', policy: 'DROP' } };
    return;
  }
  const policy = policies[packet.direction];
  const decided_by = { kind: 'default', policy } as const;
  if (policy === 'ACCEPT') {
    yield { verdict: 'accept', decided_by };
    return;
  }
  for (const { name, verdict, certain, reason } of beforeDefault(policy, answered, { ...node, drop_invalid: true })) {
    yield certain && verdict !== 'unknown' ? builtin(verdict, name) : { verdict, doubt: reason };
  }
  const outcome = policy === 'DROP' ? 'drop' : rejectOutcome(answered, node.broadcasts, 'iptables');
  if (outcome === 'unknown') yield { verdict: 'reject', doubt: 'unknown_node_networks' };
  yield { verdict: outcome === 'unknown' ? 'drop' : outcome, decided_by };
}

function* chain(filter: PreparedNodeFilter, packet: Packet): Generator<Step> {
  // An answer to the node's own packet need not cross a bridge: it gets back as one to a packet from outside does.
  const answered: Packet = { ...packet, direction: 'in' };
  // The option that lets invalid packets through is for guests only.
  yield* sharedSteps((possible) => byTracking(trackedState(packet), true, possible));
  yield* byOptions(filter, packet);
  yield* sharedSteps((possible) => inFrontOfGuests(filter, packet, possible));
  if (packet.protocol === IGMP) yield builtin('accept', 'igmp');
  yield* byRules(filter, packet, answered);
  yield* byCluster(filter, packet);
  yield* byDefault(filter, packet, answered);
}

const unknown = (reason: NodeUnknownReason, doubts: readonly Doubt[] = []): NodeVerdict => ({
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: doubts.flatMap(({ place }) => (place ? [place] : [])) },
});

const passes = (decided_by: Certain): NodeVerdict => ({ verdict: 'accept', decided_by });

function throughChain(filter: PreparedNodeFilter, packet: Packet): NodeVerdict {
  const doubts: Doubt[] = [];
  for (const step of chain(filter, packet)) {
    if ('doubt' in step) doubts.push(step);
    else {
      const open = doubts.find(({ verdict }) => verdict !== step.verdict);
      return open ? unknown(open.doubt, doubts) : step;
    }
  }
  throw new Error('The chain of a node ends with its default policy.');
}

/**
 * What a node with the iptables implementation does with a packet of its own: one to the node itself (`in`) or from it
 * (`out`), over a network, not over its loopback interface. Rules of the node come first, then those of the data center.
 * Rules with an interface are undecided, because a packet here has none.
 */
export function evaluateNode(filter: PreparedNodeFilter, packet: Packet): NodeVerdict {
  const { cluster_enabled, node_enabled, implementations } = filter;
  if (cluster_enabled === false) return passes({ kind: 'not_enforced', reason: 'cluster_firewall_off' });
  if (packet.state === 'established' || packet.state === 'related') {
    return passes({ kind: 'builtin', name: 'established' });
  }
  if (!filter.compiles) return unknown('node_cannot_compile');
  if (node_enabled === false) return passes({ kind: 'not_enforced', reason: 'node_firewall_off' });
  if (implementations.includes('nftables')) {
    return unknown(implementations.length > 1 ? 'unknown_implementation' : 'nftables_node');
  }
  const found = throughChain(filter, packet);
  if (found.verdict === 'accept') return found;
  if (cluster_enabled === null) return unknown('unknown_cluster_firewall');
  return node_enabled === null ? unknown('unknown_node_options') : found;
}

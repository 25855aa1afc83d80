import { ICMPV6, IGMP, TCP, UDP } from '../data/protocols';
import { NDP_TYPES as IPTABLES_NDP } from '../iptables-chain';
import { NDP_TYPES as NFTABLES_NDP } from '../nftables-chain';
import { SERVICES } from '../node-iptables-chain';
import { CLUSTER_SERVICES, COROSYNC_PORTS, ERRORS_4, HELPERS } from '../node-nftables-chain';
import type { PreparedNodeChain, PreparedNodeFilter } from '../prepare-node-filter';
import { allAddresses, getIcmpProtocol } from './box';
import {
  type Condition,
  type Cut,
  crossingStages,
  cut,
  icmpTypes,
  invalidCuts,
  MULTICAST,
  type Port,
  portList,
  rejectConditions,
  ruleCuts,
  type Stage,
  toBroadcast,
  type View,
} from './cut';
import { beforeDefaultCuts, frontCuts, vitalCut } from './guest-cuts';

const tcp = (...ports: Port[]): Condition => ({ protocols: [TCP], destination_ports: portList(...ports) });
const udp = (...ports: Port[]): Condition => ({ protocols: [UDP], destination_ports: portList(...ports) });

function ndpCuts(
  { ndp }: PreparedNodeChain,
  { direction, family }: View,
  types: typeof IPTABLES_NDP | typeof NFTABLES_NDP,
): Cut[] {
  return family === 4 ? [] : [cut({ protocols: [ICMPV6], icmp: icmpTypes(types[direction]) }, ndp !== null)];
}

/** Services of the cluster, and of these the packets of addresses that they are open to. */
function managementCuts(chain: PreparedNodeChain, { direction, family }: View, when: Condition): Cut[] {
  const far = direction === 'in' ? 'sources' : 'destinations';
  const sets = chain.management[direction];
  return [
    ...sets.map((set) => cut({ ...when, [far]: set[family] }, sets.length === 1)),
    // With an unknown rest, others may be let in, too.
    ...(sets.some(({ rest }) => rest === 'unknown') ? [cut(when, false)] : []),
  ];
}

const ruleStage = (chain: PreparedNodeChain, { direction, family }: View, rejects: readonly Condition[]): Cut[] =>
  chain.index(direction, family).rules.flatMap((rule) => ruleCuts(rule, family, rejects));

function iptablesStage(chain: PreparedNodeChain, view: View): Cut[] {
  const { direction, family } = view;
  const far = direction === 'in' ? 'sources' : 'destinations';
  // Replies reach the node like replies to packets from outside.
  const rejects = rejectConditions('in', family, chain);
  const corosync = udp([5404, 5405]);
  const cuts = [
    ...invalidCuts(family, true),
    ...(chain.ndp === false ? [] : ndpCuts(chain, view, IPTABLES_NDP)),
    ...frontCuts(chain, view),
    cut({ protocols: [IGMP] }, true),
    ...ruleStage(chain, view, rejects),
    ...managementCuts(chain, view, tcp(...SERVICES[direction])),
    cut({ ...corosync, destinations: MULTICAST[family] }, false),
    cut({ ...corosync, ...(chain.peers && { [far]: chain.peers[family] }) }, false),
  ];
  const policy = chain.policies?.[direction];
  if (!policy || policy === 'ACCEPT') return cuts;
  cuts.push(...beforeDefaultCuts({ ...chain.node, drop_invalid: true }, family, policy, rejects));
  return policy === 'REJECT' ? [...cuts, cut({}, true, rejects)] : cuts;
}

/** What rejecting at a node with the nftables implementation distinguishes. */
function unanswered({ node }: PreparedNodeChain, family: 4 | 6): readonly Condition[] {
  const errors = family === 4 ? ERRORS_4 : Array.from({ length: 128 }, (_, type) => type);
  return [
    { sources: MULTICAST[family] },
    { destinations: MULTICAST[family] },
    { sources: [{ first: 0n, last: 0n }] },
    { protocols: [getIcmpProtocol(family)], icmp: icmpTypes(errors) },
    ...(family === 4 ? toBroadcast(node.broadcasts) : []),
  ];
}

function serviceCuts(chain: PreparedNodeChain, view: View, rejects: readonly Condition[]): Cut[] {
  const helpers = (chain.helpers ?? Object.keys(HELPERS)).flatMap((name) =>
    Object.hasOwn(HELPERS, name) ? [HELPERS[name]] : [],
  );
  return [
    cut({ protocols: [IGMP] }, true),
    ...managementCuts(chain, view, tcp(...CLUSTER_SERVICES)),
    cut(tcp(135, 139, 445), true, rejects),
    cut(udp(...COROSYNC_PORTS), true),
    cut(udp(135, [137, 139], 445), true, rejects),
    cut({ ...udp([1024, 65535]), source_ports: portList(137) }, true, rejects),
    cut(udp(1900), true),
    cut({ protocols: [UDP], source_ports: portList(53) }, true),
    ...helpers.flatMap((helper) =>
      helper
        ? [cut({ protocols: [helper.protocol], destination_ports: portList(helper.port) }, chain.helpers !== null)]
        : [],
    ),
  ];
}

function protectionCuts({ node, synflood }: PreparedNodeChain, family: 4 | 6): Cut[] {
  const cuts: Cut[] = [];
  if (synflood !== false) cuts.push(cut({ protocols: [TCP] }, synflood === true));
  if (node.drop_tcp_flags !== false) {
    cuts.push(cut({ protocols: [TCP], source_ports: portList(0) }, node.drop_tcp_flags === true));
  }
  if (node.drop_smurfs === false || family === 6) return cuts;
  const sources = allAddresses(4).map(({ last }) => ({ first: 1n, last }));
  const smurfs: Condition[] = [
    ...toBroadcast(node.broadcasts).map((to) => ({ ...to, sources })),
    { sources: MULTICAST[4] },
  ];
  return [...cuts, ...smurfs.map((when) => cut(when, node.drop_smurfs === true && !when.destination_255))];
}

function nftablesStage(chain: PreparedNodeChain, view: View): Cut[] {
  const { direction, family } = view;
  const incoming = direction === 'in';
  const rejects = unanswered(chain, family);
  const cuts = [
    vitalCut(family),
    ...invalidCuts(family, chain.node.drop_invalid),
    ...(incoming ? serviceCuts(chain, view, rejects) : []),
    ...ndpCuts(chain, view, NFTABLES_NDP),
    ...(incoming ? protectionCuts(chain, family) : []),
    ...ruleStage(chain, view, rejects),
  ];
  return chain.policies?.[direction] === 'REJECT' ? [...cuts, cut({}, true, rejects)] : cuts;
}

/** Everything that `evaluateNode` distinguishes for new connections of one direction and family. */
export function nodeStages(filter: PreparedNodeFilter, direction: 'in' | 'out', family: 4 | 6): Stage[] {
  if (filter.cluster_enabled === false || filter.compile_doubt || filter.node_enabled === false) return [];
  const view = { direction, family };
  return filter.chains.flatMap((chain) =>
    chain.implementation === 'iptables'
      ? [iptablesStage(chain, view)]
      : [nftablesStage(chain, view), ...crossingStages(chain.crossings, view)],
  );
}

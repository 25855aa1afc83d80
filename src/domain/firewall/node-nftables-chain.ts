import { trackedState } from './connection-state';
import { ICMPV6, IGMP, TCP, UDP } from './data/protocols';
import { evaluateTracking } from './front-chain';
import { hasType, NDP_TYPES, VITAL } from './nftables-chain';
import { nodeRuleSteps } from './node-rules';
import { builtin, type Step, sharedSteps, toStep } from './node-steps';
import type { NodeBuiltin, NodeDecider } from './node-verdict';
import { isMulticast, type Packet } from './packet';
import type { PreparedNodeChain } from './prepare-node-filter';
import { isBroadcast } from './reject-outcome';

export const CLUSTER_SERVICES = [
  [8006, 8006],
  [5900, 5999],
  [3128, 3128],
  [22, 22],
] as const;
export const COROSYNC_PORTS = [[5405, 5412]] as const;
/** Ports that a helper of connection tracking opens to everyone. */
export const HELPERS: Readonly<Record<string, { readonly protocol: number; readonly port: number }>> = {
  amanda: { protocol: UDP, port: 10080 },
  ftp: { protocol: TCP, port: 21 },
  irc: { protocol: TCP, port: 6667 },
  'netbios-ns': { protocol: UDP, port: 137 },
  pptp: { protocol: TCP, port: 1723 },
  sane: { protocol: TCP, port: 6566 },
  sip: { protocol: UDP, port: 5060 },
  snmp: { protocol: UDP, port: 161 },
  tftp: { protocol: UDP, port: 69 },
};
/** ICMP errors, which no ICMP error answers. */
export const ERRORS_4: readonly number[] = [3, 4, 5, 11, 12];

type Answer = 'yes' | 'no' | 'unknown';
type Range = readonly [number, number];

const within = (port: number | undefined, ranges: readonly Range[]): Answer =>
  port === undefined ? 'unknown' : ranges.some(([first, last]) => first <= port && port <= last) ? 'yes' : 'no';
const both = (a: Answer, b: Answer): Answer =>
  a === 'no' || b === 'no' ? 'no' : a === 'yes' && b === 'yes' ? 'yes' : 'unknown';
const either = (a: Answer, b: Answer): Answer =>
  a === 'yes' || b === 'yes' ? 'yes' : a === 'no' && b === 'no' ? 'no' : 'unknown';

/** What rejecting a packet does: to or from many, to errors, and to no address at all there is no answer. */
function getRejectOutcome({ node }: PreparedNodeChain, packet: Packet): 'drop' | 'reject' | 'unknown' {
  const { source, destination, protocol, icmp_type: type } = packet;
  if (isMulticast(source) || isMulticast(destination) || source.value === 0n) return 'drop';
  if (type !== undefined && protocol === VITAL[source.family].protocol) {
    if (source.family === 4 ? ERRORS_4.includes(type) : type < 128) return 'drop';
  }
  const broadcast = isBroadcast(packet, node.broadcasts);
  return broadcast === null ? 'unknown' : broadcast ? 'drop' : 'reject';
}

function* rejectSteps(chain: PreparedNodeChain, packet: Packet, decided_by: NodeDecider): Generator<Step> {
  const outcome = getRejectOutcome(chain, packet);
  if (outcome === 'unknown') yield { verdict: 'reject', doubt: 'unknown_node_networks' };
  yield toStep(outcome === 'unknown' ? 'drop' : outcome, decided_by);
}

function* vitalSteps({ source, protocol, icmp_type: type }: Packet): Generator<Step> {
  const { protocol: icmp, types } = VITAL[source.family];
  const answer = protocol === icmp ? hasType(type, types) : 'no';
  if (answer === 'yes') yield builtin('accept', 'vital_icmp');
  if (answer === 'unknown') yield { verdict: 'accept', doubt: 'unknown_packet_detail' };
}

function* serviceSteps(chain: PreparedNodeChain, packet: Packet): Generator<Step> {
  const { protocol, source, source_port: sport, destination_port: dport } = packet;
  if (protocol === IGMP) yield builtin('accept', 'igmp');
  if (protocol === TCP) {
    const asked = within(dport, CLUSTER_SERVICES);
    const open = asked === 'no' ? 'no' : chain.managed('in', source);
    if (asked === 'yes' && open === 'yes') yield builtin('accept', 'management');
    else if (open !== 'no') {
      const doubt = asked === 'unknown' ? 'unknown_packet_detail' : 'unknown_management_network';
      yield { verdict: 'accept', doubt };
    }
    yield* noiseSteps(
      chain,
      packet,
      'windows_noise',
      within(dport, [
        [135, 135],
        [139, 139],
        [445, 445],
      ]),
    );
  }
  if (protocol !== UDP) return;
  const corosync = within(dport, COROSYNC_PORTS);
  if (corosync === 'yes') yield builtin('accept', 'corosync');
  if (corosync === 'unknown') yield { verdict: 'accept', doubt: 'unknown_packet_detail' };
  const fromNetbios = both(within(sport, [[137, 137]]), within(dport, [[1024, 65535]]));
  yield* noiseSteps(
    chain,
    packet,
    'windows_noise',
    within(dport, [
      [135, 135],
      [137, 139],
      [445, 445],
    ]),
  );
  yield* noiseSteps(chain, packet, 'windows_noise', fromNetbios);
  yield* dropSteps('upnp', within(dport, [[1900, 1900]]));
  yield* dropSteps('dns_reply', within(sport, [[53, 53]]));
}

function* dropSteps(name: NodeBuiltin, answer: Answer): Generator<Step> {
  if (answer === 'yes') yield builtin('drop', name);
  if (answer === 'unknown') yield { verdict: 'drop', doubt: 'unknown_packet_detail' };
}

/** Noise is rejected, whatever the default policy is. */
function* noiseSteps(chain: PreparedNodeChain, packet: Packet, name: NodeBuiltin, answer: Answer): Generator<Step> {
  if (answer === 'yes') yield* rejectSteps(chain, packet, { kind: 'builtin', name });
  if (answer === 'unknown') yield { verdict: getRejectOutcome(chain, packet), doubt: 'unknown_packet_detail' };
}

function* helperSteps({ helpers }: PreparedNodeChain, packet: Packet): Generator<Step> {
  const { protocol, destination_port: dport } = packet;
  if (trackedState(packet) !== 'new') return;
  let open: Answer = 'no';
  for (const name of helpers ?? Object.keys(HELPERS)) {
    const helper = Object.hasOwn(HELPERS, name) ? HELPERS[name] : undefined;
    if (helper?.protocol === protocol) open = either(open, within(dport, [[helper.port, helper.port]]));
  }
  if (open === 'yes' && helpers) yield builtin('accept', 'conntrack_helper');
  else if (open !== 'no') {
    yield { verdict: 'accept', doubt: helpers ? 'unknown_packet_detail' : 'unknown_node_options' };
  }
}

function* ndpSteps({ ndp }: PreparedNodeChain, { source, protocol, icmp_type, direction }: Packet): Generator<Step> {
  if (source.family === 4 || protocol !== ICMPV6) return;
  const answer = hasType(icmp_type, NDP_TYPES[direction]);
  if (answer === 'no') return;
  if (answer === 'yes' && ndp !== null) {
    yield ndp ? builtin('accept', 'ndp') : builtin('drop', 'ndp_blocked');
    return;
  }
  const doubt = ndp === null ? 'unknown_node_options' : 'unknown_packet_detail';
  if (ndp !== false) yield { verdict: 'accept', doubt };
  if (ndp !== true) yield { verdict: 'drop', doubt };
  if (answer === 'yes') yield builtin('drop', 'ndp_blocked');
}

function* protectionSteps({ node, synflood }: PreparedNodeChain, packet: Packet): Generator<Step> {
  const { protocol, source, source_port: sport } = packet;
  if (protocol === TCP) {
    const opening = packet.tcp_syn !== false;
    // The chain drops within the limit, too: with the option no connection can be opened that reaches it.
    if (opening && synflood) yield builtin('drop', 'synflood');
    if (opening && synflood === null) yield { verdict: 'drop', doubt: 'unknown_node_options' };
    const hit = sport === 0 && opening;
    if (hit && node.drop_tcp_flags) yield builtin('drop', 'tcp_flags');
    if (node.drop_tcp_flags !== false && (hit || trackedState(packet) === 'invalid')) {
      yield { verdict: 'drop', doubt: node.drop_tcp_flags ? 'unknown_packet_detail' : 'unknown_node_options' };
    }
  }
  if (node.drop_smurfs === false || source.family === 6 || source.value === 0n) return;
  const broadcast = isBroadcast(packet, node.broadcasts);
  const smurf = broadcast || isMulticast(source);
  if (smurf && node.drop_smurfs) yield builtin('drop', 'smurf');
  else if (smurf || broadcast === null) {
    yield { verdict: 'drop', doubt: smurf ? 'unknown_node_options' : 'unknown_node_networks' };
  }
}

function* defaultSteps(chain: PreparedNodeChain, packet: Packet): Generator<Step> {
  const { policies } = chain;
  if (!policies) {
    yield { verdict: 'unknown', doubt: 'unknown_cluster_options' };
    yield toStep('drop', { kind: 'default', policy: 'DROP' });
    return;
  }
  const policy = policies[packet.direction];
  const decided_by = { kind: 'default', policy } as const;
  if (policy === 'REJECT') yield* rejectSteps(chain, packet, decided_by);
  else yield toStep(policy === 'ACCEPT' ? 'accept' : 'drop', decided_by);
}

/** What a node with the nftables implementation does with its own traffic, step by step. */
export function* nftablesNodeSteps(chain: PreparedNodeChain, packet: Packet): Generator<Step> {
  const incoming = packet.direction === 'in';
  yield* vitalSteps(packet);
  yield* sharedSteps((possible) => evaluateTracking(trackedState(packet), chain.node.drop_invalid, possible));
  if (incoming) {
    yield* serviceSteps(chain, packet);
    yield* helperSteps(chain, packet);
  }
  yield* ndpSteps(chain, packet);
  if (incoming) yield* protectionSteps(chain, packet);
  yield* nodeRuleSteps(chain, packet, () => getRejectOutcome(chain, packet));
  yield* defaultSteps(chain, packet);
}

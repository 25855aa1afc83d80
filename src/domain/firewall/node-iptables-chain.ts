import { trackedState } from './connection-state';
import { ICMPV6, IGMP, TCP, UDP } from './data/protocols';
import { listBuiltinHits } from './default-chain';
import { evaluateFrontChain, evaluateTracking } from './front-chain';
import { NDP_TYPES } from './iptables-chain';
import { nodeRuleSteps } from './node-rules';
import { builtin, type Step, sharedSteps, toStep } from './node-steps';
import { isMulticast, type Packet } from './packet';
import type { PreparedNodeChain } from './prepare-node-filter';
import { rejectOutcome } from './reject-outcome';

export const SERVICES = {
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

function* optionSteps({ ndp }: PreparedNodeChain, packet: Packet): Generator<Step> {
  const { source, protocol, icmp_type: type, direction } = packet;
  if (source.family === 4 || protocol !== ICMPV6 || ndp === false) return;
  if (type === undefined) yield { verdict: 'accept', doubt: 'unknown_packet_detail' };
  else if (NDP_TYPES[direction].some((passed) => passed === type)) {
    yield ndp ? builtin('accept', 'ndp') : { verdict: 'accept', doubt: 'unknown_node_options' };
  }
}

/** What the cluster needs for itself: its services from the management network, and the traffic between its nodes. */
function* clusterSteps(filter: PreparedNodeChain, packet: Packet): Generator<Step> {
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

function* defaultSteps({ policies, node }: PreparedNodeChain, packet: Packet, answered: Packet): Generator<Step> {
  if (!policies) {
    yield { verdict: 'unknown', doubt: 'unknown_cluster_options' };
    yield toStep('drop', { kind: 'default', policy: 'DROP' });
    return;
  }
  const policy = policies[packet.direction];
  const decided_by = { kind: 'default', policy } as const;
  if (policy === 'ACCEPT') {
    yield toStep('accept', decided_by);
    return;
  }
  for (const { name, verdict, certain, reason } of listBuiltinHits(policy, answered, { ...node, drop_invalid: true })) {
    yield certain && verdict !== 'unknown' ? builtin(verdict, name) : { verdict, doubt: reason };
  }
  const outcome = policy === 'DROP' ? 'drop' : rejectOutcome(answered, node.broadcasts, 'iptables');
  if (outcome === 'unknown') yield { verdict: 'reject', doubt: 'unknown_node_networks' };
  yield toStep(outcome === 'unknown' ? 'drop' : outcome, decided_by);
}

export function* iptablesNodeSteps(filter: PreparedNodeChain, packet: Packet): Generator<Step> {
  // An answer to the node's own packet need not cross a bridge: it gets back as one to a packet from outside does.
  const answered: Packet = { ...packet, direction: 'in' };
  // The option that lets invalid packets through is for guests only.
  yield* sharedSteps((possible) => evaluateTracking(trackedState(packet), true, possible));
  yield* optionSteps(filter, packet);
  yield* sharedSteps((possible) => evaluateFrontChain(filter, packet, possible));
  if (packet.protocol === IGMP) yield builtin('accept', 'igmp');
  yield* nodeRuleSteps(filter, packet, () => rejectOutcome(answered, filter.node.broadcasts, 'iptables'));
  yield* clusterSteps(filter, packet);
  yield* defaultSteps(filter, packet, answered);
}

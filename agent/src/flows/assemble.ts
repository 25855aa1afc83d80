import type { Flow, FlowDiagnostics } from '@fabric/agent-contract';
import { Conversations } from '../capture/conversations';
import { FLOW_FLAGS } from '../capture/ebpf/layout';
import type { ConntrackSnapshot } from '../conntrack/collector';
import type { LogFlow } from '../logs/log-flows';
import { addressToWords } from '../net/addresses';
import { IPPROTO, protocolNumber } from '../net/protocols';
import { type Candidate, isDenied, reportedFlow } from './candidate';
import { type CaptureSnapshot, toCaptureCandidate, topCaptureFlows } from './capture-flows';
import { conntrackFlows } from './conntrack-flows';
import { toLogCandidate, withVerdict } from './log-flow';
import { mergeCandidates } from './merge';
import { NEW_SHARE, selectFlows } from './select';

const ECHO_REPLY_V6 = { type: 129, code: 0 };

export type FlowSources = {
  capture: CaptureSnapshot | null;
  conntrack: ConntrackSnapshot | null;
  logs: Iterable<LogFlow>;
  /** Wall milliseconds: now, and when the interval began. */
  now: number;
  since: number;
};

export type AssembledFlows = { flows: Flow[] } & Pick<FlowDiagnostics, 'seen' | 'left_out'>;

/** Puts together what the collectors saw: one flow per identity, at most `limit`, and the totals of the rest. */
export function assembleFlows({ capture, conntrack, logs, now, since }: FlowSources, limit: number): AssembledFlows {
  const selected = new Set<number>();
  const outside: Candidate[] = [];
  const inCapture: Candidate[] = [];
  const states = new Map<number, Candidate>();

  for (const log of logs) {
    const flow = capture ? findLogged(capture, log) : -1;
    if (capture && flow >= 0 && !selected.has(flow)) {
      selected.add(flow);
      inCapture.push(withVerdict(toCaptureCandidate(capture, flow), log));
    } else if (log.newPackets > 0) {
      outside.push(toLogCandidate(log, since));
    }
  }
  const idle = capture && conntrack ? { ...capture, conversations: new Conversations(capture.table, 'idle') } : null;
  for (const connection of conntrack?.connections ?? []) {
    // At the start nothing is known about what is new, and without accounting nothing ever is.
    const showsIdle = conntrack?.isFirst || connection.newOriginal === null;
    for (const candidate of conntrackFlows(connection, now)) {
      const flow = capture ? findFlow(capture, candidate.flow) : -1;
      if (flow >= 0) states.set(flow, candidate);
      // The capture is read last: what came after the dump, it has counted in the interval before.
      else if (showsIdle || (candidate.newPackets > 0 && !(idle && findFlow(idle, candidate.flow) >= 0)))
        outside.push(candidate);
    }
  }

  const limits = { largest: limit, newest: Math.ceil(limit * NEW_SHARE) };
  const captured = capture ? topCaptureFlows(capture, limits, selected) : [];
  const enriched = capture ? captured.map((candidate) => withState(capture, candidate, states)) : captured;
  const candidates = mergeCandidates([...inCapture, ...enriched, ...outside]);
  const chosen = selectFlows(candidates, limit);

  const unlisted = capture || !conntrack ? 0 : conntrack.total - conntrack.connections.length;
  const seen = sumCandidates(outside);
  seen.flows += (capture?.conversations.totals.flows ?? 0) + unlisted;
  seen.bytes += capture?.conversations.totals.bytes ?? 0;
  seen.packets += capture?.conversations.totals.packets ?? 0;
  const sent = sumCandidates(chosen);
  return {
    flows: chosen.map(reportedFlow),
    seen,
    left_out: {
      flows: Math.max(0, seen.flows - sent.flows),
      bytes: Math.max(0, seen.bytes - sent.bytes),
      packets: Math.max(0, seen.packets - sent.packets),
    },
  };
}

/**
 * The captured flow that a log line speaks of, -1 when there is none. A refusal explains only packets that came from a
 * guest and were not answered: the same ports may have been let through later, after a change of the rules.
 */
function findLogged(capture: CaptureSnapshot, log: LogFlow): number {
  const { line } = log;
  const flow = findNumbers(capture, line.source, line.destination, line.protocol, {
    source: line.sourcePort,
    destination: line.destinationPort,
    icmp: line.icmp,
  });
  if (flow < 0 || !isDenied(line)) return flow;
  const { table, conversations } = capture;
  if (!table.isFromGuest(conversations.guestRows[flow] as number)) return -1;
  const back = conversations.reverse(flow);
  if (back < 0) return flow;
  const flags = table.flags[conversations.counterRows[back] as number] as number;
  const isReset =
    line.protocol === IPPROTO.tcp && (flags & FLOW_FLAGS.rst) !== 0 && (flags & FLOW_FLAGS.answered) === 0;
  return isReset ? flow : -1;
}

function findFlow(capture: CaptureSnapshot, flow: Flow): number {
  const protocol = protocolNumber(flow.protocol);
  if (protocol === null) return -1;
  // Connection tracking gives no type for answers: nearly all are echo replies, which under IPv4 are type 0.
  const answer = protocol === IPPROTO.icmpv6 ? ECHO_REPLY_V6 : null;
  return findNumbers(capture, flow.source_ip, flow.destination_ip, protocol, {
    source: flow.source_port,
    destination: flow.destination_port,
    icmp: flow.icmp_type === undefined ? answer : { type: flow.icmp_type, code: flow.icmp_code ?? 0 },
  });
}

function findNumbers(
  { conversations }: CaptureSnapshot,
  sourceText: string,
  destinationText: string,
  protocol: number,
  ports: { source: number | null; destination: number | null; icmp: { type: number; code: number } | null },
): number {
  const source = addressToWords(sourceText);
  const destination = addressToWords(destinationText);
  if (source === null || destination === null) return -1;
  const word = ports.icmp
    ? (ports.icmp.type | (ports.icmp.code << 8)) << 16
    : networkOrder(ports.source ?? 0) | (networkOrder(ports.destination ?? 0) << 16);
  return conversations.find(source, destination, word >>> 0, protocol);
}

function networkOrder(port: number): number {
  return ((port & 255) << 8) | (port >> 8);
}

/** Connection tracking has followed the connection from its start; the flags of this interval are less. */
function withState(capture: CaptureSnapshot, candidate: Candidate, states: Map<number, Candidate>): Candidate {
  if (states.size === 0) return candidate;
  const tracked = states.get(findFlow(capture, candidate.flow))?.flow;
  if (!tracked) return candidate;
  const { initiator = tracked.initiator, ...flow } = candidate.flow;
  return { ...candidate, flow: { ...flow, state: tracked.state, initiator, ...(tracked.raw && { raw: tracked.raw }) } };
}

function sumCandidates(candidates: readonly Candidate[]): { flows: number; bytes: number; packets: number } {
  const sum = { flows: candidates.length, bytes: 0, packets: 0 };
  for (const { newBytes, newPackets } of candidates) {
    sum.bytes += newBytes;
    sum.packets += newPackets;
  }
  return sum;
}

import type { Flow } from '@fabric/agent-contract';
import { type Candidate, flowIdentity, isIcmpRequest } from './candidate';

/** Priority of the counters: the source that sees every frame, then the kernel's own, then the log's sample. */
const TRUST: Record<string, number> = { ebpf: 3, ring: 3, conntrack: 2, firewall_log: 1, kernel_log: 1 };

/** Leaves one candidate per flow identity. Order is that of first appearance. */
export function mergeCandidates(candidates: Iterable<Candidate>): Candidate[] {
  const merged = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const identity = flowIdentity(candidate.flow);
    const known = merged.get(identity);
    merged.set(identity, known ? mergeTwo(known, candidate) : candidate);
  }
  return [...merged.values()];
}

function mergeTwo(a: Candidate, b: Candidate): Candidate {
  const [better, other] = getTrustLevel(b.flow) > getTrustLevel(a.flow) ? [b, a] : [a, b];
  if (getTrustLevel(a.flow) !== getTrustLevel(b.flow)) {
    return {
      ...better,
      flow: {
        ...other.flow,
        ...better.flow,
        ...ownCounters(better.flow),
        ...latest(a.flow, b.flow),
        state: better.flow.state ?? other.flow.state,
      },
    };
  }
  if (a.flow.raw?.zone !== b.flow.raw?.zone) {
    // The same packets, tracked once per zone.
    return (a.flow.bytes ?? 0) >= (b.flow.bytes ?? 0) ? a : b;
  }
  return sum(a, b);
}

/** Several conversations that share an identity, such as two pings between the same hosts, or a ping and an error. */
function sum(a: Candidate, b: Candidate): Candidate {
  const bySize = (b.flow.bytes ?? 0) > (a.flow.bytes ?? 0) ? b : a;
  const [isFirst, isSecond] = [isIcmpRequest(a.flow), isIcmpRequest(b.flow)];
  const larger = isFirst === isSecond ? bySize : isFirst ? a : b;
  const total = (field: 'bytes' | 'packets'): number | null =>
    a.flow[field] === null || b.flow[field] === null ? null : (a.flow[field] as number) + (b.flow[field] as number);
  return {
    flow: {
      ...larger.flow,
      bytes: total('bytes'),
      packets: total('packets'),
      ...(total('bytes') !== null && {
        delta_bytes: a.newBytes + b.newBytes,
        delta_packets: a.newPackets + b.newPackets,
      }),
      ...latest(a.flow, b.flow),
    },
    newBytes: a.newBytes + b.newBytes,
    newPackets: a.newPackets + b.newPackets,
    isNew: a.isNew && b.isNew,
  };
}

function ownCounters(flow: Flow): Partial<Flow> {
  const { bytes, packets, delta_bytes, delta_packets } = flow;
  return { bytes, packets, delta_bytes, delta_packets };
}

function latest(a: Flow, b: Flow): Partial<Flow> {
  const first = [a.first_seen_at, b.first_seen_at].filter((time) => time !== undefined).sort()[0];
  return {
    observed_at: [a.observed_at, b.observed_at].sort()[1] as string,
    ...(first !== undefined && { first_seen_at: first }),
  };
}

function getTrustLevel({ collector }: Flow): number {
  return TRUST[collector] ?? 0;
}

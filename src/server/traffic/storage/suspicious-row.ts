/**
 * Conversations of one source with one port of one guest that the agents told the same verdict of: who and how, and how much
 * and when, each as one text. Most were there at the last look, too: texts are compared and need not be read. See
 * `readSuspiciousEnds` and `readSuspiciousSums`.
 */
export type SuspiciousRow = { readonly ends: string; readonly sums: string };

export type SuspiciousEnds = {
  readonly cluster_id: string;
  readonly source_ip: string;
  readonly destination_ip: string;
  readonly destination_workload_id: string | null;
  readonly port: number;
  readonly protocol: string;
  readonly decision: 'accept' | 'drop' | 'reject' | 'observed';
  /** Replies were seen. */
  readonly answered: boolean;
  /** What all of them have in common; null where they differ. */
  readonly source_port: number | null;
  readonly nic: number | null;
};

export type SuspiciousSums = {
  readonly flows: number;
  readonly bytes: number | null;
  readonly packets: number | null;
  /** Milliseconds since 1970. */
  readonly first_seen_ms: number;
  readonly last_seen_ms: number;
};

const parseOptionalNumber = (text: string | undefined) => (text ? Number(text) : null);

export function readSuspiciousEnds(text: string): SuspiciousEnds {
  const [cluster = '', source = '', destination = '', workload, port, protocol = '', decision, sourcePort, nic] =
    text.split('|');
  return {
    cluster_id: cluster,
    source_ip: source,
    destination_ip: destination,
    destination_workload_id: workload || null,
    port: Number(port),
    protocol,
    decision: (decision === ANSWERED ? 'observed' : decision) as SuspiciousEnds['decision'],
    answered: decision === ANSWERED,
    source_port: parseOptionalNumber(sourcePort),
    nic: parseOptionalNumber(nic),
  };
}

export function readSuspiciousSums(text: string): SuspiciousSums {
  const [flows, bytes, packets, first, last] = text.split('|');
  return {
    flows: Number(flows),
    bytes: parseOptionalNumber(bytes),
    packets: parseOptionalNumber(packets),
    first_seen_ms: Number(first),
    last_seen_ms: Number(last),
  };
}

/** In the texts: observed, and replies were seen. */
export const ANSWERED = 'answered';

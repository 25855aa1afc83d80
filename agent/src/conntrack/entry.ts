/** One end of a tracked connection as seen in one direction. */
export type Tuple = {
  source: string;
  destination: string;
  sourcePort: number | null;
  destinationPort: number | null;
};

export type Counter = { packets: number; bytes: number };

/** A tracked connection. Counters are null when the kernel does not keep them (nf_conntrack_acct=0). */
export type ConntrackEntry = {
  protocol: number;
  /** Direction of the first packet, as sent, before any address translation. */
  original: Tuple;
  /** What answers look like when they arrive: source is the real destination. */
  reply: Tuple;
  icmp: { type: number; code: number } | null;
  zone: number;
  /** TCP state, or ASSURED, REPLIED, UNREPLIED for others. */
  state: string | null;
  originalCounter: Counter | null;
  replyCounter: Counter | null;
};

/** Places in `EntryCursor.counters`. */
export const COUNTER = { originalBytes: 0, originalPackets: 1, replyBytes: 2, replyPackets: 3, count: 4 } as const;

/**
 * An entry while a dump passes by: what is needed to rank it. `toEntry()` does the costly part, for the few that are
 * kept. Reused for the next entry; typed arrays, since numbers in fields would be allocated a hundred thousand times.
 */
export interface EntryCursor {
  /** Two 32 bit words that identify the connection from dump to dump. */
  readonly identity: Uint32Array;
  /** Counters of both directions (see COUNTER), 0 when not counted. */
  readonly counters: Float64Array;
  toEntry(): ConntrackEntry;
}

import type { OutsideName } from '../outside';
import type { RhythmName } from '../rhythm';

/** One end of a conversation: guests by name, or an outside host. */
export type Ends = readonly string[] | { outside: OutsideName };

/**
 * A kind of conversation. It runs on `lanes`, one conversation after the other on each, so that there are never more
 * concurrent ones than lanes. Conversation n of a lane begins at its n-th `period`; all lengths are in slots.
 */
export type Profile = {
  name: string;
  from: Ends;
  to: Ends;
  protocol: 'tcp' | 'udp' | 'icmp';
  /** Of the server; of several, each conversation has one. */
  ports: readonly number[];
  lanes: number;
  period: number;
  duration: readonly [number, number];
  rhythm: RhythmName;
  /** How much conversations carry at a time; default: always as much. */
  volume?: RhythmName;
  /** Bytes of one conversation: from the client, from the server; a third to three times that. */
  up: number;
  down: number;
  /** Ends belong to the lane instead of the conversation: connections that come back. */
  fixed?: true;
  /** The server refuses what the packet filter lets through: nothing listens there. */
  refused?: true;
};

/** One TCP conversation after the other between ends that change. */
export const tcp = (
  name: string,
  from: Ends,
  to: Ends,
  port: number,
  rest: Omit<Profile, 'name' | 'from' | 'to' | 'protocol' | 'ports'>,
): Profile => ({
  name,
  from,
  to,
  protocol: 'tcp',
  ports: [port],
  ...rest,
});

/** Connections that stay for most of an hour, as pools of connections do. */
export const pooled = { period: 240, duration: [236, 240], rhythm: 'always', fixed: true } as const;

export const KB = 1024;
export const MB = 1024 ** 2;

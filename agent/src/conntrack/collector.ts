import { TopK } from '../flows/top-k';
import { CounterMemory } from './counter-memory';
import { type ConntrackDump, dumpByCommand, dumpByFile, dumpByNetlink } from './dump';
import type { ConntrackEntry, EntryCursor } from './entry';

/** A connection with what it transferred since the last snapshot; null when the kernel does not count. */
export type RankedConnection = {
  entry: ConntrackEntry;
  newOriginal: { bytes: number; packets: number } | null;
  newReply: { bytes: number; packets: number } | null;
  /** Not in the last snapshot; false in the first one, where nothing is known. */
  isNew: boolean;
};

export type ConntrackSnapshot = {
  source: 'netlink' | 'command' | 'file';
  /** The connections with most new traffic, most first. */
  connections: RankedConnection[];
  /** All connections, the kept ones included. */
  total: number;
  newBytes: number;
  newPackets: number;
  /** First snapshot: what is new cannot be told yet. */
  isFirst: boolean;
};

type Way = { name: ConntrackSnapshot['source']; dump: ConntrackDump };
/** Each way remembers its own counters: they identify connections differently. */
type Source = Way & { memory: CounterMemory };

const ZERO = { originalBytes: 0, originalPackets: 0, replyBytes: 0, replyPackets: 0 };

/** Takes snapshots of connection tracking by the best way that works on this node. */
export class ConntrackCollector {
  /** Why ways of reading failed, newest first tried; empty when the first one works. */
  failures: string[] = [];
  private readonly sources: Source[];

  /** @param commandPath the conntrack tool, null when it is not installed */
  constructor(commandPath: string | null, ways: Way[] = waysToRead(commandPath)) {
    this.sources = ways.map((way) => ({ ...way, memory: new CounterMemory() }));
  }

  /** @returns null when connection tracking cannot be read; `failures` tells why */
  async snapshot(keep: number): Promise<ConntrackSnapshot | null> {
    this.failures = [];
    for (const source of this.sources) {
      try {
        return await this.snapshotFrom(source, keep);
      } catch (error) {
        this.failures.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return null;
  }

  private async snapshotFrom({ name, dump, memory }: Source, keep: number): Promise<ConntrackSnapshot> {
    const top = new TopK<RankedConnection>(keep);
    const result = { total: 0, newBytes: 0, newPackets: 0 };
    memory.startDump();
    const { isPrimed } = memory;

    await dump((cursor) => {
      const before = memory.exchange(cursor);
      // Without an earlier dump an old connection's history would look like traffic of this interval.
      const base = before ?? (isPrimed ? ZERO : cursor);
      const bytes = grown(cursor.originalBytes, base.originalBytes) + grown(cursor.replyBytes, base.replyBytes);
      result.total += 1;
      result.newBytes += bytes;
      result.newPackets +=
        grown(cursor.originalPackets, base.originalPackets) + grown(cursor.replyPackets, base.replyPackets);
      const score = isPrimed ? bytes : cursor.originalBytes + cursor.replyBytes;
      if (top.wants(score)) top.offer(score, rank(cursor, base, isPrimed && before === null));
    });
    return { source: name, connections: top.sorted(), ...result, isFirst: !isPrimed };
  }
}

function waysToRead(commandPath: string | null): Way[] {
  return [
    { name: 'netlink', dump: dumpByNetlink },
    ...(commandPath === null ? [] : [{ name: 'command', dump: dumpByCommand(commandPath) } as const]),
    { name: 'file', dump: dumpByFile },
  ];
}

/** What a counter gained; one that went back belongs to another connection and counts from zero. */
function grown(now: number, before: number): number {
  return now >= before ? now - before : now;
}

function rank(cursor: EntryCursor, base: typeof ZERO, isNew: boolean): RankedConnection {
  const entry = cursor.toEntry();
  return {
    entry,
    newOriginal: entry.originalCounter && {
      bytes: grown(cursor.originalBytes, base.originalBytes),
      packets: grown(cursor.originalPackets, base.originalPackets),
    },
    newReply: entry.replyCounter && {
      bytes: grown(cursor.replyBytes, base.replyBytes),
      packets: grown(cursor.replyPackets, base.replyPackets),
    },
    isNew,
  };
}

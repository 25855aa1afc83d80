import { TopK } from '../flows/top-k';
import { CounterMemory } from './counter-memory';
import { type ConntrackDump, dumpByCommand, dumpByFile, dumpByNetlink } from './dump';
import { COUNTER, type ConntrackEntry, type Counter, type EntryCursor } from './entry';

/** A connection with what it transferred since the last snapshot; null when the kernel does not count. */
export type RankedConnection = {
  entry: ConntrackEntry;
  newOriginal: Counter | null;
  newReply: Counter | null;
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
  /** First snapshot: there is nothing to compare it with, so new traffic is unknown. */
  isFirst: boolean;
};

type Way = { name: ConntrackSnapshot['source']; dump: ConntrackDump };
/** Each way remembers its own counters: they identify connections differently. */
type Source = Way & { memory: CounterMemory };

const NOTHING = new Float64Array(COUNTER.count);

/** Takes snapshots of connection tracking by the best way that works on this node. */
export class ConntrackCollector {
  /** Why ways of reading failed, newest first tried; empty when the first one works. */
  failures: string[] = [];
  private readonly sources: Source[];

  /** @param commandPath the conntrack tool, null when it is not installed */
  constructor(commandPath: string | null, ways: Way[] = listDumpSources(commandPath)) {
    this.sources = ways.map((way) => ({ ...way, memory: new CounterMemory() }));
  }

  /** @returns null when connection tracking cannot be read; `failures` gives the reason */
  async snapshot(keep: number): Promise<ConntrackSnapshot | null> {
    this.failures = [];
    for (const source of this.sources) {
      try {
        const snapshot = await this.snapshotFrom(source, keep);
        // What one way has counted, the others would count again.
        if (!snapshot.isFirst) for (const other of this.sources) if (other !== source) other.memory.reset();
        return snapshot;
      } catch (error) {
        this.failures.push(`${source.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return null;
  }

  /** Makes the next snapshot the first one: what is new in it is unknown. */
  forget(): void {
    for (const { memory } of this.sources) memory.reset();
  }

  private async snapshotFrom({ name, dump, memory }: Source, keep: number): Promise<ConntrackSnapshot> {
    const top = new TopK<RankedConnection>(keep);
    const result = { total: 0, newBytes: 0, newPackets: 0 };
    memory.startDump();
    const { isPrimed } = memory;

    const added = new Float64Array(COUNTER.count);
    await dump((cursor) => {
      const before = memory.exchange(cursor);
      // Without an earlier dump an old connection's history would look like traffic of this interval.
      subtract(cursor.counters, before ?? (isPrimed ? NOTHING : cursor.counters), added);
      const bytes = sumDirections(added, COUNTER.originalBytes, COUNTER.replyBytes);
      result.total += 1;
      result.newBytes += bytes;
      result.newPackets += sumDirections(added, COUNTER.originalPackets, COUNTER.replyPackets);
      const score = isPrimed ? bytes : sumDirections(cursor.counters, COUNTER.originalBytes, COUNTER.replyBytes);
      if (top.wants(score)) top.offer(score, toRankedConnection(cursor, added, isPrimed && before === null));
    });
    memory.endDump();
    return { source: name, connections: top.sorted(), ...result, isFirst: !isPrimed };
  }
}

function listDumpSources(commandPath: string | null): Way[] {
  return [
    { name: 'netlink', dump: dumpByNetlink },
    ...(commandPath === null ? [] : [{ name: 'command', dump: dumpByCommand(commandPath) } as const]),
    { name: 'file', dump: dumpByFile },
  ];
}

/** What each counter gained; one that went back belongs to another connection and counts from zero. */
function subtract(now: Float64Array, before: Float64Array, into: Float64Array): void {
  for (let i = 0; i < COUNTER.count; i += 1) {
    const later = now[i] as number;
    const earlier = before[i] as number;
    into[i] = later >= earlier ? later - earlier : later;
  }
}

function sumDirections(counters: Float64Array, original: number, reply: number): number {
  return (counters[original] as number) + (counters[reply] as number);
}

function toRankedConnection(cursor: EntryCursor, added: Float64Array, isNew: boolean): RankedConnection {
  const entry = cursor.toEntry();
  const counter = (bytes: number, packets: number): Counter => ({
    bytes: added[bytes] as number,
    packets: added[packets] as number,
  });
  return {
    entry,
    newOriginal: entry.originalCounter && counter(COUNTER.originalBytes, COUNTER.originalPackets),
    newReply: entry.replyCounter && counter(COUNTER.replyBytes, COUNTER.replyPackets),
    isNew,
  };
}

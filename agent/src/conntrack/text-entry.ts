import { COUNTER, type ConntrackEntry, type EntryCursor } from './entry';
import { entryIdentity, parseConntrackLine } from './text-parser';

/** Makes lines of conntrack text pass by as entries of a dump do. */
export class TextEntry implements EntryCursor {
  readonly identity = new Uint32Array(2);
  readonly counters = new Float64Array(COUNTER.count);
  private entry: ConntrackEntry | null = null;

  /** @returns whether the line is an entry */
  read(line: string): boolean {
    const entry = parseConntrackLine(line);
    this.entry = entry;
    if (!entry) return false;
    const name = entryIdentity(entry);
    this.identity[0] = hashText(name, 0x811c9dc5);
    this.identity[1] = hashText(name, 0x9e3779b1);
    this.counters[COUNTER.originalBytes] = entry.originalCounter?.bytes ?? 0;
    this.counters[COUNTER.originalPackets] = entry.originalCounter?.packets ?? 0;
    this.counters[COUNTER.replyBytes] = entry.replyCounter?.bytes ?? 0;
    this.counters[COUNTER.replyPackets] = entry.replyCounter?.packets ?? 0;
    return true;
  }

  toEntry(): ConntrackEntry {
    if (!this.entry) throw new Error('expected an entry to have been read');
    return this.entry;
  }
}

/** FNV-1a with a chosen start. */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

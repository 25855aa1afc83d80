import type { ConntrackEntry, EntryCursor } from './entry';
import { entryIdentity, parseConntrackLine } from './text-parser';

/** Makes lines of conntrack text pass by as entries of a dump do. */
export class TextEntry implements EntryCursor {
  id = 0;
  check = 0;
  originalBytes = 0;
  originalPackets = 0;
  replyBytes = 0;
  replyPackets = 0;
  private entry: ConntrackEntry | null = null;

  /** @returns whether the line is an entry */
  read(line: string): boolean {
    const entry = parseConntrackLine(line);
    this.entry = entry;
    if (!entry) return false;
    const identity = entryIdentity(entry);
    this.id = hashText(identity, 0x811c9dc5);
    this.check = hashText(identity, 0x9e3779b1);
    this.originalBytes = entry.originalCounter?.bytes ?? 0;
    this.originalPackets = entry.originalCounter?.packets ?? 0;
    this.replyBytes = entry.replyCounter?.bytes ?? 0;
    this.replyPackets = entry.replyCounter?.packets ?? 0;
    return true;
  }

  toEntry(): ConntrackEntry {
    if (!this.entry) throw new Error('no entry has been read');
    return this.entry;
  }
}

/** FNV-1a with a chosen start. */
function hashText(text: string, start: number): number {
  let hash = start;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../sys/clock';
import { errnoCode } from '../sys/errno';

export type SpoolLimits = { files: number; bytes: number; ageMilliseconds: number };

/** Two hours at the usual interval, and no more than a small part of any disk. */
export const SPOOL_LIMITS: SpoolLimits = { files: 240, bytes: 32 * 1024 * 1024, ageMilliseconds: 24 * 60 * 60 * 1000 };

const NAME = /^(\d{15})-(\d{6})[.]json[.]gz$/;

type Entry = { name: string; bytes: number; time: number };

/**
 * Heartbeats that could not be delivered, one file each. A file appears whole or not at all, and the directory never
 * grows over its limits: the oldest go first.
 */
export class Spool {
  /** Heartbeats dropped because of the limits or a full disk, since the start. */
  discarded = 0;
  private counter = 0;

  constructor(
    private readonly directory: string,
    private readonly limits: SpoolLimits = SPOOL_LIMITS,
    private readonly clock: Clock = Date.now,
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) if (!NAME.test(name)) rmSync(join(directory, name), { force: true });
  }

  /** Stores a request body durably; on a full disk in place of the oldest. @throws Error of the system (ENOSPC, EACCES) */
  put(body: Buffer): void {
    try {
      this.write(body);
    } catch (error) {
      const [oldest] = this.entries();
      if (errnoCode(error) !== 'ENOSPC' || !oldest) throw error;
      this.remove(oldest.name);
      this.discarded += 1;
      this.write(body);
    }
    this.trim();
  }

  /** The newest heartbeat, as the freshest is worth most; null when there is none. */
  newest(): { name: string; body: Buffer } | null {
    this.trim();
    for (const { name } of this.entries().reverse()) {
      try {
        return { name, body: readFileSync(join(this.directory, name)) };
      } catch {
        // Unreadable, so useless.
        this.remove(name);
      }
    }
    return null;
  }

  remove(name: string): void {
    rmSync(join(this.directory, name), { force: true });
  }

  get size(): number {
    return this.entries().length;
  }

  private write(body: Buffer): void {
    this.counter = (this.counter + 1) % 1_000_000;
    const name = `${String(this.clock()).padStart(15, '0')}-${String(this.counter).padStart(6, '0')}.json.gz`;
    const path = join(this.directory, name);
    try {
      const fd = openSync(`${path}.tmp`, 'w', 0o600);
      try {
        for (let written = 0; written < body.length; ) written += writeSync(fd, body, written);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(`${path}.tmp`, path);
    } catch (error) {
      rmSync(`${path}.tmp`, { force: true });
      throw error;
    }
    syncDirectory(this.directory);
  }

  private trim(): void {
    const entries = this.entries();
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    const oldest = this.clock() - this.limits.ageMilliseconds;
    while (entries.length > 0) {
      const [first] = entries as [Entry, ...Entry[]];
      if (entries.length <= this.limits.files && bytes <= this.limits.bytes && first.time >= oldest) return;
      this.remove(first.name);
      this.discarded += 1;
      bytes -= first.bytes;
      entries.shift();
    }
  }

  /** Oldest first; what a clock stored that was put back since is older than what it stores now. */
  private entries(): Entry[] {
    const now = this.clock();
    return readdirSync(this.directory)
      .sort()
      .flatMap((name) => {
        const time = NAME.exec(name)?.[1];
        const stat = time === undefined ? undefined : statSync(join(this.directory, name), { throwIfNoEntry: false });
        return stat ? [{ name, bytes: stat.size, time: Number(time) }] : [];
      })
      .sort((a, b) => Number(a.time <= now) - Number(b.time <= now));
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

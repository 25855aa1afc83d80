import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, monotonic } from '../sys/clock';
import { errnoCode } from '../sys/errno';
import type { FilePosition } from './file-position';
import { OpenFile } from './open-file';

/** What is saved between runs: the file being read, and rotated ones that may still be written to. */
export type TailState = { current: FilePosition | null; rotated: FilePosition[] };

/** A rotated file is closed after this long without a write; loggers reopen theirs with a delay. */
const QUIET_MILLISECONDS = 60_000;
/** Where a file is read from when there is more: a flood is counted in bytes, not parsed. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;
/** How much of an existing file is read on the very first run. */
const FIRST_RUN_BYTES = 1024 * 1024;
const COMPRESSED = /\.(gz|xz|zst|bz2)$/;

/**
 * Follows a log file by name through rotation, truncation and restarts of the agent, each line exactly once. A rotated
 * file keeps its descriptor and is drained before the new one: its writer keeps writing to it until it has to reopen.
 */
export class FileTail {
  /** Bytes passed over because too many were waiting, since the start. */
  skippedBytes = 0;
  /** Rotated files that were gone, or compressed, before they could be read to their end. */
  lostFiles = 0;
  private current: OpenFile | null = null;
  private rotated: { file: OpenFile; quietSince: number }[] = [];

  /**
   * @param saved state of the last run, null on the first one; then only the end of an existing file is read
   * @throws Error of the system when a file cannot be read
   */
  constructor(
    private readonly path: string,
    saved: TailState | null,
    private readonly clock: Clock = monotonic,
  ) {
    try {
      if (saved) this.resume(saved);
      else this.startNearEnd();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether there is a file to read; loggers make it with the first line. */
  get isPresent(): boolean {
    return this.current !== null;
  }

  get state(): TailState {
    return {
      current: this.current?.position ?? null,
      rotated: this.rotated.map(({ file }) => file.position),
    };
  }

  /** Reads what is new. @throws Error of the system when the file cannot be read; a missing file is not an error */
  read(take: (line: string) => void): void {
    this.noticeRotation();
    const stillOpen: typeof this.rotated = [];
    for (const { file, quietSince } of this.rotated) {
      const before = file.offset;
      file.readLines(take);
      const since = file.offset === before ? quietSince : this.clock();
      if (this.clock() - since < QUIET_MILLISECONDS) {
        stillOpen.push({ file, quietSince: since });
        continue;
      }
      const rest = file.readRest();
      if (rest !== '') take(rest);
      file.close();
    }
    this.rotated = stillOpen;
    if (!this.current) return;
    if (this.current.wasRewritten()) this.current.rewind();
    const waiting = this.current.size - this.current.offset;
    if (waiting > MAX_BACKLOG_BYTES) {
      this.skippedBytes += this.current.skipTo(this.current.size - MAX_BACKLOG_BYTES);
    }
    this.current.readLines(take);
  }

  close(): void {
    this.current?.close();
    for (const { file } of this.rotated) file.close();
    this.current = null;
    this.rotated = [];
  }

  private noticeRotation(): void {
    const inode = findInode(this.path);
    if (inode === null || inode === this.current?.inode) return;
    const next = OpenFile.open(this.path, 0);
    if (this.current) this.rotated.push({ file: this.current, quietSince: this.clock() });
    this.current = next;
  }

  private resume({ current, rotated }: TailState): void {
    const positions = current ? [...rotated, current] : rotated;
    for (const position of positions) {
      const path = this.pathOf(position.inode);
      const file = path === null ? null : OpenFile.resume(path, position);
      if (file && path === this.path) {
        this.current = file;
      } else if (file) {
        this.rotated.push({ file, quietSince: this.clock() });
      } else if (path === this.path) {
        // Truncated in place between two reads: everything in it is new.
        this.current = OpenFile.open(this.path, 0);
      } else if (position === current) {
        this.lostFiles += 1;
      }
    }
  }

  private startNearEnd(): void {
    if (findInode(this.path) === null) return;
    this.current = OpenFile.open(this.path, 0);
    if (this.current.size > FIRST_RUN_BYTES) this.current.skipTo(this.current.size - FIRST_RUN_BYTES);
  }

  /** Name under which an inode is found now: the file itself, or a rotated sibling. */
  private pathOf(inode: number): string | null {
    if (findInode(this.path) === inode) return this.path;
    const directory = dirname(this.path);
    const prefix = `${basename(this.path)}.`;
    for (const name of listNames(directory)) {
      if (!name.startsWith(prefix) || COMPRESSED.test(name)) continue;
      if (findInode(join(directory, name)) === inode) return join(directory, name);
    }
    return null;
  }
}

/** Null when there is no such file. Not with `throwIfNoEntry`: since Node 22 that hides ENOTDIR, too, which is no absence. */
function findInode(path: string): number | null {
  try {
    return statSync(path).ino;
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { computeFingerprint, type FilePosition, matchesPosition } from './file-position';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 65_536;
/** A longer line is no log line and is passed over. */
const MAX_LINE_BYTES = 32_768;

/** A log file being read, by descriptor: renaming it does not matter. */
export class OpenFile {
  readonly inode: number;
  /** Bytes of complete lines read so far. */
  offset: number;
  private print: { fingerprint: string; fingerprint_bytes: number };
  private readonly buffer = Buffer.alloc(CHUNK_BYTES);

  private constructor(
    private readonly fd: number,
    offset: number,
  ) {
    this.inode = fstatSync(fd).ino;
    this.offset = offset;
    this.print = computeFingerprint(fd);
  }

  /** @throws Error of the system (ENOENT, EACCES) */
  static open(path: string, offset: number): OpenFile {
    return openWith(path, (fd) => new OpenFile(fd, offset));
  }

  /** Opens a file at a saved position; null when it is another file, or was rewritten. @throws Error of the system */
  static resume(path: string, position: FilePosition): OpenFile | null {
    return openWith(path, (fd) => (matchesPosition(fd, position) ? new OpenFile(fd, position.offset) : null));
  }

  /** Bytes in the file now. */
  get size(): number {
    return fstatSync(this.fd).size;
  }

  get position(): FilePosition {
    return { inode: this.inode, offset: this.offset, ...this.print };
  }

  /** Whether the file was emptied or rewritten since the last read: its beginning is another one, or it is shorter. */
  wasRewritten(): boolean {
    return !matchesPosition(this.fd, this.position);
  }

  /** Starts over at the first byte, after the file was rewritten. */
  rewind(): void {
    this.offset = 0;
    this.print = computeFingerprint(this.fd);
  }

  /** Moves to the first line that begins at or after `offset`. @returns bytes passed over */
  skipTo(offset: number): number {
    const from = this.offset;
    this.offset = Math.max(this.offset, offset - 1);
    for (let read = this.fill(); read > 0; read = this.fill()) {
      const newline = this.buffer.subarray(0, read).indexOf(NEWLINE);
      this.offset += newline < 0 ? read : newline + 1;
      if (newline >= 0) break;
    }
    return this.offset - from;
  }

  /** Hands over the complete lines that are new. */
  readLines(take: (line: string) => void): void {
    for (let read = this.fill(); read > 0; read = this.fill()) {
      const used = splitLines(this.buffer.subarray(0, read), take);
      if (used === 0 && read < MAX_LINE_BYTES) break;
      this.offset += used === 0 ? read : used;
    }
    if (this.print.fingerprint_bytes < 64 && this.offset > this.print.fingerprint_bytes) {
      this.print = computeFingerprint(this.fd);
    }
  }

  /** What follows the last newline: a line its writer never finished. */
  readRest(): string {
    const read = this.fill();
    this.offset += read;
    return this.buffer.toString('latin1', 0, read);
  }

  close(): void {
    closeSync(this.fd);
  }

  private fill(): number {
    return readSync(this.fd, this.buffer, 0, CHUNK_BYTES, this.offset);
  }
}

/** Opens a file and closes it again if nothing was made of it. */
function openWith<T extends OpenFile | null>(path: string, make: (fd: number) => T): T {
  const fd = openSync(path, 'r');
  let made: T | null = null;
  try {
    made = make(fd);
    return made;
  } finally {
    if (made === null) closeSync(fd);
  }
}

/** @returns bytes up to and including the last newline */
function splitLines(chunk: Buffer, take: (line: string) => void): number {
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    if (end > start) take(chunk.toString('latin1', start, end));
    start = end + 1;
  }
  return start;
}

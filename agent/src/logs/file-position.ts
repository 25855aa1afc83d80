import { createHash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';

const FINGERPRINT_BYTES = 64;

/** Place in a log file that survives renames and restarts. */
export type FilePosition = {
  inode: number;
  offset: number;
  /** Hash of the first bytes: an inode number is used again, and a truncated file can grow past the old offset. */
  fingerprint: string;
  fingerprint_bytes: number;
};

/** Hash of the first `length` bytes of an open file, or of fewer when it is shorter. */
export function computeFingerprint(
  fd: number,
  length = FINGERPRINT_BYTES,
): { fingerprint: string; fingerprint_bytes: number } {
  const head = Buffer.alloc(length);
  const read = length === 0 ? 0 : readSync(fd, head, 0, length, 0);
  return { fingerprint: createHash('sha1').update(head.subarray(0, read)).digest('hex'), fingerprint_bytes: read };
}

/** Whether an open file is the one a position was taken in, and still holds what was read up to there. */
export function matchesPosition(fd: number, position: FilePosition): boolean {
  const stat = fstatSync(fd);
  if (stat.ino !== position.inode || stat.size < position.offset) return false;
  return computeFingerprint(fd, position.fingerprint_bytes).fingerprint === position.fingerprint;
}

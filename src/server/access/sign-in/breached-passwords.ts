import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { normalizePassword } from '@/domain/auth-password';

/** A line is 40 hexadecimal digits, a colon and a count. */
const HASH_LENGTH = 40;
/** Longer than any two lines. */
const WINDOW_BYTES = 256;

/** The hash of the first line that begins at or behind an offset, and where it begins; null behind the last one. */
async function lineFrom(file: FileHandle, offset: number): Promise<{ hash: string; at: number } | null> {
  // From one byte before: a line that begins exactly at the offset counts, too.
  const from = Math.max(0, offset - 1);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(WINDOW_BYTES), 0, WINDOW_BYTES, from);
  const text = buffer.toString('latin1', 0, bytesRead);
  const start = offset === 0 ? 0 : text.indexOf('\n') + 1;
  if (offset !== 0 && start === 0) return null;
  const hash = text.slice(start, start + HASH_LENGTH).toUpperCase();
  if (hash === '') return null;
  if (!/^[0-9A-F]{40}$/.test(hash)) throw new Error(`the file has no SHA-1 at byte ${from + start}`);
  return { hash, at: from + start };
}

/**
 * Whether a password is in a file of breached ones: lines `SHA1:COUNT`, sorted by hash, as Have I Been Pwned offers them. Searched by
 * bisection, so its 40 GB are neither loaded nor read through: some 30 reads of 256 bytes.
 * @throws Error when the file cannot be read or has another format
 */
export async function isBreachedPassword(path: string, password: string): Promise<boolean> {
  const wanted = createHash('sha1').update(normalizePassword(password), 'utf8').digest('hex').toUpperCase();
  const file = await open(path, 'r');
  try {
    let low = 0;
    let high = (await file.stat()).size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const line = await lineFrom(file, middle);
      if (line === null || line.hash > wanted) high = middle;
      else if (line.hash === wanted) return true;
      else low = line.at + HASH_LENGTH;
    }
    return false;
  } finally {
    await file.close();
  }
}

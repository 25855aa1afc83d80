import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Letters and digits that are hard to confuse when read from a screen. */
const LEGIBLE = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';

/** A code for a person to type, e.g. `K7QM-2XWP-9ATD`: 12 characters, 58 bits. */
export function createLegibleCode(): string {
  const groups: string[] = [];
  while (groups.length < 3) {
    let group = '';
    while (group.length < 4) {
      const byte = randomBytes(1)[0] ?? 255;
      // Values beyond the last whole multiple would bias the result toward the first letters.
      if (byte < LEGIBLE.length * Math.floor(256 / LEGIBLE.length)) group += LEGIBLE[byte % LEGIBLE.length];
    }
    groups.push(group);
  }
  return groups.join('-');
}

/** 256 bits of randomness as text. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Reads a secret of the data directory, and makes it on first use. It is written whole or not at all, readable by this
 * user only (0600).
 * @throws Error naming the file when it is there but empty: a new secret would not fit what the old one protects.
 */
export function ensureSecret(dataDirectory: string, name: string, make: () => string): string {
  const directory = join(dataDirectory, 'secrets');
  const path = join(directory, name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const read = () => {
    const value = readFileSync(path, 'utf8').trim();
    if (value === '') throw new Error(`${path} is empty. Restore it from a backup of the data directory.`);
    return value;
  };
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const part = join(directory, `.${name}-${randomBytes(6).toString('hex')}`);
  const file = openSync(part, 'wx', 0o600);
  writeSync(file, `${make()}\n`);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(part, path);
  } catch (error) {
    // Another process was first; its secret counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(part);
  }
  return read();
}

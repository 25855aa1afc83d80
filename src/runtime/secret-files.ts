import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Secrets of the data directory by name: one file each, mode 0600. */
export type SecretName = 'secret_key' | 'previous_secret_key' | 'database_password';

const getSecretPath = (dataDirectory: string, name: string) => join(dataDirectory, 'secrets', name);

/** A secret of a data directory, or null when there is none. */
export function readSecret(dataDirectory: string, name: SecretName): string | null {
  try {
    return readFileSync(getSecretPath(dataDirectory, name), 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

/** Writes a file that only this user reads: whole and on the disk, or not at all. What was there is replaced. */
export function writePrivateFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(part, 'wx', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  renameSync(part, path);
  syncDirectory(dirname(path));
}

/** Stores a secret in the place of the one before. */
export function writeSecret(dataDirectory: string, name: SecretName, value: string): void {
  writePrivateFile(getSecretPath(dataDirectory, name), `${value}\n`);
}

/** Removes a secret; it may be missing. */
export function removeSecret(dataDirectory: string, name: SecretName): void {
  rmSync(getSecretPath(dataDirectory, name), { force: true });
}

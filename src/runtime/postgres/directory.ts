import { chownSync, lchownSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseAccount } from './account';

/**
 * How a PostgreSQL process gets its directory. With a user of its own it gets an open descriptor (3) instead of a
 * path: the path may lead through directories that are closed to that user (/root, a private temporary directory).
 */
export function directoryHandle(
  path: string,
  account: DatabaseAccount | null,
): { argument: string; stdio: number[]; credentials: { uid?: number; gid?: number } } {
  if (!account) return { argument: path, stdio: [], credentials: {} };
  return {
    argument: '/proc/self/fd/3',
    stdio: [openSync(path, 'r')],
    credentials: { uid: account.uid, gid: account.gid },
  };
}

function chownTree(path: string, account: DatabaseAccount): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) chownTree(inner, account);
    lchownSync(inner, account.uid, account.gid);
  }
  chownSync(path, account.uid, account.gid);
}

/** Makes the account own the directory and all in it, as after a restored backup. Does nothing when it already does. */
export function ensureDirectoryOwner(path: string, account: DatabaseAccount | null): void {
  if (account && statSync(path).uid !== account.uid) chownTree(path, account);
}

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** More than all databases and temporary files of a run need. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Puts the temporary files of the run into memory if there is enough of it and programs may run there. A database has a thousand
 * files, which ext4 needs a second to create and delete, and the programs wait for each commit until it is on the disk.
 * @returns how to remove them
 */
export function keepInMemory(): () => void {
  if (process.env.TMPDIR) return () => {};
  let directory: string;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < ENOUGH_BYTES) return () => {};
    directory = mkdtempSync('/dev/shm/fabric-test-');
  } catch {
    return () => {};
  }
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  const script = join(directory, 'may-run');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  if (spawnSync(script).status !== 0) {
    remove();
    return () => {};
  }
  // Some tests run programs as other users.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  return () => {
    delete process.env.TMPDIR;
    remove();
  };
}

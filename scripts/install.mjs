// Installs the packages of package-lock.json when node_modules differs from it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/**
 * Whether node_modules holds what the lock asks for. npm writes what it installed to node_modules/.package-lock.json;
 * an optional package may be missing (it is for another platform), but not be there in another version.
 */
export function isInstalled(directory = root) {
  const installed = readLock(join(directory, 'node_modules', '.package-lock.json'));
  return Object.entries(readLock(join(directory, 'package-lock.json'))).every(([path, requested]) => {
    if (!path.startsWith('node_modules/')) return true;
    const present = installed[path];
    if (!present) return requested.optional === true || requested.devOptional === true || requested.peer === true;
    if (requested.link) return existsSync(join(directory, path));
    return present.version === requested.version;
  });
}

/** Runs `npm ci` when needed. Ends the process when it fails. */
export function installIfNeeded() {
  if (isInstalled()) return;
  process.stdout.write('Installing packages (npm ci)\n');
  // The build tools are development packages; NODE_ENV=production must not leave them out.
  const { status, error } = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write(`npm ci failed${error ? ` (${error.message})` : ''}. Check the network and try again.\n`);
  process.exit(1);
}

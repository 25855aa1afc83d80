import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const DIRECTORIES = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'] as const;
const TIMEOUT_MILLISECONDS = 15_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Full path of a program in the system's own directories, null when it is not installed. */
export function findTool(name: string): string | null {
  for (const directory of DIRECTORIES) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

/** Output of a program, in the C locale. @throws Error when it fails, is not there, or takes too long */
export function runTool(path: string, args: readonly string[], timeout = TIMEOUT_MILLISECONDS): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { LC_ALL: 'C', PATH: DIRECTORIES.join(':') } as NodeJS.Dict<string> as NodeJS.ProcessEnv;
    execFile(path, args, { timeout, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8', env }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else reject(new Error(`${path} ${args.join(' ')}: ${stderr.trim().split('\n').at(-1) || error.message}`));
    });
  });
}

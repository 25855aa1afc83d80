import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export type Outcome = { status: number | null; stdout: string; stderr: string };

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The program `fabric` in one file, as a release has it, for tests that start it many times. */
export async function buildFabric(): Promise<{ file: string; remove(): void }> {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, 'dist', 'test-'));
  const file = join(directory, 'fabric.mjs');
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/runtime/fabric-main.ts'],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'error',
    external: ['@node-rs/argon2', 'pg-native'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Runs the program as an operator would, with these variables and no others of ours. */
export function fabric(
  file: string,
  args: readonly string[],
  variables: Record<string, string>,
  input = '',
): Promise<Outcome> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', NODE_ENV: 'production', ...variables },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that is done does not wait for what it never asked for.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

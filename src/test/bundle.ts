import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program in one file, as a release has it, for tests that start it many times. @param entry from the project's root */
export async function bundle(entry: string): Promise<{ file: string; remove(): void }> {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const directory = mkdtempSync(join(ROOT, 'dist', 'test-'));
  // Other users may run it, too.
  chmodSync(directory, 0o755);
  const file = join(directory, 'program.mjs');
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // A fifth of the time of a start is parsing.
    minifyWhitespace: true,
    logLevel: 'error',
    external: ['@node-rs/argon2', 'pg-native'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The path of a program in one file while the tests of the calling file run; loading its sources each time takes seconds. */
export function bundled(entry: string): () => string {
  let made: Awaited<ReturnType<typeof bundle>> | undefined;
  beforeAll(async () => {
    made = await bundle(entry);
  });
  afterAll(() => made?.remove());
  return () => {
    if (!made) throw new Error(`${entry} is bundled before the first test of the file, not earlier`);
    return made.file;
  };
}

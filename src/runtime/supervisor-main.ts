import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertDemoAllowed, EMBEDDED_ARGUMENT, env } from '@/server/lib/env';
import type { ChildProgram } from './child-process';
import { runSupervisor } from './run-supervisor';
import type { ProgramOptions } from './supervisor';

/** The web and worker processes from their bundles in `dist`, and the demo when it is asked for. */
function productionPrograms(dist: string, { environment, collector, demo, embedded }: ProgramOptions): ChildProgram[] {
  return ['web', 'worker', ...(collector ? ['collector'] : []), ...(demo ? ['demo'] : [])].map((name) => ({
    name,
    command: process.execPath,
    arguments: [join(dist, `${name}.mjs`), ...(embedded ? [EMBEDDED_ARGUMENT] : [])],
    environment,
    workingDirectory: dist,
  }));
}

const dist = dirname(fileURLToPath(import.meta.url));

// `--check` only validates the environment, before a build that takes a minute.
if (process.argv.includes('--check')) {
  try {
    assertDemoAllowed(env());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
} else {
  await runSupervisor((options) => productionPrograms(dist, options));
}

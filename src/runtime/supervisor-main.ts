import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertDemoAllowed, env } from '@/server/lib/env';
import { productionPrograms } from './programs';
import { runSupervisor } from './run-supervisor';

const dist = dirname(fileURLToPath(import.meta.url));

// `--check` only tells whether the environment is right, before a build that takes a minute.
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

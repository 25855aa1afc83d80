import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { keepInMemory } from '@/test/keep-in-memory';
import { ROOT } from './fixtures/child';
import { bundleSimulator } from './fixtures/simulator';

/** Builds what changed. Each worker starts a service of its own from it, with its data in memory. @returns how to end that */
export default async function globalSetup(): Promise<() => void> {
  const build = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs'), '--if-changed'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (build.status !== 0) throw new Error('the build failed');
  await bundleSimulator();
  return keepInMemory();
}

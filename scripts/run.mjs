// The steps of `npm start`, once Node is known to be new enough.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIfNeeded, root } from './install.mjs';

function step(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** Installs, checks the environment, builds what changed, and turns this process into the supervisor. */
export async function run() {
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  installIfNeeded();
  const build = join(root, 'scripts', 'build.mjs');
  const supervisor = join(root, 'dist', 'supervisor.mjs');
  step(build, '--if-changed', '--bundles');
  step(supervisor, '--check');
  step(build, '--if-changed');
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(supervisor).href);
}

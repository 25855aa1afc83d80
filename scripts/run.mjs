// The steps of `npm start`, once Node is known to be new enough.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIfNeeded, root } from './install.mjs';
import { isBuilt, sourceHash } from './stamp.mjs';

function step(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

/** npm passes SIGTERM on, but not when it is killed itself; Ctrl-C could not stop the service after that. */
function exitWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 1_000);
  watch.unref();
}

/** Installs, checks the environment, builds what changed, and turns this process into the supervisor. */
export async function run() {
  if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
  installIfNeeded();
  const build = join(root, 'scripts', 'build.mjs');
  const supervisor = join(root, 'dist', 'supervisor.mjs');
  const hash = sourceHash();
  if (!isBuilt('bundles', hash) || !isBuilt('pages', hash)) {
    step(build, '--if-changed', '--bundles');
    // Before the pages, which take a minute.
    step(supervisor, '--check');
    step(build, '--if-changed');
  }
  exitWithNpm();
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(supervisor).href);
}

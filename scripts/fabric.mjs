#!/usr/bin/env node
// `npm run fabric -- <command>`: makes what is missing (packages, bundles) and runs the command.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIfNeeded, root } from './install.mjs';
import { isBuilt, sourceHash } from './stamp.mjs';

if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
installIfNeeded();
if (!isBuilt('bundles', sourceHash())) {
  const build = [join(root, 'scripts', 'build.mjs'), '--if-changed', '--bundles'];
  // Standard output is the command's own: a backup may go there.
  const { status } = spawnSync(process.execPath, build, { cwd: root, stdio: ['ignore', 2, 'inherit'] });
  if (status !== 0) process.exit(1);
}
// As `npm start` reads it; file names on the command line are those of the caller.
process.env.FABRIC_DATA_DIR = resolve(root, process.env.FABRIC_DATA_DIR || '.data');
process.chdir(process.env.INIT_CWD ?? process.cwd());
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, 'dist', 'fabric.mjs')).href);

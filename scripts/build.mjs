// Builds what `npm start` runs: bundles and the node agent in dist/, Next's standalone server in .next/. With `--if-changed`,
// only what the sources changed since the last complete build.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { escapeWide } from './escape-wide.mjs';
import { root } from './install.mjs';
import { isBuilt, sourceHash, stamp, unstamp } from './stamp.mjs';

const at = (...parts) => join(root, ...parts);
const ifChanged = process.argv.includes('--if-changed');
const bundlesOnly = process.argv.includes('--bundles');

/** Packages that are CommonJS call require() inside an ES module. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

async function buildBundles(hash) {
  if (ifChanged && isBuilt('bundles', hash)) return;
  unstamp('bundles');
  const entryPoints = {
    supervisor: 'src/runtime/supervisor-main.ts',
    web: 'src/runtime/web-main.ts',
    fabric: 'src/runtime/fabric-main.ts',
    migrate: 'src/runtime/migrate-main.ts',
    heavy: 'src/runtime/heavy-main.ts',
    worker: 'workers/main.ts',
    collector: 'src/runtime/collector-main.ts',
    demo: 'src/runtime/demo-main.ts',
  };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    // The log shows lines of the sources (server/lib/source-lines.ts), not their text.
    sourcesContent: false,
    logLevel: 'warning',
    // Native code is loaded from node_modules.
    external: ['@node-rs/argon2', 'pg-native'],
    banner: { js: REQUIRE },
    write: false,
  });
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.mjs') ? escapeWide(text) : text);
  // One file for other machines, served by the installation.
  await build({
    absWorkingDir: root,
    entryPoints: { fabric: 'src/runtime/client-main.ts' },
    outdir: 'dist/client',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  });
  // Served to the nodes by the installer's routes.
  const { status } = spawnSync(process.execPath, [at('agent', 'build.mjs'), at('dist', 'agent')], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  stamp('bundles', hash);
}

/** The image has the packages of the standalone server only: those with native code must be among them. */
function assertNativePackages(standalone) {
  const native = (base) => join(base, 'node_modules', '@node-rs');
  const missing = readdirSync(native(root)).filter((name) => !existsSync(join(native(standalone), name)));
  if (missing.length === 0) return;
  process.stderr.write(`The server for the image lacks @node-rs/${missing.join(', @node-rs/')}\n`);
  process.exit(1);
}

function buildPages(hash) {
  const standalone = at('.next', 'standalone');
  if (ifChanged && isBuilt('pages', hash)) return;
  unstamp('pages');
  rmSync(standalone, { recursive: true, force: true });
  const { status, signal } = spawnSync(process.execPath, [at('node_modules', 'next', 'dist', 'bin', 'next'), 'build'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (status !== 0) {
    process.stderr.write(`The build of the pages failed (${signal ?? status})\n`);
    process.exit(1);
  }
  assertNativePackages(standalone);
  // The standalone server serves these itself, from beside it.
  cpSync(at('.next', 'static'), join(standalone, '.next', 'static'), { recursive: true });
  if (existsSync(at('public'))) cpSync(at('public'), join(standalone, 'public'), { recursive: true });
  stamp('pages', hash);
}

const hash = sourceHash();
mkdirSync(at('dist'), { recursive: true });
await buildBundles(hash);
if (!bundlesOnly) buildPages(hash);

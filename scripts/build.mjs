// Builds what `npm start` runs: three bundles in dist/ and Next's standalone server in .next/. With `--if-changed`,
// only what the sources changed since the last complete build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (...parts) => join(root, ...parts);
const ifChanged = process.argv.includes('--if-changed');
const bundlesOnly = process.argv.includes('--bundles');

const TESTS = /[.](test|suite|fixture)[.]\w+$|(^|\/)src\/test\/|[.]md$/;

function* filesBelow(path) {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules') yield* filesBelow(inner);
    } else if (!TESTS.test(relative(root, inner))) yield inner;
  }
}

/** One hash over everything a build reads. */
function sourceHash() {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  const single = ['package-lock.json', 'next.config.ts', 'tsconfig.json', 'postcss.config.mjs', 'scripts/build.mjs'];
  const files = ['src', 'workers', 'agent', 'public', 'drizzle'].flatMap((folder) => [...filesBelow(at(folder))]);
  for (const file of [...single.map((name) => at(name)), ...files]) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function isCurrent(stamp, hash, result) {
  return existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

async function buildBundles(hash) {
  const stamp = at('dist', '.stamp');
  if (ifChanged && isCurrent(stamp, hash, at('dist', 'supervisor.mjs'))) return;
  rmSync(stamp, { force: true });
  await build({
    absWorkingDir: root,
    entryPoints: {
      supervisor: 'src/runtime/supervisor-main.ts',
      web: 'src/runtime/web-main.ts',
      migrate: 'src/runtime/migrate-main.ts',
      'verify-audit': 'src/cli/verify-audit.ts',
      worker: 'workers/main.ts',
    },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
    // Native code is loaded from node_modules; `server-only` throws outside Next's own bundles.
    external: ['@node-rs/argon2', 'pg-native'],
    alias: { 'server-only': './src/test/empty.ts' },
    // Packages that are CommonJS call require() inside an ES module.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  writeFileSync(stamp, hash);
}

function buildPages(hash) {
  const standalone = at('.next', 'standalone');
  const stamp = at('.next', 'fabric-stamp');
  if (ifChanged && isCurrent(stamp, hash, join(standalone, 'server.js'))) return;
  rmSync(stamp, { force: true });
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
  // The standalone server serves these itself, from beside it.
  cpSync(at('.next', 'static'), join(standalone, '.next', 'static'), { recursive: true });
  if (existsSync(at('public'))) cpSync(at('public'), join(standalone, 'public'), { recursive: true });
  writeFileSync(stamp, hash);
}

const hash = sourceHash();
mkdirSync(at('dist'), { recursive: true });
await buildBundles(hash);
if (!bundlesOnly) buildPages(hash);

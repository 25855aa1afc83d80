// Shows whether the build fits the sources: a build leaves the hash of everything it read.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './install.mjs';

const TESTS = /[.](test|suite|fixture)[.]\w+$|(^|\/)src\/test\/|[.]md$/;
const FOLDERS = ['src', 'workers', 'agent', 'packages', 'public', 'drizzle'];
const FILES = [
  ...['package-lock.json', 'next.config.ts', 'tsconfig.json', 'postcss.config.mjs'],
  ...['scripts/build.mjs', 'scripts/stamp.mjs'],
];

function* filesBelow(path) {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && entry.name !== 'dist') yield* filesBelow(inner);
    } else if (!TESTS.test(relative(root, inner))) yield inner;
  }
}

/** One hash over everything a build reads. */
export function sourceHash() {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  const below = FOLDERS.flatMap((folder) => [...filesBelow(join(root, folder))]);
  for (const file of [...FILES.map((name) => join(root, name)), ...below]) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** The two things that are built: their stamp, and a file that proves that they are there. */
const BUILDS = {
  bundles: { stamp: join(root, 'dist', '.stamp'), result: join(root, 'dist', 'supervisor.mjs') },
  pages: { stamp: join(root, '.next', 'fabric-stamp'), result: join(root, '.next', 'standalone', 'server.js') },
};

/** Whether a build of these sources is complete. */
export function isBuilt(name, hash) {
  const { stamp, result } = BUILDS[name];
  return existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** Before a build: the existing output counts as incomplete from now on. */
export function unstamp(name) {
  rmSync(BUILDS[name].stamp, { force: true });
}

/** After a complete build. */
export function stamp(name, hash) {
  writeFileSync(BUILDS[name].stamp, hash);
}

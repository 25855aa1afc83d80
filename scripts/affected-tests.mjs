// Which unit tests a change can affect, for `npm run check`: the others passed with the same files before. `npm test` runs all of them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './install.mjs';

const getPassedFile = (directory) => join(directory, 'node_modules', '.cache', 'unit-tests-passed');
/** Modules, whose importers are known, and what only tests in `READS_FILES` look at. A change of something else affects all tests. */
const TRACED = /\.(tsx?|md)$|^src\/lib\/i18n\/catalogs\/|^e2e\//;
/** Tests that look at files or programs which they do not import: they always run. */
const READS_FILES = /from '(node:(fs|child_process|worker_threads)|@\/test\/(?!thorough'))|import\.meta\.url/;

function git(cwd, args, env = {}) {
  const { status, stdout } = spawnSync('git', args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} failed`);
  return stdout.trim();
}

/** The id of all files as they are now, committed or not; null without git. */
export function hashWorkingTree(directory = root) {
  const temporary = mkdtempSync(join(tmpdir(), 'fabric-check-'));
  try {
    const index = { GIT_INDEX_FILE: join(temporary, 'index') };
    const present = git(directory, ['rev-parse', '--path-format=absolute', '--git-path', 'index']);
    // By the time of its index git knows which files may have changed within the same second.
    cpSync(present, index.GIT_INDEX_FILE, { preserveTimestamps: true });
    git(directory, ['add', '--all'], index);
    return git(directory, ['write-tree'], index);
  } catch {
    return null;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Notes that all unit tests pass with these files. */
export function recordPassed(files, directory = root) {
  if (files === null) return;
  mkdirSync(dirname(getPassedFile(directory)), { recursive: true });
  writeFileSync(getPassedFile(directory), files);
}

/** Files to pass to `vitest related`, or null when all tests have to run. */
export function findAffectedTests(files, directory = root) {
  try {
    const changed = git(directory, [
      'diff',
      '--name-only',
      '--no-renames',
      readFileSync(getPassedFile(directory), 'utf8'),
      files,
    ])
      .split('\n')
      .filter((path) => path !== '');
    if (changed.some((path) => !TRACED.test(path))) return null;
    const tests = git(directory, ['ls-tree', '-r', '--name-only', files])
      .split('\n')
      .filter((path) => /\.test\.tsx?$/.test(path) && !/^e2e\/|\.int\.test\.ts$/.test(path));
    const always = tests.filter((path) => READS_FILES.test(readFileSync(join(directory, path), 'utf8')));
    return [...changed, ...always];
  } catch {
    return null;
  }
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
// @ts-expect-error the scripts are plain JavaScript: they run before anything is installed
import { findAffectedTests, hashWorkingTree, recordPassed } from './affected-tests.mjs';

let directory: string;
const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
const git = (...args: string[]) => spawnSync('git', args, { cwd: directory });
const affected = (): string[] | null => findAffectedTests(hashWorkingTree(directory), directory);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fabric-affected-'));
  mkdirSync(join(directory, 'src'));
  git('init', '--quiet');
  write('.gitignore', 'node_modules\n');
  write('package.json', '{}');
  write('src/a.ts', 'export const a = 1;\n');
  write('src/a.test.ts', "import { a } from './a';\n");
  write('src/docs.test.ts', "import { readFileSync } from 'node:fs';\n");
  git('add', '--all');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('names changed and new modules since the tests passed, and tests that read files', () => {
  recordPassed(hashWorkingTree(directory), directory);
  expect(affected()).toEqual(['src/docs.test.ts']);
  write('src/a.ts', 'export const a = 2;\n');
  write('src/b.ts', 'export const b = 1;\n');
  expect(affected()).toEqual(['src/a.ts', 'src/b.ts', 'src/docs.test.ts']);
  recordPassed(hashWorkingTree(directory), directory);
  expect(affected()).toEqual(['src/docs.test.ts']);
  // What was tried and taken back is a change again.
  write('src/a.ts', 'export const a = 1;\n');
  expect(affected()).toEqual(['src/a.ts', 'src/docs.test.ts']);
});

it('names all tests when none are known to have passed, and when other files than modules changed', () => {
  expect(affected()).toBeNull();
  recordPassed(hashWorkingTree(directory), directory);
  write('package.json', '{ "private": true }');
  expect(affected()).toBeNull();
});

it('names all tests where there is no git', () => {
  rmSync(join(directory, '.git'), { recursive: true });
  expect(hashWorkingTree(directory)).toBeNull();
  expect(affected()).toBeNull();
});

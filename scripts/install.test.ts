import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
// @ts-expect-error the scripts are plain JavaScript: they run before anything is installed
import { isInstalled } from './install.mjs';

type Entry = { version?: string; optional?: boolean; link?: boolean };

describe('isInstalled', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-install-'));
    mkdirSync(join(directory, 'node_modules'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const check = (expected: Record<string, Entry>, installed: Record<string, Entry> | null): boolean => {
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...expected } }));
    if (installed) {
      writeFileSync(join(directory, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
    }
    return isInstalled(directory);
  };

  it('compares what npm installed with the lock', () => {
    const lock = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0' } };
    expect(check(lock, null)).toBe(false);
    expect(check(lock, { 'node_modules/a': { version: '1.0.0' } })).toBe(false);
    expect(check(lock, { ...lock, 'node_modules/b': { version: '2.0.1' } })).toBe(false);
    expect(check(lock, lock)).toBe(true);
  });

  it('does without packages of other platforms, but not with another version of them', () => {
    const lock = { 'node_modules/a-win32': { version: '1.0.0', optional: true } };
    expect(check(lock, {})).toBe(true);
    expect(check(lock, { 'node_modules/a-win32': { version: '0.9.0' } })).toBe(false);
  });

  it('wants the links to workspaces', () => {
    const lock = { 'node_modules/agent': { link: true }, agent: { version: '1.0.0' } };
    expect(check(lock, { 'node_modules/agent': { link: true } })).toBe(false);
    mkdirSync(join(directory, 'node_modules/agent'));
    expect(check(lock, { 'node_modules/agent': { link: true } })).toBe(true);
  });
});

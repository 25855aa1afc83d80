import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';

/** Has the tests of a file run in a directory of its own in which the agent was built. @returns how to read its path */
export function provideBuiltAgent(): () => string {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-install-test-'));
    const build = spawnSync(process.execPath, ['agent/build.mjs', join(directory, 'dist', 'agent')], {
      encoding: 'utf8',
    });
    expect(build.status, build.stderr).toBe(0);
    vi.spyOn(process, 'cwd').mockReturnValue(directory);
  }, 60_000);
  afterAll(() => {
    vi.restoreAllMocks();
    rmSync(directory, { recursive: true });
  });
  return () => directory;
}

/** The body of an answer with this status. */
export async function readJson<T>(response: Response | Promise<Response>, status: number): Promise<T> {
  const answer = await response;
  const text = await answer.text();
  expect(answer.status, text).toBe(status);
  return JSON.parse(text);
}

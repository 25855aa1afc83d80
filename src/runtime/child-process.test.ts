import { describe, expect, it } from 'vitest';
import { keepRunning } from './child-process';

/** Starts a program with these variables that reports how many arenas its C library may have. */
async function startWith(variables: Record<string, string>) {
  const environment = { NODE_ENV: 'production' as const, PATH: '/usr/bin:/bin', ...variables };
  const program = `process.send({ ready: true, notes: [process.env.MALLOC_ARENA_MAX] }); setInterval(() => {}, 1000)`;
  const child = keepRunning(
    { name: 'web', command: process.execPath, arguments: ['-e', program], environment, workingDirectory: '/' },
    { onLine: () => {}, onEvent: () => {} },
  );
  const { notes } = await child.ready;
  await child.stop(5_000);
  return notes;
}

describe('keepRunning', () => {
  it('gives a program one arena for all threads, unless its environment sets another number', async () => {
    expect(await startWith({})).toEqual(['1']);
    expect(await startWith({ MALLOC_ARENA_MAX: '4' })).toEqual(['4']);
  });
});

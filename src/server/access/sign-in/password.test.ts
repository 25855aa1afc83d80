import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import argon2 from '@node-rs/argon2';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { forgetProcessState } from '../../lib/process-state';
import { signedInAsker } from './checks';
import { hashPassword, isOutdatedHash, verifyPassword } from './passwords';

const waiting: (() => void)[] = [];
let running = 0;
let most = 0;
const slow = async <T>(result: T): Promise<T> => {
  running += 1;
  most = Math.max(most, running);
  await new Promise<void>((resolve) => waiting.push(resolve));
  running -= 1;
  return result;
};
vi.spyOn(argon2, 'hash').mockImplementation((password) => slow(`hash of ${password}`));
vi.spyOn(argon2, 'verify').mockImplementation((stored, password) => {
  if (stored === 'broken') throw new Error('not a hash');
  return slow(stored === `hash of ${password}`);
});
// Two concurrent hashes need more than two processors.
vi.spyOn(os, 'availableParallelism').mockReturnValue(4);
syncBuiltinESMExports();
forgetProcessState();
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Lets every computation end, also those that start only then. */
async function finish<T>(all: Promise<T>): Promise<T> {
  let done = false;
  const result = all.finally(() => {
    done = true;
  });
  while (!done) {
    waiting.splice(0).forEach((end) => void end());
    await new Promise((resolve) => setImmediate(resolve));
  }
  return result;
}

describe('hashing', () => {
  afterEach(() => {
    most = 0;
  });

  const from = (source: string, count: number) =>
    Array.from({ length: count }, (_, i) => hashPassword(`p${i}`, { source, account: `${source} ${i}` }));

  it('runs two at a time, one per source, queues twenty per source and refuses the rest immediately', async () => {
    const all = Promise.allSettled([...from('a', 30), ...from('b', 3)]);
    const results = await finish(all);
    expect(most).toBe(2);
    const refused = results.flatMap((r, i) => (r.status === 'rejected' ? [{ i, reason: r.reason }] : []));
    expect(refused.map(({ i }) => i)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29]);
    expect(refused[0]?.reason).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 });
    // All places are free again.
    expect(await finish(hashPassword('later'))).toBe('hash of later');
  });

  it('lets a signed-in user change a password however many others do', async () => {
    await finish(verifyPassword(null, 'a'));
    const flood = Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => verifyPassword('hash of x', `p${i}`, signedInAsker('one'))),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const other = verifyPassword('hash of x', 'x', signedInAsker('another'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(2);
    expect(await finish(other)).toBe(true);
    expect((await finish(flood)).filter(({ status }) => status === 'rejected')).toHaveLength(6);
  });

  it('checks a password from another source immediately, however many wait at one source', async () => {
    // The dummy hash is computed already.
    await finish(verifyPassword(null, 'a'));
    const flood = Promise.allSettled(from('a', 21));
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(1);
    const elsewhere = verifyPassword('hash of x', 'x', { source: 'b', account: 'x' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toBe(2);
    expect(await finish(elsewhere)).toBe(true);
    await finish(flood);
  });

  it('checks against a dummy hash when there is none, and survives an unreadable hash', async () => {
    expect(await finish(verifyPassword('hash of a', 'a'))).toBe(true);
    expect(await finish(verifyPassword('hash of a', 'b'))).toBe(false);
    expect(await finish(verifyPassword(null, 'a'))).toBe(false);
    expect(await finish(verifyPassword('broken', 'a'))).toBe(false);
    expect(await finish(verifyPassword('hash of a', 'a'))).toBe(true);
  });

  it('knows hashes of other costs', () => {
    expect(isOutdatedHash('$argon2id$v=19$m=65536,t=3,p=1$c2FsdA$aGFzaA')).toBe(false);
    expect(isOutdatedHash('$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA')).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { retryUntilAvailable } from './prepare-stores';

const failing = (times: number, code: string) => {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error(`call ${calls}`), { code });
    return calls;
  };
};

describe('retryUntilAvailable', () => {
  it.each(['ECONNRESET', 'ECONNREFUSED', '57P03'])('asks again while the store does not answer (%s)', async (code) => {
    expect(await retryUntilAvailable(failing(2, code))).toBe(3);
  });

  it('does not repeat what failed for another reason', async () => {
    await expect(retryUntilAvailable(failing(1, '42P01'))).rejects.toThrow('call 1');
  });

  it('ends when the time is over, with the error of the store', async () => {
    await expect(retryUntilAvailable(failing(100, 'ECONNREFUSED'), 300)).rejects.toThrow('call 2');
  });
});

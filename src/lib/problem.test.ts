import { describe, expect, it } from 'vitest';
import { failureFromBody, isTransient, retryDelay } from './problem';

const body = (more: object) => ({ title: 'Temporarily unavailable', status: 503, code: 'unavailable', ...more });

describe('failures that pass', () => {
  it('retry after the time in the response, at most 15 s', () => {
    const named = failureFromBody(body({ status: 429, retry_after: 5 }));
    expect(named && isTransient(named)).toBe(true);
    for (const [seconds, atLeast, atMost] of [
      [5, 5_000, 6_250],
      [900, 15_000, 18_750],
    ] as const) {
      const pause = retryDelay(0, { title: 'Too many requests', retry_after: seconds });
      expect(pause).toBeGreaterThanOrEqual(atLeast);
      expect(pause).toBeLessThanOrEqual(atMost);
    }
    expect(retryDelay(0, { title: 'Internal error' })).toBeLessThan(700);
  });

  it('exclude a statement that took too long, and flow storage that is away', () => {
    const slow = failureFromBody(body({ reason: 'too_slow' }));
    expect(slow && isTransient(slow)).toBe(false);
    const away = failureFromBody(body({ reason: 'flow_storage' }));
    expect(away && isTransient(away)).toBe(false);
    const down = failureFromBody(body({}));
    expect(down && isTransient(down)).toBe(true);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map';
import { CircuitBreaker } from './circuit-breaker';
import { shareClusterLimits } from './cluster-limits';
import { Semaphore } from './semaphore';

describe('a semaphore', () => {
  it('never has more holders than its size, and serves in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.nat(3), fc.boolean()), { maxLength: 20 }),
        async (size, jobs) => {
          const semaphore = new Semaphore(size);
          let running = 0;
          let most = 0;
          const started: number[] = [];
          await Promise.allSettled(
            jobs.map(([turns, fails], i) =>
              semaphore.run(async () => {
                started.push(i);
                most = Math.max(most, ++running);
                for (let turn = 0; turn < turns; turn++) await Promise.resolve();
                running--;
                if (fails) throw new Error('job failed');
              }),
            ),
          );
          expect(most).toBeLessThanOrEqual(size);
          expect(started).toEqual(jobs.map((_, i) => i));
          expect(semaphore.idle).toBe(true);
        },
      ),
    );
  });
});

describe('a circuit breaker', () => {
  const options = { threshold: 3, openMs: 100, maxOpenMs: 300 };
  const failing = (times: number, breaker = new CircuitBreaker(options), at = 0) => {
    for (let i = 0; i < times; i++) breaker.enter(at)?.fail(at);
    return breaker;
  };

  it('opens after so many failures in a row, not before', () => {
    expect(failing(2).enter(0)).not.toBeNull();
    expect(failing(3).enter(0)).toBeNull();
    const interrupted = failing(2);
    interrupted.enter(0)?.succeed();
    expect(failing(2, interrupted).enter(0)).not.toBeNull();
  });

  it('lets one probe pass when its time is over', () => {
    const breaker = failing(3);
    expect(breaker.enter(99)).toBeNull();
    const probe = breaker.enter(100);
    expect(probe).not.toBeNull();
    expect(breaker.enter(100)).toBeNull();
    probe?.succeed();
    expect(breaker.enter(100)).not.toBeNull();
    expect(breaker.idle).toBe(true);
  });

  it('lets an insistent caller probe before its time is over, one at a time, and closes on success', () => {
    const breaker = failing(3);
    expect(breaker.enter(1)).toBeNull();
    const probe = breaker.enter(1, true);
    expect(breaker.enter(1, true)).toBeNull();
    probe?.succeed();
    expect(breaker.enter(1)).not.toBeNull();
  });

  it('stays open for longer after each failed probe, up to a limit', () => {
    const breaker = failing(3);
    const opensAt = [100, 300, 600, 900].map((time) => {
      expect(breaker.enter(time - 1)).toBeNull();
      breaker.enter(time)?.fail(time);
      return time;
    });
    expect(opensAt).toHaveLength(4);
  });

  it('gives a probe that proved nothing another try', () => {
    const breaker = failing(3);
    breaker.enter(100)?.release();
    expect(breaker.enter(100)).not.toBeNull();
  });

  it('closes despite attempts that entered before it opened', () => {
    const breaker = new CircuitBreaker(options);
    const early = breaker.enter(0);
    failing(3, breaker);
    early?.fail(90);
    expect(breaker.enter(100)).not.toBeNull();
  });
});

describe('a bounded map', () => {
  it('forgets idle entries first used longest ago, never those in use', () => {
    const map = new BoundedMap(
      2,
      () => ({ idle: true }),
      (value) => value.idle,
    );
    const a = map.get('a');
    a.idle = false;
    const b = map.get('b');
    map.get('c');
    expect(map.size).toBe(2);
    expect(map.get('a')).toBe(a);
    expect(map.get('b')).not.toBe(b);
  });
});

describe('the limits of a cluster', () => {
  it('apply to all users of the same key', () => {
    const [one, two, other] = ['cluster-a', 'cluster-a', 'cluster-b'].map(shareClusterLimits);
    expect(one?.limits).toBe(two?.limits);
    expect(one?.limits).not.toBe(other?.limits);
    for (const share of [one, one, two, other]) share?.release();
    expect(one?.limits.users).toBe(0);
  });
});

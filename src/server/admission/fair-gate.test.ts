import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../lib/errors';
import { FairGate, type GateLimits } from './fair-gate';

const TEXTS = { queue_full: 'Full.', waited_too_long: 'Late.' };
const LIMITS: GateLimits = {
  running: 3,
  per_tenant: 2,
  per_account: 2,
  waiting_per_tenant: 50,
  waiting_per_account: 20,
  wait_ms: 10_000,
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = () => vi.advanceTimersByTimeAsync(0);

const parseAsker = (who: string) => {
  const [tenant = '', account = ''] = who.split('/');
  return { tenant, account };
};
function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** Requests at a gate that end on demand. */
function lab(limits: Partial<GateLimits> = {}) {
  const running: { who: string; end: (error?: Error) => void }[] = [];
  const outcomes = new Map<number, string>();
  let last = { running: 0, waiting: 0 };
  const gate = new FairGate({ ...LIMITS, ...limits }, TEXTS, ({ running: r, waiting }) => {
    last = { running: r, waiting };
  });
  let serial = 0;
  return {
    gate,
    running,
    outcomes,
    state: () => last,
    /** `a/1` is account 1 of tenant a, `ab/1` the same account asking for two tenants. */
    ask(who: string, signal: AbortSignal | null = null): number {
      const id = serial++;
      const asker = parseAsker(who);
      const work = () =>
        new Promise<void>((resolve, reject) => {
          const one = {
            who,
            end: (error?: Error) => {
              running.splice(running.indexOf(one), 1);
              if (error) reject(error);
              else resolve();
            },
          };
          running.push(one);
        });
      gate.run(asker, signal, work).then(
        () => outcomes.set(id, 'done'),
        (error) => outcomes.set(id, error instanceof AppError ? error.code : String((error as Error).message)),
      );
      return id;
    },
  };
}

const who = fc.constantFrom('a/1', 'a/2', 'b/3', 'b/4', 'c/5', 'b/1', 'ab/1');
const step = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const), who }),
  fc.record({ kind: fc.constantFrom('end' as const, 'throw' as const, 'abort' as const), at: fc.nat(50) }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 6_000 }) }),
);

describe('FairGate', () => {
  it('keeps its limits in any order of requests, ends, failures, aborts and waits, and loses no place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const { ask, running, outcomes, state, gate } = lab({ waiting_per_account: 4, waiting_per_tenant: 6 });
        const controllers: AbortController[] = [];
        let asked = 0;
        for (const one of steps) {
          if (one.kind === 'ask') {
            const controller = new AbortController();
            controllers.push(controller);
            ask(one.who, controller.signal);
            asked += 1;
          } else if (one.kind === 'time') await vi.advanceTimersByTimeAsync(one.ms);
          else if (one.kind === 'abort')
            controllers[one.at % Math.max(1, controllers.length)]?.abort(new Error('gone'));
          else
            running[one.at % Math.max(1, running.length)]?.end(one.kind === 'throw' ? new Error('thrown') : undefined);
          await settle();
          expect(running.length).toBeLessThanOrEqual(3);
          const by = (key: 'tenant' | 'account') =>
            Object.values(countBy(running.map((entry) => parseAsker(entry.who)[key])));
          expect(Math.max(0, ...by('tenant'), ...by('account'))).toBeLessThanOrEqual(2);
          expect(state().running).toBe(running.length);
          expect(running.length + state().waiting + outcomes.size).toBe(asked);
        }
        while (running.length > 0) {
          running[0]?.end();
          await settle();
        }
        expect(outcomes.size).toBe(asked);
        expect(state()).toEqual({ running: 0, waiting: 0 });
        // Every place is there again.
        const leaves = await Promise.all(
          ['x', 'y', 'z'].map((tenant) => gate.enter({ tenant, account: tenant }, null)),
        );
        expect(leaves).toHaveLength(3);
        for (const leave of leaves) leave();
      }),
      { numRuns: 150 },
    );
  });

  it('admits another tenant immediately while one account uses its full share', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 22 }), async (greedy) => {
        const { ask, running } = lab();
        for (let i = 0; i < greedy; i += 1) ask('a/1');
        ask('b/3');
        await settle();
        expect(running.some((entry) => entry.who === 'b/3')).toBe(true);
      }),
    );
  });

  it('makes an account wait for at most as many ends as there are places, whatever another one sent before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 22 }),
        fc.array(fc.nat(2), { maxLength: 30 }),
        async (greedy, ends) => {
          // Of the same tenant, which is the harder case.
          const { ask, running } = lab();
          for (let i = 0; i < greedy; i += 1) ask('a/1');
          await settle();
          for (const at of ends) {
            running[at % running.length]?.end();
            ask('a/1');
            await settle();
          }
          ask('a/2');
          await settle();
          let waited = 0;
          while (!running.some((entry) => entry.who === 'a/2')) {
            running[0]?.end();
            ask('a/1');
            waited += 1;
            await settle();
          }
          expect(waited).toBeLessThanOrEqual(LIMITS.per_tenant);
        },
      ),
    );
  });

  it('refuses with 429 and a time to wait when the part of an account in the queue is full', async () => {
    const { gate, ask, outcomes } = lab();
    for (let i = 0; i < 22; i += 1) ask('a/1');
    await settle();
    const full = gate.run({ tenant: 'a', account: '1' }, null, async () => {});
    await expect(full).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 });
    // Another account of the tenant still has a part of its own.
    const other = ask('a/2');
    await settle();
    expect(outcomes.has(other)).toBe(false);
  });

  it('counts an account once, whichever of its tenants it asks for', async () => {
    const { gate, ask, running } = lab({ running: 10, waiting_per_account: 2 });
    for (const tenant of ['a', 'b', 'ab', 'a']) ask(`${tenant}/1`);
    await settle();
    expect(running).toHaveLength(2);
    const fifth = gate.run({ tenant: 'c', account: '1' }, null, async () => {});
    await expect(fifth).rejects.toMatchObject({ code: 'too_many_requests' });
    // When one ends, the one that waits under another tenant comes in.
    running[0]?.end();
    await settle();
    expect(running.map((entry) => entry.who)).toEqual(['b/1', 'ab/1']);
  });

  it('lets an account that waited go before one that came later', async () => {
    const { ask, running } = lab({ running: 1 });
    ask('a/1');
    ask('b/3');
    ask('a/1');
    await settle();
    running[0]?.end();
    await settle();
    expect(running.map((entry) => entry.who)).toEqual(['b/3']);
  });

  it('refuses a request that waited too long and leaves none behind in the queue', async () => {
    const { ask, outcomes, state } = lab();
    ask('a/1');
    ask('a/1');
    const id = ask('a/1');
    await vi.advanceTimersByTimeAsync(LIMITS.wait_ms);
    expect(outcomes.get(id)).toBe('too_many_requests');
    expect(state()).toEqual({ running: 2, waiting: 0 });
  });

  it('gives the place of who rests to others, and to themselves only after the rest', async () => {
    const { gate } = lab({ running: 1, per_tenant: 1 });
    const order: string[] = [];
    const one = (tenant: string) =>
      gate.run(
        { tenant, account: tenant },
        null,
        async () => void order.push(tenant),
        () => (tenant === 'a' ? 500 : 0),
      );
    const all = [one('a'), one('a'), one('b')];
    await settle();
    expect(order).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(499);
    expect(order).toEqual(['a', 'b']);
    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['a', 'b', 'a']);
    await Promise.all(all);
  });

  it('does not begin what was aborted before', async () => {
    const { gate } = lab();
    const work = vi.fn(async () => {});
    await expect(gate.run({ tenant: 'a', account: 'a/1' }, AbortSignal.abort(new Error('gone')), work)).rejects.toThrow(
      'gone',
    );
    expect(work).not.toHaveBeenCalled();
  });
});

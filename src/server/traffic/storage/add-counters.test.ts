import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeIncrease } from './add-counters';

const total = fc.nat(1_000);

describe('computeIncrease', () => {
  it('never returns a negative number, nor more than the total', () => {
    fc.assert(
      fc.property(
        fc.record({ total, delta: fc.option(fc.nat(2_000)), before: fc.option(total) }),
        fc.constantFrom('later' as const, 'late' as const, 'begun_since' as const),
        (counted, order) => {
          const added = computeIncrease(counted, order) ?? 0;
          expect(added).toBeGreaterThanOrEqual(0);
          expect(added).toBeLessThanOrEqual(counted.total);
        },
      ),
    );
  });

  it('sums up to what was counted when an agent reports only totals and restarts', () => {
    // Each run counts from zero. Without deltas, a restart is seen where the total falls.
    const runs = fc.array(fc.array(fc.nat(50), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(runs, (history) => {
        let [sum, counted, known]: [number, number, number | null] = [0, 0, null];
        for (const [run, steps] of history.entries()) {
          let now = 0;
          for (const [step, more] of steps.entries()) {
            now += more;
            counted += more;
            const order = run > 0 && step === 0 ? 'begun_since' : 'later';
            sum += computeIncrease({ total: now, delta: null, before: known }, order) ?? 0;
            known = now;
          }
        }
        expect(sum).toBe(counted);
      }),
    );
  });

  it('adds all of a total that fell, and nothing of a late one without a begin', () => {
    expect(computeIncrease({ total: 1, delta: null, before: 20 }, 'later')).toBe(1);
    expect(computeIncrease({ total: 20, delta: null, before: 21 }, 'late')).toBe(0);
    expect(computeIncrease({ total: null, delta: null, before: 21 }, 'later')).toBeNull();
  });
});

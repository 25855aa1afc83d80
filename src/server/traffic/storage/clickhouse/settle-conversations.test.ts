import fc from 'fast-check';
import { expect, it } from 'vitest';
import { divideTime } from './settle-conversations';

const MINUTE_S = 60;
const counts = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 9 }), changes: fc.integer({ min: 1, max: 30 }) }));

it('settles each minute in one step, the last one up to the end, and at most so much in a part', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 40 }), (given, most) => {
      let minute_s = 0;
      const minutes = given.map(({ gap, changes }) => {
        minute_s += gap * MINUTE_S;
        return { minute_s, changes };
      });
      const until = new Date((minute_s + 30) * 1000).toISOString();
      const steps = divideTime(minutes, until, most);
      expect(steps.at(-1)?.until).toBe(until);
      let after = Number.NEGATIVE_INFINITY;
      for (const [i, step] of steps.entries()) {
        const end = Date.parse(step.until);
        const inside = minutes.filter((minute) => minute.minute_s * 1000 > after && minute.minute_s * 1000 <= end);
        const changes = inside.reduce((sum, one) => sum + one.changes, 0);
        expect(end).toBeGreaterThan(after);
        // All of a minute: a step ends before the next one that has changes, or where everything ends.
        if (i < steps.length - 1) expect((end + 1) % (MINUTE_S * 1000)).toBe(0);
        expect(changes).toBeLessThanOrEqual(inside.length > 1 ? most : Number.POSITIVE_INFINITY);
        expect(step.parts).toBe(Math.max(1, Math.ceil(changes / most)));
        after = end;
      }
    }),
  );
});

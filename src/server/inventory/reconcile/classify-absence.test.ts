import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAbsence, MASS_ABSENCE_FLOOR, MASS_ABSENCE_HOLD_MS, planAbsence } from './classify-absence';

const now = new Date('2026-03-01T12:00:00.000Z');

describe('absence', () => {
  const item = (id: string, missing_since: string | null = null) => ({ id, missing_since });

  it('removes nothing before a day when more than half of many guests are missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.option(fc.integer({ min: 0, max: 2 * MASS_ABSENCE_HOLD_MS })),
        (a, b, age) => {
          const [gone, known] = [Math.min(a, b), Math.max(a, b)];
          const since = age === null ? null : new Date(now.getTime() - age).toISOString();
          const absent = Array.from({ length: gone }, (_, i) => item(String(i), since));
          const plan = planAbsence(absent, known, now);
          expect(plan.ask.length + plan.hold.length).toBe(gone);
          const mass = known > MASS_ABSENCE_FLOOR && gone > known / 2;
          expect(plan.mass).toBe(mass);
          if (!mass) expect(plan.hold).toEqual([]);
          else expect(plan.ask).toHaveLength(age !== null && age >= MASS_ABSENCE_HOLD_MS ? gone : 0);
        },
      ),
    );
  });

  it('counts only with proof', () => {
    const [fresh, marked] = [item('a'), item('b', now.toISOString())];
    expect(['absent', 'present', 'unknown'].map((presence) => classifyAbsence(presence as 'absent', fresh))).toEqual([
      'remove',
      'keep',
      'mark',
    ]);
    expect(['absent', 'present', 'unknown'].map((presence) => classifyAbsence(presence as 'absent', marked))).toEqual([
      'remove',
      'clear',
      'keep',
    ]);
  });
});

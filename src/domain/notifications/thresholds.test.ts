import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from './condition';
import { listThresholdBreaches, THRESHOLD_CONDITIONS, THRESHOLDS, Thresholds } from './thresholds';

const fact = (condition: Fact['condition'], measure?: number): Fact => ({
  condition,
  key: 'k',
  object_kind: 'workload',
  object_id: 'k',
  object_name: 'web-01',
  detail: 'As found.',
  ...(measure !== undefined && { measure }),
});

describe('listThresholdBreaches', () => {
  it.each(THRESHOLD_CONDITIONS)('keeps a measure only beyond the threshold: %s', (condition) => {
    const { min, max, holds } = THRESHOLDS[condition];
    fc.assert(
      fc.property(fc.double({ min, max, noNaN: true }), fc.double({ min: 0, max, noNaN: true }), (limit, measure) => {
        const kept = listThresholdBreaches([fact(condition, measure)], { [condition]: limit });
        expect(kept.length).toBe((holds === 'above' ? measure >= limit : measure < limit) ? 1 : 0);
        // The text says the threshold, not the measure: otherwise each minute would be a change.
        const [same] = listThresholdBreaches([fact(condition, holds === 'above' ? max : 0)], { [condition]: limit });
        if (kept[0]) expect(kept[0].detail).toBe(same?.detail);
        if (kept[0]) expect(kept[0].detail).toContain('web-01');
      }),
    );
  });

  it('uses the default where a rule chooses none, and keeps facts without a measure', () => {
    expect(listThresholdBreaches([fact('coverage_low', 79), fact('coverage_low', 80)], {})).toHaveLength(1);
    expect(listThresholdBreaches([fact('sync_failed')], { coverage_low: 1 })).toEqual([fact('sync_failed')]);
  });

  it('accepts exactly the conditions that have a threshold', () => {
    expect(Object.keys(Thresholds.shape).sort()).toEqual([...THRESHOLD_CONDITIONS].sort());
    expect(Thresholds.safeParse({ sync_failed: 1 }).success).toBe(false);
    expect(Thresholds.safeParse({ coverage_low: 101 }).success).toBe(false);
  });
});

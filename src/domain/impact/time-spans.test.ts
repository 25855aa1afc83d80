import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intersect, normalize, type Span, subtract, sumDurations, union } from './time-spans';

const anySpans = fc
  .array(fc.tuple(fc.nat(30), fc.nat(30)), { maxLength: 8 })
  .map((pairs) => pairs.map(([since, until]): Span => ({ since, until })));
const points = (spans: readonly Span[]) =>
  Array.from({ length: 31 }, (_, at) => at).filter((at) => spans.some(({ since, until }) => at >= since && at < until));

describe('spans', () => {
  it('behave as sets of points in time', () => {
    fc.assert(
      fc.property(anySpans, anySpans, (first, second) => {
        const [a, b] = [normalize(first), normalize(second)];
        expect(points(a)).toEqual(points(first));
        expect(sumDurations(a)).toBe(points(first).length);
        expect(points(intersect(a, b))).toEqual(points(a).filter((at) => points(b).includes(at)));
        expect(points(subtract(a, b))).toEqual(points(a).filter((at) => !points(b).includes(at)));
        expect(points(union(a, b))).toEqual([...new Set([...points(a), ...points(b)])].sort((x, y) => x - y));
        for (const spans of [a, intersect(a, b), subtract(a, b)]) {
          expect(sumDurations(spans)).toBe(points(spans).length);
          expect(normalize(spans).length).toBeLessThanOrEqual(spans.length);
        }
      }),
    );
  });

  it('closes holes up to a length', () => {
    const spans = [
      { since: 0, until: 10 },
      { since: 12, until: 20 },
      { since: 23, until: 30 },
    ];
    expect(normalize(spans, 1)).toEqual(spans);
    expect(normalize(spans, 2)).toEqual([
      { since: 0, until: 20 },
      { since: 23, until: 30 },
    ]);
    expect(normalize(spans, 3)).toEqual([{ since: 0, until: 30 }]);
  });
});

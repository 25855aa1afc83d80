import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPortRange, mergePortRanges, parsePortList, parsePortRange, portInRange } from './port-range';

const range = fc
  .tuple(fc.integer({ min: 1, max: 65535 }), fc.integer({ min: 1, max: 65535 }))
  .map(([a, b]) => ({ first: Math.min(a, b), last: Math.max(a, b) }));

describe('port ranges', () => {
  it('read back what they print, with either separator', () => {
    fc.assert(
      fc.property(range, fc.constantFrom('-' as const, ':' as const), (r, separator) => {
        expect(parsePortRange(formatPortRange(r, separator))).toEqual(r);
      }),
    );
  });

  it.each(['0', '65536', '80-', '-80', '90-80', '80-90-100', '080', 'ssh', '', '1.5', '0-10'])('refuse %j', (text) => {
    expect(parsePortRange(text)).toBeNull();
  });

  it('refuse a list with one wrong item', () => {
    expect(parsePortList('22, 80-90')).toEqual([
      { first: 22, last: 22 },
      { first: 80, last: 90 },
    ]);
    expect(parsePortList('22,,80')).toBeNull();
  });

  it('merge to the same set of ports, in the fewest ranges', () => {
    const small = fc
      .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 8 }))
      .map(([a, n]) => ({ first: a, last: a + n }));
    fc.assert(
      fc.property(fc.array(small, { maxLength: 8 }), (ranges) => {
        const merged = mergePortRanges(ranges);
        for (let port = 1; port <= 50; port++) {
          expect(merged.some((r) => portInRange(r, port))).toBe(ranges.some((r) => portInRange(r, port)));
        }
        for (const [i, r] of merged.entries()) expect(r.first).toBeGreaterThan((merged[i - 1]?.last ?? -1) + 1);
      }),
    );
  });
});

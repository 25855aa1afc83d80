import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeRowRange, listRenderedRows, OVERSCAN, ROW_HEIGHT, scrollTopFor } from './row-range';

const pixels = fc.integer({ min: 0, max: 200_000 });
const heights = fc.integer({ min: 2 * ROW_HEIGHT, max: 3_000 });

/** Whether any part of the row is between the header and the lower edge. */
const isSeen = (index: number, scrollTop: number, height: number) => {
  const top = (index + 1) * ROW_HEIGHT - scrollTop;
  return top + ROW_HEIGHT > ROW_HEIGHT && top < height;
};

describe('computeRowRange', () => {
  it('has every row that can be seen, and not many more', () => {
    fc.assert(
      fc.property(pixels, heights, (scrollTop, height) => {
        const { first, last } = computeRowRange(scrollTop, height);
        const start = Math.floor(scrollTop / ROW_HEIGHT);
        for (let index = Math.max(0, start - 3); isSeen(index, scrollTop, height) || index < start; index++) {
          if (isSeen(index, scrollTop, height)) expect(index >= first && index <= last).toBe(true);
        }
        expect(last - first).toBeLessThanOrEqual(height / ROW_HEIGHT + 2 * OVERSCAN + 1);
      }),
    );
  });
});

describe('listRenderedRows', () => {
  it('has the range and the current row, in order, and none beyond the end', () => {
    fc.assert(
      fc.property(
        fc.nat(300),
        fc.nat(60),
        fc.nat(400),
        fc.integer({ min: -1, max: 420 }),
        (first, more, count, current) => {
          const rows = listRenderedRows({ first, last: first + more }, count, current);
          expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
          for (const row of rows) expect(row).toBeLessThan(count);
          for (let row = first; row <= Math.min(first + more, count - 1); row++) expect(rows).toContain(row);
          expect(rows.includes(current)).toBe(current >= 0 && current < count);
        },
      ),
    );
  });
});

describe('scrollTopFor', () => {
  it('brings the row into view below the header, and does not move when it is there', () => {
    fc.assert(
      fc.property(fc.nat(5_000), pixels, heights, (index, scrollTop, height) => {
        const next = scrollTopFor(index, scrollTop, height);
        const top = (index + 1) * ROW_HEIGHT - next;
        expect(top).toBeGreaterThanOrEqual(ROW_HEIGHT);
        expect(top + ROW_HEIGHT).toBeLessThanOrEqual(height);
        expect(scrollTopFor(index, next, height)).toBe(next);
      }),
    );
  });
});

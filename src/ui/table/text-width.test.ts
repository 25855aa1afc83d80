import { describe, expect, it } from 'vitest';
import { estimateContentWidth, estimateHeaderWidth, estimateTextWidth } from './text-width';

/** Measured in DejaVu Sans at 100 px. */
const MEASURED: readonly (readonly [string, number])[] = [
  ['Workloads', 525],
  ['999,999', 414],
  ['Not filtered or unknown', 1185],
  ['il y a 59 min', 619],
];

describe('estimateTextWidth', () => {
  it.each(MEASURED)('returns at least the measured width of %s, and at most a tenth more', (text, width) => {
    const estimated = estimateTextWidth(text, 100);
    expect(estimated).toBeGreaterThanOrEqual(width);
    expect(estimated).toBeLessThanOrEqual(width * 1.1);
  });
});

describe('estimateHeaderWidth', () => {
  it('breaks a title where two lines are narrowest', () => {
    expect(estimateHeaderWidth('Not filtered or unknown')).toBe(estimateTextWidth('or unknown', 12) + 20);
    expect(estimateHeaderWidth('Workloads')).toBe(estimateTextWidth('Workloads', 12) + 20);
  });
});

describe('estimateContentWidth', () => {
  it('returns the larger width of title and sample', () => {
    expect(estimateContentWidth('9', 'Workloads', true)).toBe(estimateHeaderWidth('Workloads', true));
    expect(estimateContentWidth('999,999,999', 'No.')).toBeGreaterThan(estimateHeaderWidth('No.'));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spreadFlows, wholeNumbers } from './spread-flows';

describe('wholeNumbers', () => {
  it('keep the sum, and are never more than one away', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true })), (values) => {
        const whole = wholeNumbers(values);
        const sum = values.reduce((a, b) => a + b, 0);
        expect(whole.reduce((a, b) => a + b, 0)).toBe(Math.round(sum));
        for (const [i, value] of whole.entries()) {
          expect(Number.isInteger(value)).toBe(true);
          expect(Math.abs(value - (values[i] ?? 0))).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('spreadFlows', () => {
  const span = (from_bucket: number, to_bucket: number, values = {}) => ({
    from_bucket,
    to_bucket,
    decision: 'observed',
    ...{ head_bytes: 3, middle_bytes: 2, tail_bytes: 1, head_packets: 1, middle_packets: 1, tail_packets: 1, flows: 1 },
    ...values,
  });

  it('puts the parts of each span into its buckets, by verdict', () => {
    const lines = spreadFlows([span(0, 3), span(2, 3), span(1, 1, { decision: 'drop', tail_bytes: 0 })], 4);
    expect(lines).toEqual([
      { decision: 'drop', bytes: [0, 3, 0, 0], packets: [0, 2, 0, 0], flows: [0, 1, 0, 0] },
      { decision: 'observed', bytes: [3, 2, 5, 2], packets: [1, 1, 2, 2], flows: [1, 0, 1, 0] },
    ]);
  });

  it('leaves out what is after the last bucket: the end of a flow on the border has no length', () => {
    expect(spreadFlows([span(1, 2, { tail_bytes: 0 })], 2)[0]?.bytes).toEqual([0, 3]);
  });
});

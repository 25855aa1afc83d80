import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatPortRange,
  formatTypedPorts,
  mergePortRanges,
  parsePortList,
  parsePortRange,
  parseTypedPorts,
  portInRange,
} from './port-range';

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

describe('parseTypedPorts', () => {
  it('reads a list however its items are separated', () => {
    const separator = fc.constantFrom(', ', ',', ' ', '; ', '\n', '\r\n', '\t', ' ,\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(range, separator), { minLength: 1, maxLength: 6 }), (items) => {
        const text = items.map(([r, after]) => formatPortRange(r) + after).join('');
        expect(parseTypedPorts(text)).toEqual(items.map(([r]) => r));
      }),
    );
  });

  it('formats the same ports as one text, and again as the same text', () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), (ranges) => {
        const text = formatTypedPorts(ranges.map((r) => formatPortRange(r)).join(' '));
        expect(parseTypedPorts(text)).toEqual(mergePortRanges(ranges));
        expect(formatTypedPorts(text)).toBe(text);
      }),
    );
    expect(formatTypedPorts('443 80\n8000 - 8010')).toBe('80, 443, 8000-8010');
    expect(formatTypedPorts('80, ssh')).toBe('80, ssh');
  });

  it.each(['', ' , ', 'ssh', '80, 65536', '80 90-', '0'])('refuses %j', (text) => {
    expect(parseTypedPorts(text)).toBeNull();
  });

  it('takes port 0 where flows have it', () => {
    expect(parseTypedPorts('0, 0-3, 0:9', true)).toEqual([
      { first: 0, last: 0 },
      { first: 0, last: 3 },
      { first: 0, last: 9 },
    ]);
    expect(parseTypedPorts('00', true)).toBeNull();
    expect(parseTypedPorts('0-0', true)).toBeNull();
  });
});

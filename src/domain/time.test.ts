import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Time } from './time';

const DAY_MS = 86_400_000;

describe('Time', () => {
  it('gives the same moment in UTC, whatever the offset', () => {
    const minutes = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 });
    const moments = fc.integer({ min: DAY_MS, max: Date.parse('9999-12-31T00:00:00Z') - DAY_MS });
    fc.assert(
      fc.property(moments, minutes, (at, offset) => {
        const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
        const away = Math.abs(offset);
        const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
        const text = `${local}${offset < 0 ? '-' : '+'}${two(away / 60)}:${two(away % 60)}`;
        expect(Time.parse(text)).toBe(new Date(at).toISOString());
      }),
    );
  });

  it('keeps what is finer than milliseconds', () => {
    expect(Time.parse('2026-01-31T12:00:00.1234567+01:00')).toBe('2026-01-31T11:00:00.1234567Z');
    expect(Time.parse('2026-01-31T12:00:00Z')).toBe('2026-01-31T12:00:00.000Z');
  });

  it.each([
    ['1970-01-01T00:00:00Z', true],
    ['1970-01-01T00:00:00+00:01', false],
    ['9999-12-31T23:59:59.999Z', true],
    ['9999-12-31T23:59:59-00:01', false],
    ['9999-12-31T23:59:59-12:00', false],
    ['0000-01-01T00:00:00Z', false],
    ['0001-01-01T00:00:00Z', false],
  ])('reads the years 1970 to 9999 in UTC: %s', (text, expected) => {
    expect(Time.safeParse(text).success).toBe(expected);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBlock, native } from './native-block';

const size = (of: number) => (of < 128 ? [of] : [(of % 128) | 128, Math.floor(of / 128)]);
const text = (of: string) => [...size(Buffer.byteLength(of)), ...Buffer.from(of)];
const head = (rows: number, name: string, type: string) => [...size(1), ...size(rows), ...text(name), ...text(type)];

describe('encodeBlock', () => {
  it('writes texts of any length and alphabet', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 90 }), fc.string()), { maxLength: 5 }),
        (rows) => {
          const block = encodeBlock([native.text('t', (row: string) => row)], rows);
          const expected = Buffer.from([...head(rows.length, 't', 'String'), ...rows.flatMap(text)]);
          expect(block.toString('hex')).toBe(expected.toString('hex'));
        },
      ),
    );
  });

  it('writes numbers with their last byte first, and first which are missing', () => {
    const values = [0, 65_535, null, 258];
    const block = encodeBlock([native.small('n', (row: number | null) => row)], values);
    const body = [0, 0, 1, 0, 0, 0, 255, 255, 0, 0, 2, 1];
    expect([...block]).toEqual([...head(4, 'n', 'Nullable(UInt16)'), ...body]);
    const large = encodeBlock([native.time('t', (row: number) => row)], [2 ** 40 + 3]);
    expect([...large].slice(-8)).toEqual([3, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('repeats the same value in all rows, beyond the first buffer, too', () => {
    const id = '01234567-89ab-4def-8123-456789abcdef';
    const rows = Array.from({ length: 6_000 }, () => id);
    const column = native.id('i', (row: string) => row);
    expect(encodeBlock([native.same(column)], rows).equals(encodeBlock([column], rows))).toBe(true);
    expect(encodeBlock([native.same(column)], []).equals(encodeBlock([column], []))).toBe(true);
    expect([...encodeBlock([column], [id])].slice(-16, -8)).toEqual([0xef, 0x4d, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01]);
  });
});

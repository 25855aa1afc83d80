import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCsv } from './parse-csv';

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', '1', 'é'), maxLength: 8 });
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('a CSV file', () => {
  it('gives back what was written, with the line on which each record begins', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }), (rows) => {
        const text = rows.map((row) => row.map(quoted).join(',')).join('\r\n');
        const { records, unclosed } = parseCsv(text);
        expect(unclosed).toBeNull();
        expect(records.map(({ cells }) => cells)).toEqual(rows);
        const lines = rows.map((_, i) => rows.slice(0, i).flat().join('').split('\n').length + i);
        expect(records.map(({ line }) => line)).toEqual(lines);
      }),
    );
  });

  it.each([
    [
      '\uFEFFa,b\n\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      [1, 3],
      null,
    ],
    [
      'a,b\r1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      [1, 2],
      null,
    ],
    ['a,"b\n1,2', [['a', 'b\n1,2']], [1], 1],
    ['"a"b,c', [['ab', 'c']], [1], null],
    ['a,', [['a', '']], [1], null],
    ['', [], [], null],
  ])('%j', (text, cells, lines, unclosed) => {
    const result = parseCsv(text);
    expect(result.records.map((record) => record.cells)).toEqual(cells);
    expect(result.records.map((record) => record.line)).toEqual(lines);
    expect(result.unclosed).toBe(unclosed);
  });
});

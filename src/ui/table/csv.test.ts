import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from './csv';

/** The other side of RFC 4180, written apart from the writer: one line of quoted or plain cells. */
function parseLine(line: string): string[] {
  const cells: string[] = [];
  let rest = line.replace(/\r\n$/, '');
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(,|$)/.exec(rest);
    const plain = /^([^",]*)(,|$)/.exec(rest);
    const match = quoted ?? plain;
    if (!match) throw new Error(`not CSV: ${rest}`);
    cells.push(quoted ? (match[1] ?? '').replaceAll('""', '"') : (match[1] ?? ''));
    if (match[2] === '') return cells;
    rest = rest.slice(match[0].length);
  }
}

describe('csvLine', () => {
  it('writes figures plainly and nothing for what is missing', () => {
    expect(csvLine([1, -2, true, null, undefined, 'a'])).toBe('1,-2,true,,,a\r\n');
  });

  it('never starts a text cell with a formula', () => {
    expect(csvLine(['=cmd()', '+1', '-1', '@a', '\tx'])).toBe(`'=cmd(),'+1,'-1,'@a,"'\tx"\r\n`);
  });

  it('can be read back', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ä', '0') });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (cells) => {
        const guarded = cells.map((cell) => (/^[\t\r\n]/.test(cell) ? `'${cell}` : cell));
        expect(parseLine(csvLine(cells))).toEqual(guarded);
      }),
    );
  });
});

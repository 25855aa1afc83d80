import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvText } from './csv-cell';

/** The cells of a file as a spreadsheet sees them that separates by `separator`: quotes count only where a cell begins with one. */
function parseCells(file: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= file.length) {
    let cell = '';
    if (file[at] === '"') {
      at += 1;
      while (at < file.length && !(file[at] === '"' && file[at + 1] !== '"')) {
        if (file[at] === '"') at += 1;
        cell += file[at];
        at += 1;
      }
      at += 1;
    }
    while (at < file.length && file[at] !== separator && file[at] !== '\n' && file[at] !== '\r') {
      cell += file[at];
      at += 1;
    }
    cells.push(cell);
    at += 1;
  }
  return cells;
}

const line = (texts: readonly string[]) => texts.map(csvText).join(',');

describe('csvText', () => {
  it('leaves no formula, whether cells are separated by comma, semicolon or tab', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '=', '-', '"', ',', ';', '\t', '\n', '\r', ' ', "'"),
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(',', ';', '\t'),
        (texts, separator) => {
          for (const cell of parseCells(line(texts), separator)) expect(cell).not.toMatch(/^[\s"]*[=+\-@]/);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('keeps what is no formula, and puts an apostrophe before what is', () => {
    expect(['a;b', 'web-1', 'a=b', '10.0.0.1'].map(csvText)).toEqual(['"a;b"', 'web-1', 'a=b', '10.0.0.1']);
    expect(csvText('x;=cmd()')).toBe(`"x;'=cmd()"`);
    expect(csvText('=cmd()')).toBe("'=cmd()");
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from './column';
import { collectCsv, csvLine } from './csv';

describe('csv', () => {
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
});

describe('collect csv', () => {
  type Row = { name: string; size: number };
  const COLUMNS: Column<Row>[] = [
    { id: 'name', header: 'Name', width: 1, cell: () => null, csv: (row) => row.name },
    { id: 'mark', header: 'Mark', width: 1, cell: () => null },
    { id: 'size', header: 'Size, bytes', width: 1, hidden: true, cell: () => null, csv: (row) => row.size },
  ];

  async function* pages(...all: Row[][]) {
    for (const page of all) yield page;
  }

  it('writes titles and all pages; columns without a value for files are left out, hidden ones are not', async () => {
    const seen: number[] = [];
    const parts = await collectCsv(
      COLUMNS,
      pages(
        [{ name: 'a', size: 1 }],
        [
          { name: 'b', size: 2 },
          { name: '=c', size: 3 },
        ],
      ),
      new AbortController().signal,
      (rows) => seen.push(rows),
    );
    expect(parts.join('')).toBe('Name,"Size, bytes"\r\na,1\r\nb,2\r\n\'=c,3\r\n');
    expect(seen).toEqual([1, 3]);
  });

  it('stops asking for pages when it is aborted', async () => {
    const controller = new AbortController();
    const asked: number[] = [];
    async function* endless() {
      for (let page = 1; ; page++) {
        asked.push(page);
        yield [{ name: 'a', size: page }];
      }
    }
    await collectCsv(COLUMNS, endless(), controller.signal, (rows) => rows === 3 && controller.abort());
    expect(asked).toEqual([1, 2, 3, 4]);
  });
});

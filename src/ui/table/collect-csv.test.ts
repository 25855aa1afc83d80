import { expect, it } from 'vitest';
import { collectCsv } from './collect-csv';
import type { Column } from './column';

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

import type { Column } from './column';
import { csvLine } from './csv';

/** The file, headed by the column titles, in parts of one page each. Stops early when `signal` is aborted. */
export async function collectCsv<Row>(
  columns: readonly Column<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  signal: AbortSignal,
  onProgress: (rows: number) => void,
): Promise<string[]> {
  const exportable = columns.flatMap(({ header, csv }) => (csv ? [{ header, csv }] : []));
  const parts = [csvLine(exportable.map((column) => column.header))];
  let count = 0;
  for await (const page of pages) {
    if (signal.aborted) break;
    parts.push(page.map((row) => csvLine(exportable.map((column) => column.csv(row)))).join(''));
    count += page.length;
    onProgress(count);
  }
  return parts;
}

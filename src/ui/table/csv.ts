import { csvText } from '@/lib/csv-cell';
import type { Column } from './column';

export type CsvValue = string | number | boolean | null | undefined;

const csvCell = (value: CsvValue): string =>
  typeof value === 'string' ? csvText(value) : value === null || value === undefined ? '' : String(value);

/** One line of RFC 4180, with its line break. Null and undefined are empty; text that a spreadsheet would run is made harmless. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

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

/** Hands a file to the browser, as if a link to it had been pressed. */
export function download(fileName: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

import { csvCell } from './csv-cell';
import { type ListFile, type ReadPage, streamPages } from './stream-pages';

/**
 * A whole list as a CSV file, read page by page while it is sent, so that its length does not matter. The first page is
 * read before the answer begins: wrong filters still are a proper error.
 * @param columns names of the rows' fields, in order; they are the header
 */
export function csvResponse<T extends object>(
  file: ListFile,
  columns: readonly (keyof T & string)[],
  readPage: ReadPage<T>,
): Promise<Response> {
  return streamPages(file, { suffix: 'csv', type: 'text/csv; charset=utf-8' }, readPage, {
    // The mark tells spreadsheets that the file is UTF-8.
    head: `\uFEFF${columns.join(',')}\r\n`,
    line: (row) => `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`,
  });
}

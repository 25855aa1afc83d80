import type { Page } from '@/domain/list';
import { csvCell } from './csv-cell';

const PAGE_ROWS = 500;

/**
 * A whole list as a CSV file, read page by page while it is sent, so that its length does not matter. The first page is
 * read before the answer begins: wrong filters still are a proper error.
 * @param columns names of the rows' fields, in order; they are the header
 */
export async function csvResponse<T extends object>(
  name: string,
  columns: readonly (keyof T & string)[],
  readPage: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<Response> {
  const encoder = new TextEncoder();
  const lines = (items: readonly T[]) =>
    encoder.encode(items.map((row) => `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`).join(''));
  let page: Page<T> | null = await readPage({ limit: PAGE_ROWS });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // The mark tells spreadsheets that the file is UTF-8.
      controller.enqueue(encoder.encode(`\uFEFF${columns.join(',')}\r\n`));
    },
    async pull(controller) {
      if (!page) return controller.close();
      if (page.items.length > 0) controller.enqueue(lines(page.items));
      page = page.next_cursor === null ? null : await readPage({ limit: PAGE_ROWS, cursor: page.next_cursor });
      if (!page) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'no-store',
    },
  });
}

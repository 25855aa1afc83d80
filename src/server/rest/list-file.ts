import { AsyncResource } from 'node:async_hooks';
import { z } from 'zod';
import type { Page } from '@/domain/list';
import { csvText } from '@/lib/csv-cell';
import { type Exporter, recordExport } from '../tenancy/record-export';

const PAGE_ROWS = 500;

export type ReadPage<T> = (page: { limit: number; cursor?: string }) => Promise<Pick<Page<T>, 'items' | 'next_cursor'>>;

/** What leaves as a file: which list, who asked, and with which filters. */
export type ListFile = { name: string; scope: Exporter; query: object };

/**
 * A whole list as a file of lines, read page by page while it is sent. The first page is read before the answer begins:
 * wrong filters still are a proper error. The audit trail has who took it before the first byte leaves.
 */
export async function streamPages<T>(
  { name, scope, query }: ListFile,
  { suffix, type }: { suffix: 'csv' | 'ndjson'; type: string },
  readPage: ReadPage<T>,
  { head = '', line }: { head?: string; line: (row: T) => string },
): Promise<Response> {
  const encoder = new TextEncoder();
  // The reader of the stream requests the pages; they are still read over the connections of exports.
  const nextPage = AsyncResource.bind(readPage);
  let page: Awaited<ReturnType<ReadPage<T>>> | null = await nextPage({ limit: PAGE_ROWS });
  await recordExport(scope, { list: name, format: suffix, filters: { ...query } });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (head !== '') controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      if (!page) return controller.close();
      if (page.items.length > 0) controller.enqueue(encoder.encode(page.items.map(line).join('')));
      page = page.next_cursor === null ? null : await nextPage({ limit: PAGE_ROWS, cursor: page.next_cursor });
      if (!page) controller.close();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}.${suffix}"`,
      'cache-control': 'no-store',
    },
  });
}

/**
 * One cell after RFC 4180. Text that a spreadsheet would run is made harmless: names and tags come from guests' owners. Numbers
 * are written as they are; null is empty; lists are joined with a blank.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return csvText(Array.isArray(value) ? value.join(' ') : String(value));
}

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

/** How a list is answered: pages of JSON, or the whole as a CSV file. */
export const listFormat = z.enum(['json', 'csv'], { error: 'One of json, csv.' }).default('json');

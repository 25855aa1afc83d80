import { AsyncResource } from 'node:async_hooks';
import { z } from 'zod';
import type { Page } from '@/domain/list';
import { csvText } from '@/lib/csv-cell';
import { type Exporter, recordExport } from '../tenancy/record-export';

const PAGE_ROWS = 500;

export type ReadPage<T> = (page: { limit: number; cursor?: string }) => Promise<Pick<Page<T>, 'items' | 'next_cursor'>>;

/** What leaves as a file: which list, who asked, with which filters, and by which request: with HEAD nothing leaves. */
export type ListFile = { name: string; scope: Exporter; query: object; request: Request };

/** A whole list, page by page. */
export async function* readPages<T>(readPage: ReadPage<T>): AsyncGenerator<readonly T[], void, undefined> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<ReadPage<T>>> = await readPage({ limit: PAGE_ROWS, ...(cursor && { cursor }) });
    cursor = page.next_cursor;
    yield page.items;
  }
}

/**
 * A whole list as a file of lines, read in batches while it is sent. The first one is read before the answer begins:
 * wrong filters still are a proper error. The audit trail has who took it before the first byte leaves.
 */
export async function streamBatches<T>(
  { name, scope, query, request }: ListFile,
  { suffix, type }: { suffix: 'csv' | 'ndjson'; type: string },
  batches: AsyncIterable<readonly T[]>,
  { head = '', line }: { head?: string; line: (row: T) => string },
): Promise<Response> {
  const encoder = new TextEncoder();
  const rows = batches[Symbol.asyncIterator]();
  // The reader of the stream requests the batches; they are still read over the connections of exports.
  const readNext = AsyncResource.bind(() => rows.next());
  let batch = await readNext();
  if (request.method !== 'HEAD') {
    await recordExport(scope, { list: name, format: suffix, filters: { ...query } }).catch(async (error: unknown) => {
      await rows.return?.();
      throw error;
    });
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (head !== '') controller.enqueue(encoder.encode(head));
    },
    async pull(controller) {
      if (batch.done) return controller.close();
      if (batch.value.length > 0) controller.enqueue(encoder.encode(batch.value.map(line).join('')));
      batch = await readNext();
      if (batch.done) controller.close();
    },
    async cancel() {
      await rows.return?.();
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
 * A whole list as a CSV file, read in batches while it is sent, so that its length does not matter. The first one is
 * read before the answer begins: wrong filters still are a proper error.
 * @param columns names of the rows' fields, in order; they are the header
 */
export function csvResponse<T extends object>(
  file: ListFile,
  columns: readonly (keyof T & string)[],
  batches: AsyncIterable<readonly T[]>,
): Promise<Response> {
  return streamBatches(file, { suffix: 'csv', type: 'text/csv; charset=utf-8' }, batches, {
    // The mark tells spreadsheets that the file is UTF-8.
    head: `\uFEFF${columns.join(',')}\r\n`,
    line: (row) => `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`,
  });
}

/** How a list is answered: pages of JSON, or the whole as a CSV file. */
export const listFormat = z.enum(['json', 'csv'], { error: 'One of json, csv.' }).default('json');

import { AsyncResource } from 'node:async_hooks';
import type { Page } from '@/domain/list';
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
  // Pages are asked for by whoever reads the stream, and read over the connections of exports all the same.
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

'use client';
import { useTRPCClient } from '@/lib/trpc';
import type { TableExport } from '@/ui/table/table-footer';
import { useCsvExport } from '@/ui/table/use-csv-export';

type Options<Row> = Parameters<typeof useCsvExport<Row>>[0] & {
  /** What the list is filtered by, for the audit trail. */
  filters: object;
};

/** Exports a list as CSV, and leaves an audit record before the first row is written. */
export function useAuditedExport<Row>({ filters, pages, ...options }: Options<Row>): TableExport {
  const client = useTRPCClient();
  return useCsvExport<Row>({
    ...options,
    pages: async function* (signal) {
      await client.audit.recordExport.mutate({ list: options.name, filters: { ...filters } }, { signal });
      yield* pages(signal);
    },
  });
}

'use client';
import { useEffect, useRef, useState } from 'react';
import { useTRPCClient } from '@/lib/trpc';
import type { Column } from '@/ui/table/column';
import { collectCsv, download } from '@/ui/table/csv';
import type { TableExport } from '@/ui/table/table-footer';

type Options<Row> = {
  /** Without date and suffix: "workloads". */
  name: string;
  columns: readonly Column<Row>[];
  /** All rows that match now, page after page, in the order of the list. */
  pages: (signal: AbortSignal) => AsyncIterable<readonly Row[]>;
  onError: (error: unknown) => void;
};

/** Writes every matching row, loaded or not, into a CSV file and hands it to the browser. */
function useCsvExport<Row>({ name, columns, pages, onError }: Options<Row>): TableExport {
  const [exported, setExported] = useState<number | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    if (running.current) return;
    const controller = new AbortController();
    running.current = controller;
    setExported(0);
    try {
      const parts = await collectCsv(columns, pages(controller.signal), controller.signal, setExported);
      if (controller.signal.aborted) return;
      // The mark tells spreadsheets that the file is UTF-8.
      const file = new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' });
      download(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, file);
    } catch (error) {
      if (!controller.signal.aborted) onError(error);
    } finally {
      running.current = undefined;
      setExported(null);
    }
  };
  return {
    start: () => void start(),
    cancel: () => running.current?.abort(),
    pending: exported !== null,
    exported: exported ?? 0,
  };
}

type AuditedOptions<Row> = Options<Row> & {
  /** What the list is filtered by, for the audit trail. */
  filters: object;
};

/** Exports a list as CSV, and leaves an audit record before the first row is written. */
export function useAuditedExport<Row>({ filters, pages, ...options }: AuditedOptions<Row>): TableExport {
  const client = useTRPCClient();
  return useCsvExport<Row>({
    ...options,
    pages: async function* (signal) {
      await client.audit.recordExport.mutate({ list: options.name, filters: { ...filters } }, { signal });
      yield* pages(signal);
    },
  });
}

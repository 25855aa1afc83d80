'use client';
import { Upload } from 'lucide-react';
import { useRouter } from 'next/navigation';
import type { IpamImport } from '@/domain/ipam/csv-import';
import { RUN_STATUSES } from '@/domain/sync';
import { paths } from '@/lib/paths';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { useListState } from '../shared/list-state';
import { RunState } from '../shared/sync/run-state';
import { useServerList } from '../shared/use-server-list';
import { IMPORT_KIND_WORDS, outcomeText } from './import-words';

const make = columnsOf<IpamImport>();

const resultText = (run: IpamImport) =>
  run.status === 'queued' || run.status === 'running' ? 'Under way' : (run.message ?? outcomeText(run));

const COLUMNS = [
  make.text('file_name', 'File', (run) => run.file_name || 'Pasted text', { width: 200 }),
  make.time('created_at', 'Requested', (run) => run.created_at, { sortable: true, width: 120 }),
  make.custom('status', 'Status', (run) => <RunState run={{ status: run.status, errors: [] }} />, {
    width: 130,
    csv: (run) => run.status,
  }),
  make.text('kind', 'Rows', (run) => IMPORT_KIND_WORDS[run.kind], { width: 110 }),
  make.text('dry_run', 'What', (run) => (run.dry_run ? 'Check only' : 'Import'), { width: 110 }),
  make.text('result', 'Result', resultText, {
    width: 320,
    grow: true,
    render: (run) => <span title={resultText(run)}>{resultText(run)}</span>,
  }),
  make.text('requested_by_name', 'By', (run) => run.requested_by_name, { width: 140 }),
];

const LIST = { sorts: ['created_at'], defaultSort: '-created_at', filters: { status: RUN_STATUSES } } as const;

/** Checks and imports of CSV files, newest first. A row opens its report. */
export function ImportTable() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const list = useServerList<IpamImport>({
    name: 'imports',
    columns: COLUMNS,
    state,
    pathKey: trpc.ipamImports.list.pathKey(),
    fetchPage: (page, signal) => client.ipamImports.list.query({ ...state.input, ...page }, { signal }),
  });
  return (
    <DataTable
      {...list}
      id="ipam-imports"
      label="Imports"
      noun={{ one: 'import', many: 'imports' }}
      rowId={(run) => run.id}
      onRowOpen={(run) => router.push(paths.importAddresses({ kind: run.kind, import: run.id }))}
      empty={
        <EmptyState icon={<Upload />} title="Nothing was imported yet">
          Import takes over addresses or subnets from a CSV file, after every row was checked.
        </EmptyState>
      }
    />
  );
}

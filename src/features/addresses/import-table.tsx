'use client';
import { Upload } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo } from 'react';
import type { IpamImport } from '@/domain/ipam/csv-import';
import { RUN_STATUSES } from '@/domain/sync';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
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

const resultText = (t: Translate, run: IpamImport) =>
  run.status === 'queued' || run.status === 'running' ? t('Under way') : (run.message ?? outcomeText(t, run));

const importColumns = (t: Translate) => [
  make.text('file_name', t('File'), (run) => run.file_name || t('Pasted text'), { width: 200 }),
  make.time('created_at', t('Requested'), (run) => run.created_at, { sortable: true, width: 120 }),
  make.custom('status', t('Status'), (run) => <RunState run={{ status: run.status, errors: [] }} />, {
    width: 130,
    csv: (run) => run.status,
  }),
  make.text('kind', t('Rows'), (run) => t(IMPORT_KIND_WORDS[run.kind]), { width: 110 }),
  make.text('dry_run', t('What'), (run) => (run.dry_run ? t('Check only') : t('Import')), { width: 110 }),
  make.text('result', t('Result'), (run) => resultText(t, run), {
    width: 320,
    grow: true,
    render: (run) => <span title={resultText(t, run)}>{resultText(t, run)}</span>,
  }),
  make.text('requested_by_name', t('By'), (run) => run.requested_by_name, { width: 140 }),
];

const LIST = { sorts: ['created_at'], defaultSort: '-created_at', filters: { status: RUN_STATUSES } } as const;

/** Checks and imports of CSV files, newest first. A row opens its report. */
export function ImportTable() {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const router = useRouter();
  const state = useListState(LIST);
  const columns = useMemo(() => importColumns(t), [t]);
  const list = useServerList<IpamImport>({
    name: 'imports',
    columns,
    state,
    pathKey: trpc.ipamImports.list.pathKey(),
    fetchPage: (page, signal) => client.ipamImports.list.query({ ...state.input, ...page }, { signal }),
  });
  return (
    <DataTable
      {...list}
      id="ipam-imports"
      label={t('Imports')}
      noun={{ one: t('import'), many: t('imports') }}
      rowId={(run) => run.id}
      onRowOpen={(run) => router.push(paths.importAddresses({ kind: run.kind, import: run.id }))}
      empty={
        <EmptyState icon={<Upload />} title={t('Nothing was imported yet')}>
          {t('Import takes over addresses or subnets from a CSV file, after every row was checked.')}
        </EmptyState>
      }
    />
  );
}

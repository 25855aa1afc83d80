'use client';
import { Upload } from 'lucide-react';
import { RUN_STATUSES } from '@/domain/choices';
import type { IpamImport } from '@/domain/ipam/csv-import';
import { msg, type Translate } from '@/lib/i18n/translator';
import { paths } from '@/lib/paths';
import { createColumnHelper } from '@/ui/columns';
import { declareList } from '../shared/list/declare-list';
import { choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList } from '../shared/list/use-list';
import { RUN_STATES, RunState } from '../shared/sync/sync-state';
import { IMPORT_RUN_LABELS, outcomeText } from './import-labels';

const make = createColumnHelper<IpamImport>();

const resultText = (t: Translate, run: IpamImport) =>
  run.status === 'queued' || run.status === 'running' ? t('In progress') : (run.message ?? outcomeText(t, run));

const importColumns = (t: Translate) => [
  make.text('file_name', t('File'), (run) => run.file_name || t('Pasted text'), { width: 200 }),
  make.time('created_at', t('Requested'), (run) => run.created_at, { sortable: true }),
  make.custom('status', t('Status'), (run) => <RunState run={{ status: run.status, errors: [] }} />, {
    width: 130,
    csv: (run) => run.status,
  }),
  make.text('kind', t('Rows'), (run) => t(IMPORT_RUN_LABELS[run.kind]), { width: 110 }),
  make.text('dry_run', t('Operation'), (run) => (run.dry_run ? t('Dry run') : t('Import')), { width: 110 }),
  make.text('result', t('Result'), (run) => resultText(t, run), {
    width: 320,
    grow: true,
  }),
  make.text('requested_by_name', t('By'), (run) => run.requested_by_name, { width: 140 }),
];

/** Where the report of an import is; of a source that was deleted, on the page of files. */
const toReport = ({ id, kind, netbox_source_id }: IpamImport) =>
  netbox_source_id === null
    ? paths.importAddresses({ kind: kind === 'netbox' ? undefined : kind, import: id })
    : paths.netboxSource({ sourceId: netbox_source_id, import: id });

const IMPORTS = declareList({
  from: 'ipamImports.list',
  name: 'imports',
  id: 'ipam-imports',
  label: msg('Imports'),
  noun: { one: msg('import'), many: msg('imports') },
  sorts: ['created_at'],
  defaultSort: '-created_at',
  filters: { status: choice(msg('Status'), RUN_STATUSES, (one) => RUN_STATES[one].word) },
  columns: importColumns,
  rowId: (run) => run.id,
  rowPath: toReport,
  empty: {
    icon: <Upload />,
    title: msg('No imports yet'),
    text: msg('Imports addresses or prefixes from a CSV file or from NetBox after checking every row.'),
  },
});

/** Checks and imports of CSV files and NetBox, newest first. A row opens its report. */
export function ImportTable() {
  const list = useList(IMPORTS);
  return <ListView of={list} />;
}

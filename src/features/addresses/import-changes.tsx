'use client';
import { useMemo } from 'react';
import type { ImportChange, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/values';
import { valueText } from './import-labels';

const make = createColumnHelper<ImportChange>();

/** `hostname: a → b`; of a new row `hostname: b`. */
const fieldsText = (t: Translate, { action, fields }: ImportChange) =>
  fields
    .map(({ field, old, new: next }) =>
      action === 'create'
        ? `${field}: ${valueText(t, next)}`
        : `${field}: ${valueText(t, old)} → ${valueText(t, next)}`,
    )
    .join(', ');

/** Old and new value of each field. */
export const fieldsColumn = (t: Translate, width: number) =>
  make.custom('fields', t('Old → new'), (row) => <Fields change={row} />, {
    width,
    grow: true,
    csv: (row) => fieldsText(t, row),
  });

const changeColumns = (t: Translate) => [
  make.number('line', t('Line'), (row) => row.line, { width: 84 }),
  make.text('action', t('Change'), (row) => (row.action === 'create' ? t('New') : t('Changed')), { width: 100 }),
  make.mono('name', t('Address'), (row) => row.name, { width: 160 }),
  make.text('network_name', t('Network'), (row) => row.network_name, { width: 120 }),
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, { width: 120 }),
  fieldsColumn(t, 360),
];

function Fields({ change }: { change: ImportChange }) {
  const t = useT();
  return (
    <span className="truncate" title={fieldsText(t, change)}>
      {change.fields.map(({ field, old, new: next }, index) => (
        <span key={field}>
          {index > 0 && ', '}
          <Mono>{field}</Mono>:{' '}
          {change.action === 'update' && (
            <>
              <del className="text-faint">{valueText(t, old)}</del> →{' '}
            </>
          )}
          <ins className="font-medium no-underline">{valueText(t, next)}</ins>
        </span>
      ))}
    </span>
  );
}

/** What an import writes, row by row: old and new value of each field. */
export function ImportChanges({ run }: { run: IpamImportDetail }) {
  const t = useT();
  const columns = useMemo(() => changeColumns(t), [t]);
  // Conflicts are chosen in a table of their own.
  const rows = useMemo(() => run.changes.filter(({ conflict }) => conflict === undefined), [run.changes]);
  return (
    <DataTable
      id="import-changes"
      label={run.dry_run ? t('Changes of this import') : t('Imported changes')}
      noun={{ one: t('change'), many: t('changes') }}
      columns={columns}
      rows={rows}
      rowId={(row) => `${row.line} ${row.object} ${row.name}`}
      total={rows.length}
      loading={false}
      error={null}
      height="auto"
      empty={null}
    />
  );
}

'use client';
import { useMemo } from 'react';
import type { ImportChange, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Notice } from '@/ui/notice';
import { fieldsColumn } from '../import-changes';

const make = createColumnHelper<ImportChange>();

const conflictColumns = (t: Translate) => [
  make.mono('name', t('Address'), (row) => row.name, { width: 160 }),
  fieldsColumn(t, 260),
  make.text('conflict', t('Reason'), (row) => row.conflict ?? '', { width: 260, grow: true }),
  make.text('network_name', t('Network'), (row) => row.network_name, { width: 110 }),
  make.text('cluster_name', t('Cluster'), (row) => row.cluster_name, { width: 110, hidden: true }),
  make.number('line', t('Line'), (row) => row.line, { width: 84, hidden: true }),
];

export const toConflictId = ({ line }: ImportChange): string => String(line);

type Props = {
  run: IpamImportDetail;
  chosen: ReadonlySet<string>;
  onChosenChange: (chosen: ReadonlySet<string>) => void;
};

/** What Fabric has otherwise than NetBox, to be chosen line by line, or with the box in the head all of it. */
export function NetboxConflicts({ run, chosen, onChosenChange }: Props) {
  const t = useT();
  const columns = useMemo(() => conflictColumns(t), [t]);
  const rows = useMemo(() => run.changes.filter(({ conflict }) => conflict !== undefined), [run.changes]);
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" title={t('{n, plural, one {# conflict} other {# conflicts}}', { n: run.conflicts })}>
        {run.dry_run
          ? t('Select the lines to write. The others stay as they are in Fabric.')
          : t('Lines that were not selected stayed as they are in Fabric.')}
      </Notice>
      {rows.length > 0 && (
        <DataTable
          id="netbox-conflicts"
          label={t('Conflicts')}
          noun={{ one: t('conflict'), many: t('conflicts') }}
          columns={columns}
          rows={rows}
          rowId={toConflictId}
          total={rows.length}
          loading={false}
          error={null}
          height="auto"
          empty={null}
          selection={chosen}
          onSelectionChange={onChosenChange}
        />
      )}
    </div>
  );
}

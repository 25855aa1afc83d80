'use client';
import { useMemo } from 'react';
import { MAX_IMPORT_CHANGES } from '@/domain/choices';
import type { IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Notice } from '@/ui/notice';
import { Progress } from '@/ui/progress';
import { Mono } from '@/ui/values';
import { useAuditedExport } from '../shared/use-csv-export';
import { ImportChanges } from './import-changes';
import { outcomeText, STAGE_LABELS } from './import-labels';
import type { useMoreChanges } from './use-import';

type Problem = IpamImportDetail['errors'][number] & { id: string };

const make = createColumnHelper<Problem>();

const problemColumns = (t: Translate) => [
  make.number('line', t('Line'), (row) => row.line),
  make.custom('field', t('Field'), (row) => <Mono>{row.field || '–'}</Mono>, { width: 130, csv: (row) => row.field }),
  make.text('message', t('Problem'), (row) => row.message, {
    width: 320,
    grow: true,
  }),
];

/** How far an import is or what came of it, with every change and every bad row by line and field. */
export function ImportReport({ changes: { run, left, load } }: { changes: ReturnType<typeof useMoreChanges> }) {
  const t = useT();
  const problems = useMemo<Problem[]>(
    () => run.errors.map((error, index) => ({ ...error, id: String(index) })),
    [run.errors],
  );
  const columns = useMemo(() => problemColumns(t), [t]);
  const exporting = useAuditedExport<Problem>({
    name: 'import-problems',
    filters: { import_id: run.id },
    columns,
    pages: async function* () {
      yield problems;
    },
    onError: () => {},
  });
  const active = run.status === 'queued' || run.status === 'running';
  if (active) {
    return (
      <div aria-live="polite" className="flex flex-col gap-1">
        <Progress
          label={run.status === 'queued' ? t('Waiting for a worker') : t(STAGE_LABELS[run.stage ?? 'reading'])}
          done={run.progress_total === null ? null : run.progress_done}
          total={run.progress_total}
        />
        <p className="text-sm text-muted">
          {run.dry_run ? t('A dry run writes nothing.') : t('The import continues if you leave this page.')}
        </p>
      </div>
    );
  }
  const bad = run.errors_total > 0;
  return (
    <div className="flex flex-col gap-3">
      <Notice tone={run.status === 'failed' ? 'danger' : bad ? 'warn' : 'ok'} live title={outcomeText(t, run)}>
        {run.message}
      </Notice>
      {run.changes.some(({ conflict }) => conflict === undefined) && <ImportChanges run={run} />}
      {left > 0 && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="text-sm text-muted">
            {t('Showing the first {n, number} of {total, number} changes.', {
              n: run.changes.length,
              total: run.changes_total,
            })}
          </p>
          <Button size="sm" pending={load.isPending} onClick={() => load.mutate()}>
            {t('Show {n, number} more changes', { n: Math.min(left, MAX_IMPORT_CHANGES) })}
          </Button>
          {load.error && <p className="text-sm text-danger">{toFailure(load.error).title}</p>}
        </div>
      )}
      {bad && (
        <>
          <DataTable
            id="import-problems"
            label={run.kind === 'netbox' ? t('Skipped objects and notes') : t('Rejected rows')}
            noun={{ one: t('problem'), many: t('problems') }}
            columns={columns}
            rows={problems}
            rowId={(row) => row.id}
            total={problems.length}
            loading={false}
            error={null}
            height="auto"
            exporting={exporting}
            empty={null}
          />
          {run.errors_total > problems.length && (
            <p className="text-sm text-muted">
              {t('Showing the first {n, number} of {total, number} problems.', {
                n: problems.length,
                total: run.errors_total,
              })}
            </p>
          )}
        </>
      )}
    </div>
  );
}

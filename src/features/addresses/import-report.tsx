'use client';
import { useMemo } from 'react';
import type { IpamImportDetail } from '@/domain/ipam/csv-import';
import { formatCount } from '@/lib/format';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/mono';
import { Notice } from '@/ui/notice';
import { Progress } from '@/ui/progress';
import { useCsvExport } from '@/ui/table/use-csv-export';
import { outcomeText, STAGE_WORDS } from './import-words';

type Problem = IpamImportDetail['errors'][number] & { id: string };

const make = columnsOf<Problem>();

const COLUMNS = [
  make.number('line', 'Line', (row) => row.line, { width: 84 }),
  make.custom('field', 'Field', (row) => <Mono>{row.field || '–'}</Mono>, { width: 130, csv: (row) => row.field }),
  make.text('message', 'What is wrong', (row) => row.message, {
    width: 320,
    grow: true,
    render: (row) => <span title={row.message}>{row.message}</span>,
  }),
];

/** How far an import is or what came of it, with every bad row by line and field. */
export function ImportReport({ run }: { run: IpamImportDetail }) {
  const problems = useMemo<Problem[]>(
    () => run.errors.map((error, index) => ({ ...error, id: String(index) })),
    [run.errors],
  );
  const exporting = useCsvExport<Problem>({
    name: 'import-problems',
    columns: COLUMNS,
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
          label={run.status === 'queued' ? 'Waiting for a worker' : STAGE_WORDS[run.stage ?? 'reading']}
          done={run.progress_total === null ? null : run.progress_done}
          total={run.progress_total}
        />
        <p className="text-sm text-muted">
          {run.dry_run ? 'Nothing is written by a check.' : 'It goes on when you leave this page.'}
        </p>
      </div>
    );
  }
  const bad = run.errors_total > 0;
  return (
    <div className="flex flex-col gap-3">
      <Notice tone={run.status === 'failed' ? 'danger' : bad ? 'warn' : 'ok'} live title={outcomeText(run)}>
        {run.message}
      </Notice>
      {bad && (
        <>
          <DataTable
            id="import-problems"
            label="Bad rows"
            noun={{ one: 'problem', many: 'problems' }}
            columns={COLUMNS}
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
              These are the first {formatCount(problems.length)} of {formatCount(run.errors_total)} problems.
            </p>
          )}
        </>
      )}
    </div>
  );
}

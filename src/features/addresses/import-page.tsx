'use client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { IMPORT_KINDS } from '@/domain/choices';
import type { ImportInput, ImportKind, IpamImportDetail } from '@/domain/ipam/csv-import';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { URL_TEXT, urlEnum, useUrlValue, withInitial } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { RadioGroup } from '@/ui/radio-group';
import { Section } from '@/ui/section';
import { Mono } from '@/ui/values';
import { usePermissions } from '../shared/use-permissions';
import { columnsText, exampleFile, IMPORT_KIND_LABELS } from './import-labels';
import { ImportReport } from './import-report';
import { type ImportFile, ImportSource } from './import-source';
import { useImport, useMoreChanges, useStartImport } from './use-import';

/** Takes over addresses or subnets from a CSV file: first everything is checked, then it is written as a whole or without the bad rows. */
export function ImportPage() {
  const t = useT();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [kind, setKind] = useUrlValue('kind', withInitial(urlEnum(IMPORT_KINDS), 'addresses'));
  const [importId, setImportId] = useUrlValue('import', URL_TEXT);
  const [file, setFile] = useState<ImportFile | null>(null);
  /** The text that the shown check was about; another one must be checked again. */
  const [checked, setChecked] = useState<string | null>(null);
  const start = useStartImport((id, input) => {
    setChecked(input.dry_run ? input.content : null);
    void setImportId(id);
  });
  const run = useImport(importId);
  const active = run.data?.status === 'queued' || run.data?.status === 'running';
  const send = (options: Pick<ImportInput, 'mode' | 'dry_run' | 'preview_id'>) => {
    if (file) start.mutate({ kind, file_name: file.name.slice(0, 200), content: file.content, ...options });
  };
  const reasonToWait = active ? t('Wait until the current import ends') : null;
  const failure = start.error ? toFailure(start.error) : null;
  return (
    <>
      <PageTrail crumbs={[{ label: t('Import') }]} />
      <PageHeader
        title={t('Import')}
        description={t('The check lists every change. The import writes exactly these changes, or nothing.')}
        actions={
          writeReason === null && (
            <Link className={buttonClass()} href={paths.netboxSources()}>
              {t('Import from NetBox')}
            </Link>
          )
        }
      />
      {writeReason && (
        <Notice tone="info" title={t('You have read-only access')}>
          {writeReason}
        </Notice>
      )}
      <Section title={t('1. File')}>
        <div className="flex flex-col gap-4">
          <RadioGroup<ImportKind>
            aria-label={t('File contents')}
            value={kind}
            onValueChange={(next) => void setKind(next)}
            options={IMPORT_KINDS.map((value) => ({
              value,
              label: t(IMPORT_KIND_LABELS[value]),
              description: t('Required columns: {required}. Optional columns: {optional}.', columnsText(value)),
            }))}
          />
          <ImportSource kind={kind} value={file} onChange={setFile} />
          {failure && (
            <Notice tone="danger" live title={failure.title}>
              {failure.detail}
              {failure.errors?.map((item) => (
                <p key={`${item.field} ${item.message}`}>
                  <Mono>{item.field}</Mono>: {item.message}
                </p>
              ))}
            </Notice>
          )}
          <div className="flex flex-wrap justify-end gap-2">
            <Button icon={<Download size={14} />} variant="ghost" onClick={() => saveExample(kind)}>
              {t('Example file')}
            </Button>
            <Button
              variant="primary"
              // The check counts what is good besides what is bad, whatever is chosen afterwards.
              onClick={() => send({ mode: 'skip_bad', dry_run: true })}
              pending={start.isPending && start.variables?.dry_run}
              disabledReason={writeReason ?? (file ? reasonToWait : t('Choose a file or paste CSV text first'))}
            >
              {t('Check rows')}
            </Button>
          </div>
        </div>
      </Section>
      {importId !== null && (
        <Section title={run.data && !run.data.dry_run ? t('3. Import') : t('2. Check')}>
          {run.data ? (
            <div className="flex flex-col gap-4">
              <Report key={run.data.id} run={run.data} />
              {!active && run.data.dry_run && (
                <NextStep
                  run={run.data}
                  disabledReason={
                    writeReason ??
                    (file === null
                      ? t('Choose the file again: the browser does not store the file')
                      : kind !== run.data.kind
                        ? t('The rows were checked as other contents. Check the rows again')
                        : checked !== file.content
                          ? t('The text has changed since the check. Check the rows again')
                          : null)
                  }
                  pending={start.isPending}
                  onImport={(mode) => send({ mode, dry_run: false, preview_id: run.data.id })}
                />
              )}
              {!active && !run.data.dry_run && run.data.status === 'ok' && (
                <p>
                  <a
                    className="link"
                    href={paths.addresses({ tab: run.data.kind === 'addresses' ? 'addresses' : undefined })}
                  >
                    {t(run.data.kind === 'addresses' ? 'Show addresses' : 'Show prefixes')}
                  </a>
                </p>
              )}
            </div>
          ) : run.error ? (
            <ErrorState problem={toFailure(run.error)} onRetry={() => void run.refetch()} />
          ) : (
            <Skeleton className="h-16 w-full" />
          )}
        </Section>
      )}
    </>
  );
}

function Report({ run }: { run: IpamImportDetail }) {
  return <ImportReport changes={useMoreChanges(run)} />;
}

type NextProps = {
  run: IpamImportDetail;
  disabledReason: string | null;
  pending: boolean;
  onImport: (mode: ImportInput['mode']) => void;
};

/** After a check: import everything, or what is good, with the difference said. */
function NextStep({ run, disabledReason, pending, onImport }: NextProps) {
  const t = useT();
  const total = run.rows_total ?? 0;
  const bad = run.rows_bad ?? 0;
  const good = total - bad;
  if (run.status === 'failed' || good === 0) return <p className="text-muted">{t('Fix the file and check again.')}</p>;
  return (
    <div className="flex flex-wrap items-center justify-end gap-3">
      {bad > 0 && (
        <p className="mr-auto text-pretty text-muted">
          {t('Fix the file and check again, or import only the valid rows.')}
        </p>
      )}
      <Button
        variant="primary"
        pending={pending}
        disabledReason={disabledReason}
        onClick={() => onImport(bad > 0 ? 'skip_bad' : 'atomic')}
      >
        {bad > 0
          ? t('Import {good, plural, one {# valid row} other {# valid rows}}, skip {bad, number}', { good, bad })
          : t('Import {n, plural, one {# row} other {# rows}}', { n: total })}
      </Button>
    </div>
  );
}

function saveExample(kind: ImportKind) {
  const url = URL.createObjectURL(new Blob([exampleFile(kind)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${kind}-example.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { IpamImportDetail } from '@/domain/ipam/csv-import';
import type { NetboxSource } from '@/domain/netbox/source';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { RowActions } from '@/ui/menu';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Section } from '@/ui/section';
import { DetailPage } from '../../shared/detail-page';
import { usePermissions } from '../../shared/use-permissions';
import { ImportReport } from '../import-report';
import { useImport, useMoreChanges } from '../use-import';
import { NetboxConflicts } from './netbox-conflicts';

const EditNetboxDrawer = loadOnOpening(() => import('./netbox-drawers').then((module) => module.EditNetboxDrawer));
const DeleteNetboxDialog = loadOnOpening(() => import('./netbox-drawers').then((module) => module.DeleteNetboxDialog));

/** One NetBox source: preview what it would change, choose conflicts, import. */
export function NetboxSourceDetail({ sourceId }: { sourceId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.netbox.get.queryOptions({ id: sourceId }));
  return (
    <DetailPage query={query} title={({ name }) => name}>
      {(source) => <Content source={source} />}
    </DetailPage>
  );
}

/** Starts previews and imports of a source, and follows the last one. */
function useNetboxRun(source: NetboxSource) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [importId, setImportId] = useUrlValue('import', URL_TEXT);
  const start = useMutation(
    trpc.netbox.import.mutationOptions({
      onSuccess: ({ import_id }) => {
        void queryClient.invalidateQueries(trpc.ipamImports.pathFilter());
        void setImportId(import_id);
      },
    }),
  );
  const run = useImport(importId);
  const active = run.data?.status === 'queued' || run.data?.status === 'running';
  return { start, run, importId, active, send: (input: object) => start.mutate({ id: source.id, ...input }) };
}

function Content({ source }: { source: NetboxSource }) {
  const t = useT();
  const router = useRouter();
  const writeReason = usePermissions().reason('ipam:write');
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const { start, run, importId, active, send } = useNetboxRun(source);
  const failure = start.error ? toFailure(start.error) : null;
  const close = () => setOpen(null);
  return (
    <>
      <PageTrail crumbs={[{ label: t('NetBox sources'), href: paths.netboxSources() }, { label: source.name }]} />
      <PageHeader
        title={source.name}
        description={source.url}
        actions={
          <>
            <Button icon={<Pencil size={14} />} onClick={() => setOpen('edit')} disabledReason={writeReason}>
              {t('Edit')}
            </Button>
            <RowActions
              name={source.name}
              entries={[
                {
                  id: 'delete',
                  label: t('Delete NetBox source'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => setOpen('delete'),
                  disabledReason: writeReason,
                },
              ]}
            />
          </>
        }
      />
      <Section title={t('1. Preview')}>
        <div className="flex flex-col gap-4">
          {failure && (
            <Notice tone="danger" live title={failure.title}>
              {failure.detail}
            </Notice>
          )}
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-pretty text-muted">{t('Reads NetBox and lists every change. Nothing is written.')}</p>
            <Button
              variant="primary"
              onClick={() => send({})}
              pending={start.isPending && start.variables?.preview_id === undefined}
              disabledReason={writeReason ?? (active ? t('Wait until the current import ends') : null)}
            >
              {t('Preview')}
            </Button>
          </div>
        </div>
      </Section>
      {importId !== null && (
        <Section title={run.data && !run.data.dry_run ? t('3. Import') : t('2. Changes')}>
          {run.data ? (
            <Report
              key={run.data.id}
              run={run.data}
              pending={start.isPending}
              writeReason={writeReason}
              onImport={(overwrite) => send({ preview_id: run.data.id, overwrite })}
            />
          ) : run.error ? (
            <ErrorState problem={toFailure(run.error)} onRetry={() => void run.refetch()} />
          ) : (
            <Skeleton className="h-16 w-full" />
          )}
        </Section>
      )}
      {open === 'edit' && <EditNetboxDrawer source={source} onClose={close} />}
      {open === 'delete' && (
        <DeleteNetboxDialog source={source} onClose={close} onDeleted={() => router.replace(paths.netboxSources())} />
      )}
    </>
  );
}

type ReportProps = {
  run: IpamImportDetail;
  pending: boolean;
  writeReason: string | null;
  onImport: (overwrite: number[]) => void;
};

/** What a preview lists, with the choice of conflicts and the import; or what an import wrote. */
function Report({ run: given, pending, writeReason, onImport }: ReportProps) {
  const t = useT();
  const changes = useMoreChanges(given);
  const { run } = changes;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const done = run.status === 'ok';
  const total = run.changes_total - run.conflicts + chosen.size;
  return (
    <div className="flex flex-col gap-4">
      {done && run.conflicts > 0 && <NetboxConflicts run={run} chosen={chosen} onChosenChange={setChosen} />}
      <ImportReport changes={changes} />
      {done && run.dry_run && (
        <div className="flex flex-wrap items-center justify-end gap-3">
          <p className="mr-auto text-pretty text-muted">
            {t('Writes exactly these changes, or nothing if something changed since.')}
          </p>
          <Button
            variant="primary"
            pending={pending}
            disabledReason={writeReason}
            onClick={() => onImport([...chosen].map(Number))}
          >
            {total === 0
              ? t('Confirm as imported')
              : t('Import {n, plural, one {# change} other {# changes}}', { n: total })}
          </Button>
        </div>
      )}
    </div>
  );
}

'use client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { DetailSkeleton } from '../shared/detail-page';
import { QueryView } from '../shared/query-view';
import { failureColumns, queueColumns } from './queue-columns';

/** The queues as they are now, and the latest failures over all of them. */
export function Queues() {
  const t = useT();
  const trpc = useTRPC();
  const columns = useMemo(() => ({ queues: queueColumns(t), failures: failureColumns(t) }), [t]);
  const query = useQuery({ ...trpc.jobs.overview.queryOptions(), refetchInterval: 5000 });
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {({ queues, recent_failures, backend }) => (
        <>
          {queues.every((queue) => queue.workers === 0) && (
            <Notice tone="danger" title={t('No worker is running')}>
              {t('Background jobs are not running. Start a worker and check its log.')}
            </Notice>
          )}
          <Section
            title={t('Queues')}
            description={backend === 'redis' ? t('Stored in Redis.') : t('Stored in PostgreSQL.')}
            bare
          >
            <DataTable
              id="queues"
              label={t('Queues')}
              noun={{ one: t('queue'), many: t('queues') }}
              columns={columns.queues}
              rows={queues}
              rowId={(queue) => queue.name}
              total={queues.length}
              loading={false}
              error={null}
              height="auto"
              empty={
                <EmptyState title={t('No queues')}>
                  {t('No background jobs are registered. Check that a worker is running.')}
                </EmptyState>
              }
            />
          </Section>
          <Section title={t('Latest failures')} bare>
            <DataTable
              id="job-failures"
              label={t('Latest failures')}
              noun={{ one: t('failure'), many: t('failures') }}
              columns={columns.failures}
              rows={recent_failures}
              rowId={(failure) => `${failure.name} ${failure.id}`}
              total={recent_failures.length}
              loading={false}
              error={null}
              height="auto"
              empty={
                <EmptyState title={t('No failures')}>
                  {t(
                    'Jobs that failed after their last attempt appear here. Failed syncs are listed under syncs and discoveries.',
                  )}
                </EmptyState>
              }
            />
          </Section>
        </>
      )}
    </QueryView>
  );
}

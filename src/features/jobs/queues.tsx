'use client';
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '@/lib/trpc';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { DetailSkeleton } from '../shared/detail-skeleton';
import { QueryView } from '../shared/query-view';
import { FAILURE_COLUMNS, QUEUE_COLUMNS } from './queue-columns';

/** The queues as they are now, and the latest failures over all of them. */
export function Queues() {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.jobs.overview.queryOptions(), refetchInterval: 5000 });
  return (
    <QueryView query={query} skeleton={<DetailSkeleton />}>
      {({ queues, recent_failures, backend }) => (
        <>
          {queues.every((queue) => queue.workers === 0) && (
            <Notice tone="danger" title="No worker is running">
              Nothing happens in the background until one starts. Look at the worker's log.
            </Notice>
          )}
          <Section title="Queues" description={`Kept in ${backend === 'redis' ? 'Redis' : 'PostgreSQL'}.`} bare>
            <DataTable
              id="queues"
              label="Queues"
              noun={{ one: 'queue', many: 'queues' }}
              columns={QUEUE_COLUMNS}
              rows={queues}
              rowId={(queue) => queue.name}
              total={queues.length}
              loading={false}
              error={null}
              height="auto"
              empty={<EmptyState title="No queues">This service has no background jobs.</EmptyState>}
            />
          </Section>
          <Section title="Latest failures" bare>
            <DataTable
              id="job-failures"
              label="Latest failures"
              noun={{ one: 'failure', many: 'failures' }}
              columns={FAILURE_COLUMNS}
              rows={recent_failures}
              rowId={(failure) => `${failure.name} ${failure.id}`}
              total={recent_failures.length}
              loading={false}
              error={null}
              height="auto"
              empty={
                <EmptyState title="No failures">
                  Jobs that gave up after their last attempt would be listed here. A sync that fails is no failed job;
                  see the syncs.
                </EmptyState>
              }
            />
          </Section>
        </>
      )}
    </QueryView>
  );
}

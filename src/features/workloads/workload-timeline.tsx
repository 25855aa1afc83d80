'use client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { TimelineEvent } from '../shared/timeline/timeline-event';

const PAGE_ROWS = 50;
/** Everything that touched a workload, newest first. */
export function WorkloadTimeline({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useInfiniteQuery({
    queryKey: [trpc.workloads.timeline.pathKey()[0], { input: { id: workloadId }, type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      client.workloads.timeline.query(
        { id: workloadId, limit: PAGE_ROWS, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });
  if (query.isPending) return <Skeleton className="h-64" />;
  if (query.error && !query.data) {
    return (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
    );
  }
  const [first] = query.data?.pages ?? [];
  const events = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section
      title={t('Last 30 days')}
      description={
        first &&
        t('Changes are recorded since {when}. An event with two times happened between them.', {
          when: formatDateTime(first.recorded_since),
        })
      }
    >
      {events.length === 0 ? (
        <EmptyState title={t('Nothing happened')}>
          {t('Syncs, groups, policies, edits on the hypervisor and gaps in reports of agents appear here.')}
        </EmptyState>
      ) : (
        <ol aria-label={t('Timeline')} className="flex flex-col divide-y">
          {events.map((event) => (
            <TimelineEvent key={event.id} event={event} />
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('Show older')}
        </Button>
      )}
    </Section>
  );
}

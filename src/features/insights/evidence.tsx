'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Section } from '@/ui/section';
import { EvidenceContent } from '../shared/evidence/evidence-content';
import { QueryView } from '../shared/query-view';
import { FlowChecks } from './flow-checks';
import type { TrafficView } from './use-traffic-view';

/** How far the evidence about the workload reaches in the time range, with the list of what is missing. */
export function Evidence({ view }: { view: TrafficView }) {
  const t = useT();
  const trpc = useTRPC();
  const { id, since, until } = view.asked;
  const query = useQuery({
    ...trpc.insights.visibility.queryOptions({ id, since, until }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  const summary = useQuery({
    ...trpc.insights.summary.queryOptions({ ...view.asked, traffic_mode: 'all' }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  return (
    <Section title={t('Evidence')}>
      <QueryView query={query} skeleton={<Skeleton className="h-28 w-full" />}>
        {(visibility) => (
          <>
            <EvidenceContent visibility={visibility} />
            {!summary.isPending && <FlowChecks {...visibility} seen={(summary.data?.summary.conversations ?? 0) > 0} />}
          </>
        )}
      </QueryView>
    </Section>
  );
}

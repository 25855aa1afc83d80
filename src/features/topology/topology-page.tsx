'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { msg, optionsIn } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import { QueryView } from '../shared/query-view';
import { resolveRange } from '../shared/time-range';
import { TimeRangeControl } from '../shared/time-range-control';
import { useRefresh } from '../shared/use-timers';
import { TopologyContent } from './topology-content';
import { TopologyFilters } from './topology-filters';
import { useTopologyView } from './use-topology-view';

/** Verdicts and traffic are read anew while the page is looked at. */
const REFRESH_MS = 30_000;

const VIEWS = [
  { value: 'map', label: msg('Map') },
  { value: 'connections', label: msg('Connections') },
  { value: 'workloads', label: msg('Workloads') },
] as const;

/** Who talks to whom, as a map and as tables. */
export function TopologyPage() {
  const t = useT();
  const trpc = useTRPC();
  const view = useTopologyView();
  const { filters } = view;
  const fixed = filters.since !== null || filters.until !== null;
  const { now } = useRefresh(fixed ? null : REFRESH_MS);
  const range = resolveRange(filters, now);
  const reversed = range.until !== undefined && range.since >= range.until;
  const query = useQuery({
    ...trpc.topology.read.queryOptions({
      ...range,
      ...(filters.cluster_id && { cluster_id: filters.cluster_id }),
      ...(filters.workload_id && { workload_id: filters.workload_id }),
    }),
    placeholderData: keepPreviousData,
    // Every refresh is another query; nobody goes back to the one before.
    gcTime: REFRESH_MS,
    enabled: !reversed,
  });
  // While another part of the map is on its way, the one before is still shown, and stands as it stood.
  const part = `${filters.cluster_id} ${filters.workload_id}`;
  const [shownPart, setShownPart] = useState(part);
  if (shownPart !== part && query.data && !query.isPlaceholderData) setShownPart(part);
  return (
    <>
      <PageHeader
        title={t('Topology')}
        actions={
          <>
            <TimeRangeControl {...filters} onChange={view.setFilters} />
            <SegmentedControl
              label={t('View')}
              value={view.view}
              options={optionsIn(t, VIEWS)}
              onValueChange={(next) => view.setFilter('view', next === 'map' ? null : next)}
            />
          </>
        }
      />
      <TopologyFilters view={view} topology={query.data} />
      {reversed ? (
        <Notice tone="warn" title={t('The time range ends before it begins')} />
      ) : (
        <QueryView query={query} skeleton={<Skeleton className="min-h-96 w-full flex-1" />}>
          {(topology) => (
            <TopologyContent topology={topology} part={shownPart} view={view} refreshing={query.isFetching} />
          )}
        </QueryView>
      )}
    </>
  );
}

'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_EXPANDED, TOPOLOGY_GROUPINGS } from '@/domain/choices';
import { msg, translateOptions } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import { parseAsId } from '../shared/list-state';
import { QueryView } from '../shared/query-view';
import { resolveRange } from '../shared/time-range';
import { TimeRangeControl } from '../shared/time-range-control';
import { useDebounced, useRefresh } from '../shared/use-timers';
import { TopologyContent } from './topology-content';
import { TopologyFilters } from './topology-filters';
import { GROUPING_LABELS } from './topology-labels';
import { useTopologyView } from './use-topology-view';

/** Verdicts and traffic are refreshed while the page is visible. */
const REFRESH_MS = 30_000;

const VIEWS = [
  { value: 'map', label: msg('Map') },
  { value: 'matrix', label: msg('Matrix') },
  { value: 'connections', label: msg('Connections') },
  { value: 'workloads', label: msg('Workloads') },
] as const;

/** Traffic between groups of workloads, as a map, a matrix and tables. */
export function TopologyPage() {
  const t = useT();
  const trpc = useTRPC();
  const view = useTopologyView();
  const { filters } = view;
  const fixed = filters.since !== null || filters.until !== null;
  const { now } = useRefresh(fixed ? null : REFRESH_MS);
  const range = resolveRange(filters, now);
  const reversed = range.until !== undefined && range.since >= range.until;
  const { cluster_id, workload_id, project_id, tag, policy_id, group, at } = filters;
  const q = useDebounced(view.q.trim()).slice(0, 200);
  // Of a focused workload everything is shown; a link to a workload alone shows its group.
  const linked = filters.expand === null && at !== null && parseAsId.parse(at) !== null ? [at] : [];
  const expand = workload_id ? ['all'] : [...view.expanded, ...linked];
  const query = useQuery({
    ...trpc.topology.read.queryOptions({
      ...range,
      group_by: group ?? 'auto',
      ...(expand.length > 0 && { expand: expand.slice(0, MAX_EXPANDED) }),
      ...(q && { q }),
      ...(cluster_id && { cluster_id }),
      ...(workload_id && { workload_id }),
      ...(project_id && { project_id: project_id as 'none' }),
      ...(tag && { tag }),
      ...(policy_id && { policy_id }),
    }),
    placeholderData: keepPreviousData,
    // Every refresh is another query; the previous one is never used again.
    gcTime: REFRESH_MS,
    enabled: !reversed,
  });
  // While another part of the map is on its way, the one before is still shown, and stands as it stood.
  const part = [cluster_id, workload_id, project_id, tag, policy_id, group].join(' ');
  const [shownPart, setShownPart] = useState(part);
  if (shownPart !== part && query.data && !query.isPlaceholderData) setShownPart(part);
  return (
    <>
      <PageHeader
        title={t('Topology')}
        actions={
          <>
            {!workload_id && (
              <SegmentedControl
                label={t('Group by')}
                value={group ?? query.data?.group_by ?? TOPOLOGY_GROUPINGS[0]}
                options={TOPOLOGY_GROUPINGS.map((value) => ({ value, label: t(GROUPING_LABELS[value]) }))}
                onValueChange={(next) => view.setFilters({ group: next, expand: null, at: null })}
              />
            )}
            <TimeRangeControl {...filters} onChange={view.setFilters} />
            <SegmentedControl
              label={t('View')}
              value={view.view}
              options={translateOptions(t, VIEWS)}
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

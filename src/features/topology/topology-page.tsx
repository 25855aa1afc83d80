'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Topology } from '@/domain/topology/topology';
import { formatCount } from '@/lib/format';
import { useTRPC } from '@/lib/trpc';
import { FilterBar } from '@/ui/filter-bar';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { SegmentedControl } from '@/ui/segmented-control';
import { Skeleton } from '@/ui/skeleton';
import { FilterChip } from '../shared/filter-chip';
import { QueryView } from '../shared/query-view';
import { resolveRange } from '../shared/traffic-range';
import { TrafficTimeControl } from '../shared/traffic-time-control';
import { useClusterOptions } from '../shared/use-cluster-options';
import { useRefresh } from '../shared/use-refresh';
import { ConnectionDrawer } from './connection-drawer';
import { MapCanvas } from './map-canvas';
import { buildMap, countVerdicts, MAP_GROUPINGS, type MapLink } from './map-model';
import { NoTraffic } from './no-traffic';
import { NodeHint } from './node-hint';
import { NodePanel } from './node-panel';
import { ConnectionTable, NodeTable } from './topology-tables';
import { countText, GROUPING_LABELS, isMatch } from './topology-words';
import { type TopologyState, useTopologyView } from './use-topology-view';
import { VerdictLegend } from './verdict-legend';

/** Verdicts and traffic are read anew while the page is looked at. */
const REFRESH_MS = 30_000;

const VIEWS = [
  { value: 'map', label: 'Map' },
  { value: 'connections', label: 'Connections' },
  { value: 'workloads', label: 'Workloads' },
] as const;
const GROUPINGS = MAP_GROUPINGS.map((value) => ({ value, label: GROUPING_LABELS[value] }));

/** Who talks to whom, as a map and as tables. */
export function TopologyPage() {
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
  return (
    <>
      <PageHeader
        title="Topology"
        actions={
          <>
            <TrafficTimeControl {...filters} onChange={view.setFilters} />
            <SegmentedControl
              label="View"
              value={view.view}
              options={VIEWS}
              onValueChange={(next) => view.setFilter('view', next === 'map' ? null : next)}
            />
          </>
        }
      />
      <Filters view={view} topology={query.data} />
      {reversed ? (
        <Notice tone="warn" title="The time range ends before it begins" />
      ) : (
        <QueryView query={query} skeleton={<Skeleton className="min-h-96 w-full flex-1" />}>
          {(topology) => <Loaded topology={topology} view={view} refreshing={query.isFetching} />}
        </QueryView>
      )}
    </>
  );
}

function Filters({ view, topology }: { view: TopologyState; topology: Topology | undefined }) {
  const clusters = useClusterOptions();
  const { filters } = view;
  const focused = topology?.workloads.find(({ id }) => id === filters.workload_id);
  return (
    <>
      <FilterBar
        search={{ label: 'Find on the map', value: view.q, onValueChange: view.setQ }}
        facets={[
          {
            id: 'group',
            label: 'Group by',
            single: true,
            options: GROUPINGS,
            value: [view.grouping],
            onValueChange: ([value]) =>
              view.setFilter('group', MAP_GROUPINGS.find((one) => one === value && one !== 'network') ?? null),
          },
          {
            id: 'busy',
            label: 'Workloads',
            single: true,
            options: [{ value: 'true', label: 'With connections only' }],
            value: filters.busy ? ['true'] : [],
            onValueChange: ([value]) => view.setFilter('busy', value === 'true' || null),
          },
          ...(clusters.length > 1 || filters.cluster_id
            ? [
                {
                  id: 'cluster_id',
                  label: 'Cluster',
                  single: true,
                  options: clusters,
                  value: filters.cluster_id ? [filters.cluster_id] : [],
                  onValueChange: ([value]: string[]) => view.setFilter('cluster_id', value ?? null),
                },
              ]
            : []),
        ]}
      >
        {filters.workload_id && (
          <FilterChip
            label="Neighbours of"
            value={focused?.name ?? 'a workload'}
            onRemove={() => view.setFilter('workload_id', null)}
          />
        )}
      </FilterBar>
      {topology && (
        <VerdictLegend counts={countVerdicts(topology)} shown={view.verdicts} onToggle={view.toggleVerdict} />
      )}
    </>
  );
}

function Loaded({ topology, view, refreshing }: { topology: Topology; view: TopologyState; refreshing: boolean }) {
  const { grouping, verdicts, filters, q } = view;
  const idle = filters.busy !== true;
  const model = useMemo(() => buildMap(topology, { grouping, verdicts, idle }), [topology, grouping, verdicts, idle]);
  const matches = useMemo(
    () =>
      q.trim() === ''
        ? null
        : new Set([...model.nodes.values()].filter((node) => isMatch(node, q)).map(({ id }) => id)),
    [model, q],
  );
  const [opened, setOpened] = useState<MapLink | null>(null);
  const selected = filters.at === null ? null : (model.nodes.get(filters.at) ?? null);
  const select = (id: string | null) => {
    if (id !== filters.at) view.setFilter('at', id);
  };
  const omitted = [
    topology.workloads_total > topology.workloads.length &&
      countText(topology.workloads_total - topology.workloads.length, 'workload'),
    topology.edges_total > topology.edges.length &&
      countText(topology.edges_total - topology.edges.length, 'connection'),
  ].filter(Boolean);
  const label = `Map of ${countText(model.nodes.size, 'workload or peer')} and ${countText(model.links.length, 'connection')}`;
  const table = { model, matches, view, refreshing };
  return (
    <>
      {omitted.length > 0 && (
        <Notice tone="info" title={`Too many to draw: ${omitted.join(' and ')} are left out`}>
          Those without traffic and the lightest. Choose a cluster, or look at one workload.
        </Notice>
      )}
      {view.view === 'connections' && <ConnectionTable {...table} onOpen={setOpened} />}
      {view.view === 'workloads' && <NodeTable {...table} onOpen={(id) => view.setFilters({ at: id, view: null })} />}
      {view.view === 'map' &&
        (model.nodes.size === 0 ? (
          <div className="rounded-lg border bg-surface">
            <NoTraffic view={view} />
          </div>
        ) : (
          <div className="flex min-h-0 flex-1 gap-3 max-lg:flex-col lg:h-0 lg:min-h-96">
            <div className="flex min-h-96 min-w-0 flex-1 flex-col gap-1">
              <MapCanvas
                model={model}
                label={label}
                selected={selected?.id ?? null}
                onSelect={select}
                matches={matches}
                hintOf={(id) => <NodeHint model={model} nodeId={id} />}
                viewKey={[grouping, idle, filters.cluster_id, filters.workload_id].join(' ')}
              />
              <p className="text-sm text-faint" aria-live="polite">
                {matches
                  ? `${formatCount(matches.size)} of ${formatCount(model.nodes.size)} found.`
                  : 'Drag to move, scroll to zoom, press a workload to see its connections.'}
              </p>
            </div>
            {selected && (
              <NodePanel
                model={model}
                node={selected}
                onSelect={select}
                onFocus={
                  selected.id === filters.workload_id ? undefined : (id) => view.setFilters({ workload_id: id, at: id })
                }
                onOpen={setOpened}
              />
            )}
          </div>
        ))}
      <ConnectionDrawer model={model} link={opened} time={filters} onClose={() => setOpened(null)} />
    </>
  );
}

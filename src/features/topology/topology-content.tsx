'use client';
import { useMemo, useState } from 'react';
import { MAX_DRAWN_NODES } from '@/domain/choices';
import type { Topology, TopologyGroup } from '@/domain/topology/topology';
import { formatDateTime } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { loadLater, loadOnOpening } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { loadTab } from '../shared/load-tab';
import { expiredRange } from '../shared/time-range';
import { MapCanvas } from './map-canvas';
import { buildMap, type MapLink } from './map-model';
import { NoTraffic } from './no-traffic';
import { NodeHint } from './node-hint';
import { isMatch, omittedText } from './topology-labels';
import type { TopologyState } from './use-topology-view';

const ConnectionTable = loadTab(() => import('./topology-tables').then((module) => module.ConnectionTable));
const NodeTable = loadTab(() => import('./topology-tables').then((module) => module.NodeTable));
const NodePanel = loadOnOpening(
  () => import('./node-panel').then((module) => module.NodePanel),
  () => true,
);
const ConnectionDrawer = loadOnOpening(() => import('./connection-drawer').then((module) => module.ConnectionDrawer));

const MatrixView = loadLater(
  () => import('./matrix-view').then((module) => module.MatrixView),
  <Skeleton className="min-h-96 w-full flex-1" />,
);

type Props = {
  topology: Topology;
  /** Names the part of the installation that `topology` is. */
  part: string;
  view: TopologyState;
  refreshing: boolean;
};

/** The map or one of its tables, with what is looked at more closely. */
export function TopologyContent({ topology, part, view, refreshing }: Props) {
  const t = useT();
  const { verdicts, filters, q } = view;
  // Also those that are expanded because one of their workloads is linked to.
  const expanded = topology.groups.filter((group) => group.expanded).map(({ id }) => id);
  const idle = filters.busy !== true;
  const model = useMemo(() => buildMap(t, topology, { verdicts, idle }), [t, topology, verdicts, idle]);
  const matches = useMemo(
    () =>
      q.trim() === ''
        ? null
        : new Set([...model.nodes.values()].filter((node) => isMatch(node, q)).map(({ id }) => id)),
    [model, q],
  );
  const [opened, setOpened] = useState<MapLink | null>(null);
  const { at } = filters;
  const selected = at !== null && (model.nodes.has(at) || model.groups.some(({ id }) => id === at)) ? at : null;
  const select = (id: string | null) => {
    if (id !== filters.at) view.setFilter('at', id);
  };
  const expand = (id: string, on: boolean) =>
    view.setExpanded(on ? [...expanded, id] : expanded.filter((one) => one !== id), id);
  const pressGroup = (id: string, byButton: boolean) => {
    const group = topology.groups.find((one) => one.id === id);
    const outside = group?.kind === 'external' || group?.kind === 'internal';
    // A button collapses, as it is named; of presses on the box of an expanded group the first one selects it.
    if (!group || outside || filters.workload_id !== null) select(id);
    else if (!group.expanded) expand(id, true);
    else if (byButton || selected === id) expand(id, false);
    else select(id);
  };
  const only = ({ id, kind, name }: TopologyGroup) =>
    view.setFilters(kind === 'tag' ? { tag: name } : { project_id: id.slice('project:'.length) });
  const isFiltered = filters.project_id !== null || filters.tag !== null;
  const many = model.nodes.size > MAX_DRAWN_NODES;
  const shown = view.view === 'map' && many ? 'matrix' : view.view;
  const found = topology.groups.reduce((sum, group) => sum + group.found, 0);
  const omitted = omittedText(t, topology);
  const label = t(
    'Map of {ends, plural, one {# endpoint} other {# endpoints}} and {connections, plural, one {# connection} other {# connections}}',
    { ends: model.nodes.size, connections: model.links.length },
  );
  const expired = expiredRange(topology.until, topology.kept_since);
  const table = { model, matches, view, refreshing, expired };
  return (
    <>
      {!topology.complete && (
        <Notice tone="warn" title={t('Too many conversations: totals are incomplete')}>
          {t('The conversations with the least traffic are missing. Choose a shorter time range or a filter.')}
        </Notice>
      )}
      {omitted && (
        <Notice tone="info" title={t('Too many to draw: {omitted} omitted', { omitted })}>
          {t(
            'Workloads without traffic and those with the least traffic are omitted. Select a cluster or a single workload.',
          )}
        </Notice>
      )}
      {view.view === 'map' && many && (
        <Notice
          tone="info"
          title={t('Shown as a matrix: more than {n, number} nodes', { n: MAX_DRAWN_NODES })}
          action={
            expanded.length > 0 && (
              <Button size="sm" onClick={() => view.setExpanded([], null)}>
                {t('Collapse all')}
              </Button>
            )
          }
        />
      )}
      {expired && model.nodes.size > 0 && shown !== 'connections' && (
        // Where nothing is drawn or listed, that says it.
        <Notice tone="info" title={t('Traffic data has expired')}>
          {t('Traffic data is available since {time}.', { time: formatDateTime(expired) })}
        </Notice>
      )}
      {shown === 'connections' && <ConnectionTable {...table} onOpen={setOpened} />}
      {shown === 'workloads' && <NodeTable {...table} onOpen={(id) => view.setFilters({ at: id, view: null })} />}
      {(shown === 'map' || shown === 'matrix') &&
        (model.nodes.size === 0 || (shown === 'matrix' && model.links.length === 0) ? (
          <div className="rounded-lg border bg-surface">
            <NoTraffic view={view} expired={expired} />
          </div>
        ) : (
          <div className="flex min-h-0 flex-1 gap-3 max-lg:flex-col lg:h-0 lg:min-h-96">
            <div className="flex min-h-96 min-w-0 flex-1 flex-col gap-1 max-lg:h-[60dvh]">
              {shown === 'matrix' ? (
                <MatrixView
                  model={model}
                  label={t('Matrix of clients and servers')}
                  matches={matches}
                  onOpen={setOpened}
                />
              ) : (
                <MapCanvas
                  model={model}
                  label={label}
                  selected={selected}
                  onSelect={select}
                  onGroup={pressGroup}
                  onLine={(id) => setOpened(model.links.find((link) => link.id === id) ?? null)}
                  matches={matches}
                  hintOf={(id) => <NodeHint model={model} nodeId={id} />}
                  viewKey={[idle, part, ...expanded].join(' ')}
                />
              )}
              <p className="text-sm text-faint" aria-live="polite">
                {matches
                  ? t('{n, number} of {total, number} found.', { n: found, total: topology.workloads_total })
                  : shown === 'matrix'
                    ? t('Rows open connections to columns. Arrow keys move, Enter opens a connection.')
                    : t('Select a group to expand it, a workload to see its connections. Drag to pan, scroll to zoom.')}
              </p>
            </div>
            {selected !== null && shown === 'map' && (
              // Its length must not make the map longer.
              <div className="relative w-full shrink-0 lg:w-80">
                <NodePanel
                  model={model}
                  id={selected}
                  onClose={() => select(null)}
                  onExpand={expand}
                  onOnly={isFiltered ? undefined : only}
                  onFocus={
                    selected === filters.workload_id ? undefined : (id) => view.setFilters({ workload_id: id, at: id })
                  }
                  onOpen={setOpened}
                />
              </div>
            )}
          </div>
        ))}
      <ConnectionDrawer model={model} link={opened} time={filters} onClose={() => setOpened(null)} />
    </>
  );
}

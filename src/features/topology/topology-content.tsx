'use client';
import { useMemo, useState } from 'react';
import type { Topology } from '@/domain/topology/topology';
import { formatDateTime } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { expiredRange } from '../shared/time-range';
import { ConnectionDrawer } from './connection-drawer';
import { MapCanvas } from './map-canvas';
import { buildMap, type MapLink } from './map-model';
import { NoTraffic } from './no-traffic';
import { NodeHint } from './node-hint';
import { NodePanel } from './node-panel';
import { isMatch } from './topology-labels';
import { ConnectionTable, NodeTable } from './topology-tables';
import type { TopologyState } from './use-topology-view';

/** What was left out of the answer, in words. */
function omittedText(t: Translate, { workloads, workloads_total, edges, edges_total }: Topology): string | null {
  const parts = [
    workloads_total > workloads.length &&
      t('{n, plural, one {# workload} other {# workloads}}', { n: workloads_total - workloads.length }),
    edges_total > edges.length &&
      t('{n, plural, one {# connection} other {# connections}}', { n: edges_total - edges.length }),
  ].filter((part) => part !== false);
  return parts.length > 0 ? new Intl.ListFormat(t.locale).format(parts) : null;
}

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
  const { grouping, verdicts, filters, q } = view;
  const idle = filters.busy !== true;
  const model = useMemo(
    () => buildMap(t, topology, { grouping, verdicts, idle }),
    [t, topology, grouping, verdicts, idle],
  );
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
  const omitted = omittedText(t, topology);
  const label = t(
    'Map of {ends, plural, one {# endpoint} other {# endpoints}} and {connections, plural, one {# connection} other {# connections}}',
    { ends: model.nodes.size, connections: model.links.length },
  );
  const expired = expiredRange(topology.until, topology.kept_since);
  const table = { model, matches, view, refreshing, expired };
  return (
    <>
      {omitted && (
        <Notice tone="info" title={t('Too many to draw: {omitted} omitted', { omitted })}>
          {t(
            'Workloads without traffic and those with the least traffic are omitted. Select a cluster or a single workload.',
          )}
        </Notice>
      )}
      {expired && model.nodes.size > 0 && view.view !== 'connections' && (
        // Where nothing is drawn or listed, that says it.
        <Notice tone="info" title={t('Traffic data has expired')}>
          {t('Traffic data is available since {time}.', { time: formatDateTime(expired) })}
        </Notice>
      )}
      {view.view === 'connections' && <ConnectionTable {...table} onOpen={setOpened} />}
      {view.view === 'workloads' && <NodeTable {...table} onOpen={(id) => view.setFilters({ at: id, view: null })} />}
      {view.view === 'map' &&
        (model.nodes.size === 0 ? (
          <div className="rounded-lg border bg-surface">
            <NoTraffic view={view} expired={expired} />
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
                viewKey={[grouping, idle, part].join(' ')}
              />
              <p className="text-sm text-faint" aria-live="polite">
                {matches
                  ? t('{n, number} of {total, number} found.', { n: matches.size, total: model.nodes.size })
                  : t('Drag to pan, scroll to zoom, select a workload to see its connections.')}
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

'use client';
import { useMemo } from 'react';
import { TOPOLOGY_GROUPINGS } from '@/domain/choices';
import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { useListState } from '../shared/list-state';

export const TOPOLOGY_VIEWS = ['map', 'matrix', 'connections', 'workloads'] as const;

const SPEC = {
  sorts: ['name', 'source', 'destination', 'verdict', 'bytes', 'packets', 'flows', 'last_seen_at', 'links'],
  defaultSort: '-bytes',
  filters: {
    view: TOPOLOGY_VIEWS,
    group: TOPOLOGY_GROUPINGS,
    /** IDs of expanded groups, or `all`. */
    expand: 'text',
    /** Verdicts that are not shown. */
    hide: 'text',
    /** Nodes without connections are not shown. */
    busy: 'flag',
    cluster_id: 'id',
    project_id: 'id_or_none',
    tag: 'text',
    policy_id: 'id',
    /** The one workload whose neighbors are shown. */
    workload_id: 'id',
    /** What is looked at more closely. */
    at: 'text',
    range: 'span',
    since: 'time',
    until: 'time',
  },
} as const;

const NO_FILTERS = { workload_id: null, cluster_id: null, project_id: null, tag: null, policy_id: null, busy: null };

const isVerdict = (text: string): text is EdgeVerdict => EDGE_VERDICTS.some((verdict) => verdict === text);

/** What the topology page shows, all of it in the URL. */
export function useTopologyView() {
  const state = useListState(SPEC);
  const { filters } = state;
  const hidden = filters.hide ?? '';
  const verdicts = useMemo(() => {
    const off = new Set(hidden.split(',').filter(isVerdict));
    return new Set(EDGE_VERDICTS.filter((verdict) => !off.has(verdict)));
  }, [hidden]);
  const expand = filters.expand ?? '';
  const expanded = useMemo(() => new Set(expand.split(',').filter(Boolean)), [expand]);
  return {
    ...state,
    view: filters.view ?? TOPOLOGY_VIEWS[0],
    expanded,
    /** Expands or collapses groups, and shows the details of the last one. */
    setExpanded: (ids: Iterable<string>, at: string | null) =>
      state.setFilters({ expand: [...ids].join(',') || null, at }),
    /** Everything that narrows the map; what it shows and how stays. */
    clearFilters: () => state.setFilters({ ...NO_FILTERS, q: null } as Parameters<typeof state.setFilters>[0]),
    narrowed: Object.keys(NO_FILTERS).some((name) => filters[name as keyof typeof NO_FILTERS] !== null),
    verdicts,
    toggleVerdict: (verdict: EdgeVerdict) => {
      const off = EDGE_VERDICTS.filter((one) => verdicts.has(one) === (one === verdict));
      state.setFilter('hide', off.join(',') || null);
    },
  };
}
export type TopologyState = ReturnType<typeof useTopologyView>;

'use client';
import { useMemo } from 'react';
import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { useListState } from '../shared/list-state';
import { MAP_GROUPINGS } from './map-model';

export const TOPOLOGY_VIEWS = ['map', 'connections', 'workloads'] as const;

const SPEC = {
  sorts: ['name', 'source', 'destination', 'verdict', 'bytes', 'packets', 'flows', 'last_seen_at', 'links'],
  defaultSort: '-bytes',
  filters: {
    view: TOPOLOGY_VIEWS,
    group: MAP_GROUPINGS,
    /** Verdicts that are not shown. */
    hide: 'text',
    /** Workloads without connections are not shown. */
    busy: 'flag',
    cluster_id: 'id',
    /** The one workload whose neighbours are shown. */
    workload_id: 'id',
    /** What is looked at more closely. */
    at: 'text',
    range: 'span',
    since: 'time',
    until: 'time',
  },
} as const;

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
  return {
    ...state,
    view: filters.view ?? TOPOLOGY_VIEWS[0],
    grouping: filters.group ?? MAP_GROUPINGS[0],
    verdicts,
    toggleVerdict: (verdict: EdgeVerdict) => {
      const off = EDGE_VERDICTS.filter((one) => verdicts.has(one) === (one === verdict));
      state.setFilter('hide', off.join(',') || null);
    },
  };
}
export type TopologyState = ReturnType<typeof useTopologyView>;

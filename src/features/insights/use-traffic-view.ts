'use client';
import { useMemo } from 'react';
import { CONVERSATION_SORTS, FLOW_SORTS, TRAFFIC_MODES } from '@/domain/choices';
import { isTypedFilter } from '@/domain/flow/typed-filter';
import { METRICS } from '../shared/flows/flow-chart-data';
import { useListState } from '../shared/list-state';
import { resolveRange } from '../shared/time-range';
import { useRefresh } from '../shared/use-timers';

const SPEC = {
  sorts: [...new Set([...FLOW_SORTS, ...CONVERSATION_SORTS])],
  defaultSort: '-observed_at',
  filters: {
    range: 'span',
    since: 'time',
    until: 'time',
    traffic_mode: TRAFFIC_MODES,
    metric: METRICS,
    view: ['flows'],
    address: 'text',
    port: 'text',
    protocol: 'text',
  },
} as const;

type FlowSort = (typeof FLOW_SORTS)[number] | `-${(typeof FLOW_SORTS)[number]}`;

/** What narrows the list of flows, and only that. */
export type Narrowing = { address?: string | null; port?: string | null; protocol?: string | null };

/** A filter that the service would refuse is none: an old or mangled link then shows all flows. */
function accepted(name: keyof Narrowing, value: string | null): Record<string, unknown> {
  return value === null || !isTypedFilter(name, value) ? {} : { [name]: value };
}

/** What of a workload's traffic is looked at; all of it in the URL. */
export function useTrafficView(workloadId: string) {
  const state = useListState(SPEC);
  const { filters } = state;
  const { now, refresh } = useRefresh(null);
  const { since, until } = resolveRange(filters, now);
  const mode = filters.traffic_mode ?? 'all';
  const { address, port, protocol } = filters;
  const asked = useMemo(() => ({ id: workloadId, since, until, traffic_mode: mode }), [workloadId, since, until, mode]);
  const narrowing = useMemo(
    () => ({ ...accepted('address', address), ...accepted('port', port), ...accepted('protocol', protocol) }),
    [address, port, protocol],
  );
  return {
    ...state,
    /** As links to other pages take it. */
    time: { range: filters.range, since: filters.since, until: filters.until },
    /** Single flows in place of conversations. */
    showsFlows: filters.view === 'flows',
    flowSort: (FLOW_SORTS.some((name) => name === state.sort.replace('-', ''))
      ? state.sort
      : '-observed_at') as FlowSort,
    refresh,
    mode,
    /** The time ends before it begins. */
    reversed: until !== undefined && since >= until,
    /** What all parts of the page ask for. */
    asked,
    /** What the list asks for besides. */
    narrowing,
    narrow: (change: Narrowing) => state.setFilters(change),
    widen: () => state.setFilters({ address: null, port: null, protocol: null }),
  };
}
export type TrafficView = ReturnType<typeof useTrafficView>;

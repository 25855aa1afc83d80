'use client';
import { useMemo } from 'react';
import type { z } from 'zod';
import { CONVERSATION_SORTS, FLOW_DECISIONS, FLOW_GROUP_SORTS, FLOW_GROUPINGS, FLOW_SORTS } from '@/domain/choices';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { isTypedFilter, type TypedFilter } from '@/domain/flow/typed-filter';
import { METRICS } from '../shared/flows/flow-chart-data';
import { useListState } from '../shared/list-state';

/** Besides conversations, which the page shows by default. */
const VIEWS = ['flows'] as const;

/** Seconds between refreshes. */
export const REFRESHES = ['10', '60'] as const;

const SORTS = [...new Set([...FLOW_SORTS, ...FLOW_GROUP_SORTS, ...CONVERSATION_SORTS])];

const SPEC = {
  sorts: SORTS,
  defaultSort: '-observed_at',
  filters: {
    range: 'span',
    since: 'time',
    until: 'time',
    refresh: REFRESHES,
    live: 'flag',
    view: VIEWS,
    filter: 'text',
    group: FLOW_GROUPINGS,
    metric: METRICS,
    conversation_id: 'id',
    workload_id: 'id',
    source_workload_id: 'id_or_none',
    destination_workload_id: 'id_or_none',
    tenant_id: 'id',
    cluster_id: 'id',
    node_id: 'id',
    address: 'text',
    source: 'text',
    destination: 'text',
    port: 'text',
    protocol: 'text',
    decision: 'text',
  },
} as const;

/** What narrows the flows down, apart from the time. */
const NARROWING = [
  'conversation_id',
  'workload_id',
  'source_workload_id',
  'destination_workload_id',
  'tenant_id',
  'cluster_id',
  'node_id',
  'address',
  'source',
  'destination',
  'port',
  'protocol',
  'decision',
] as const;
export type Narrowing = Partial<Record<(typeof NARROWING)[number], string | null>>;

const isIncluded = <T extends string>(list: readonly T[], text: string | undefined): text is T =>
  list.some((item) => item === text);

/** Ids were checked when the URL was read. */
function isFilter(name: (typeof NARROWING)[number], value: string): boolean {
  if (name === 'decision') return value.split(',').every((word) => isIncluded(FLOW_DECISIONS, word));
  return name.endsWith('_id') || isTypedFilter(name as TypedFilter, value);
}

/** The explorer's state, all of it in the URL. What cannot be a filter is ignored, so that an old link shows flows. */
export function useFlowView() {
  const state = useListState(SPEC);
  const { q, filters } = state;
  const key = JSON.stringify([q, NARROWING.map((name) => filters[name])]);
  const filter = useMemo(() => {
    const [text, values] = JSON.parse(key) as [string, (string | null)[]];
    const given: Record<string, unknown> = {};
    for (const [index, name] of NARROWING.entries()) {
      const value = values[index];
      if (value && isFilter(name, value)) given[name] = name === 'decision' ? value.split(',') : value;
    }
    return { ...given, q: text.slice(0, 200).trim() || undefined } as Omit<
      z.input<typeof FlowFilter>,
      'since' | 'until'
    > & { decision?: (typeof FLOW_DECISIONS)[number][] };
  }, [key]);
  const sortField = state.sort.replace('-', '');
  const none = Object.fromEntries(NARROWING.map((name) => [name, null])) as Narrowing;
  return {
    ...state,
    /** As the service takes it, without the time and the text. */
    filter,
    /** The same with the text, for what is not a list of conversations. */
    flowFilter: { ...filter, filter: filters.filter || undefined },
    listSort: (isIncluded(FLOW_SORTS, sortField) ? state.sort : '-observed_at') as (typeof state)['sort'],
    groupSort: (isIncluded(FLOW_GROUP_SORTS, sortField) ? state.sort : '-bytes') as (typeof state)['sort'],
    conversationSort: (isIncluded(CONVERSATION_SORTS, sortField)
      ? state.sort
      : '-last_seen_at') as (typeof state)['sort'],
    /** What asks for single flows: the choice itself, and what conversations have not. */
    showsFlows: filters.view === 'flows' || filters.live === true || filters.conversation_id !== null || q !== '',
    narrowed: filters.filter !== null || Object.values(filter).some((value) => value !== undefined),
    /** Removes the filters, and keeps time, grouping and measure. */
    widen: () => state.setFilters({ ...none, filter: null, q: null } as Parameters<typeof state.setFilters>[0]),
    narrow: (change: Narrowing) => state.setFilters(change as Parameters<typeof state.setFilters>[0]),
  };
}
export type FlowView = ReturnType<typeof useFlowView>;

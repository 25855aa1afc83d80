import type { Condition } from '@/domain/filter-language/condition';
import { parseEndFilter } from '@/domain/flow/flow-end';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { EPHEMERAL_FROM } from '@/domain/flow/service-port';
import type { Action } from '@/domain/flow-action';
import type { FlowFacts } from '@/domain/flow-context/flow-context';
import type { TrafficMode } from '@/domain/insights';
import type { TenantReach } from '@/domain/permissions';

/** Workloads whose flows may be seen: all there are, or those with these ids. */
export type VisibleWorkloads = 'all' | readonly string[];

/**
 * The traffic that may be seen: workloads at its ends, and the subnets that contain them. `visible` also has those
 * that once belonged to the reader; `periods` says when, and `flowRows` and `rollupRows` take them out of everything
 * else.
 */
export type FlowReach = {
  visible: VisibleWorkloads;
  prefixes: 'all' | readonly string[];
  periods: readonly OwnedPeriod[];
};

/**
 * When a workload that moved between tenants was visible. `from` null: always before `to`; `to` null: still visible.
 * `name` is its name when it moved away.
 */
export type OwnedPeriod = { workload_id: string; from: string | null; to: string | null; name: string | null };

/** The names that workloads had when they moved away, of those that are not back. */
export function listFormerNames(periods: readonly OwnedPeriod[]): ReadonlyMap<string, string | null> {
  const back = new Set(periods.filter(({ to }) => to === null).map(({ workload_id }) => workload_id));
  return new Map(
    periods
      .filter(({ workload_id, to }) => to !== null && !back.has(workload_id))
      .map(({ workload_id, name }) => [workload_id, name]),
  );
}

/** Which flows are meant: in which range of time, and what the reader narrows them down to. */
export type FlowSelection = FlowReach & {
  /** Flows that were last observed before are expired. */
  cutoff: string;
  since: string;
  /** Not part of the range; null: up to now. */
  until: string | null;
  filter: FlowFilter;
  /** Workloads whose name contains the search text. */
  named: readonly string[];
  /** What a filter as text means: only what is a part of such conversations. */
  conversations?: TextSelection;
};

/** A condition of the filter language with what it depends on. */
export type TextSelection = {
  condition: Condition | undefined;
  /** Visible workloads by the names and groups in the condition. */
  resolved: ReadonlyMap<string, NamedEnd>;
  now: string;
};

/** What a name in a condition means: workloads, or subnets. */
export type NamedEnd = { readonly workload_ids: readonly string[]; readonly cidrs: readonly string[] };

/** Which conversations are meant: as flows, and by what only conversations have. */
export type ConversationSelection = FlowSelection & TextSelection & { actions: readonly Action[] | undefined };

/** The conversations that a filter as text means; null without one, and for a search text, which only flows have. */
export function toConversationSelection(selection: FlowSelection): ConversationSelection | null {
  const { conversations, ...rest } = selection;
  return conversations && !rest.filter.q ? { ...rest, ...conversations, actions: undefined } : null;
}

/** A range with an end: it contains only part of a flow's totals. */
export type BoundedSelection = FlowSelection & { until: string };

export const parseOptionalEndFilter = (text: string | undefined) => (text === undefined ? null : parseEndFilter(text));

/** Whether minute and hour rollups can answer the filter. They keep neither addresses nor ephemeral ports. */
export function canUseRollups(filter: FlowFilter): boolean {
  const ends = [filter.address, filter.source, filter.destination].map(parseOptionalEndFilter);
  return (
    !filter.q &&
    filter.filter === undefined &&
    filter.conversation_id === undefined &&
    (filter.port ?? []).every(({ last }) => last < EPHEMERAL_FROM) &&
    ends.every((end) => end === null || end.kind !== 'network')
  );
}

/** Estimates of whole hours; what is older than `since` is expired or not meant. */
export type EstimateSelection = FlowReach & {
  since: string;
  until: string;
  cluster_id: string | undefined;
  flow_exporter_id: string | undefined;
  workload_id: string | undefined;
};

/** Traffic of a range; with `mode` that of the workload in `filter.workload_id` in one of its views. */
export type RollupSelection = FlowSelection & { until: string; mode?: TrafficMode };

/** What a replay reads: conversations with one of the workloads `at` an end, all of which the reader may see. */
export type ReplaySelection = FlowReach & {
  cutoff: string;
  since: string;
  until: string;
  at: readonly string[];
  /** Whether the ports that systems give to callers matter; else all are replaced by one. */
  exact_callers: boolean;
};

/** The flows of one workload: `filter.workload_id` names it. */
export type InsightSelection = FlowSelection & {
  filter: FlowSelection['filter'] & { workload_id: string };
  mode: TrafficMode;
};

/** Whose traffic is meant, in which range of whole buckets. Times are RFC 3339, `until` is not part of the range. */
export type TrafficSelection = {
  tenants: TenantReach;
  cluster_id: string | undefined;
  since: string;
  until: string;
};

/** Conversations of some workloads before and after their rules were written; the reader may see these workloads. */
export type WatchSelection = {
  readonly workload_ids: readonly string[];
  readonly periods: readonly OwnedPeriod[];
  /** Conversations that were last seen before do not count. */
  readonly since: string;
  /** When the first and the last write began and ended. */
  readonly applied_at: string;
  readonly written_at: string;
};

/** Numbers of conversations by what became of them, with some that are worth a look. */
export type WatchedFlows = {
  readonly opened_anew: number;
  readonly on_old_entries: number;
  readonly dropped: number;
  readonly silent: number;
  /** New drops are all of them, up to some thousands; of the others the newest. */
  readonly listed: readonly {
    readonly reason: 'dropped' | 'silent' | 'new_drop';
    readonly client_id: string | null;
    readonly client_ip: string;
    readonly server_id: string | null;
    readonly server_ip: string;
    readonly protocol: string;
    readonly port: number | null;
    readonly seen_at: string;
    /** The last packet that was not let through; null: all were. */
    readonly opening: FlowFacts | null;
  }[];
};

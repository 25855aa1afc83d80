import type { UnconfirmedFlow, UnconfirmedFlowInput, UnconfirmedGuest } from '@/domain/agent';
import type { FlowEstimateListInput } from '@/domain/collector/estimate';
import type { WorkloadCoverage, WorkloadCoverageListInput } from '@/domain/coverage';
import type { VerdictConflicts } from '@/domain/dashboard/dashboard';
import type { ConversationListInput } from '@/domain/flow/conversation';
import type { Flow, FlowListInput } from '@/domain/flow/flow';
import type { CountedSource, FlowGrouping, FlowGroupsInput } from '@/domain/flow/flow-sums';
import type { SumPart } from '@/domain/flow/plan-sums';
import type { FlowSpan } from '@/domain/flow/spread-flows';
import type { ObservedConversation } from '@/domain/impact/replay';
import type { InsightFlowsInput, InsightsSummary } from '@/domain/insights';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import type { ObservedPair } from '@/domain/suggestion/observed';
import type { ConversationTable } from '@/domain/topology/conversation-table';
import type { Tx } from '../../db/client';
import { env } from '../../lib/env';
import { getClickhouseFlowStore } from './clickhouse/engine';
import type {
  CountedFlow,
  CountedSpan,
  CoverageMark,
  HitPlace,
  NewHits,
  RuleHitSums,
  TrafficDay,
} from './coverage-rows';
import type {
  BucketSum,
  ConversationFilter,
  ConversationRow,
  EndResolver,
  EstimateRecord,
  EstimateRow,
  EstimateSums,
  FactsRow,
  FlowNode,
  FlowSums,
  FlowText,
  GroupConversation,
  GroupRow,
  GroupTraffic,
  GroupTrafficFilter,
  InterfaceSample,
  InterfaceTrafficRecord,
  Learned,
  NewUnconfirmedReport,
  SettledConversation,
  SettledPosition,
  UnconfirmedRow,
  ValidFlow,
  WaitingReport,
  WorkloadTraffic,
  WorkloadTrafficSums,
} from './flow-rows';
import type {
  BoundedSelection,
  ConversationSelection,
  EstimateSelection,
  FlowReach,
  FlowSelection,
  InsightSelection,
  OwnedPeriod,
  ReplaySelection,
  RollupSelection,
  TrafficSelection,
  WatchedFlows,
  WatchSelection,
} from './flow-selection';
import { whileFlowsMove } from './move/during-move';
import { postgresFlowStore } from './postgres/postgres-flow-store';
import type { SuspiciousRow } from './suspicious-row';

/** Rollups that a range is read from: minutes only, or hours and the minutes not moved into them yet. */
type SumSource = Exclude<CountedSource, 'flows'>;
/** Buckets of one width in seconds, from the first on. */
type Buckets = { first: string; width: number };

/**
 * Everything that is stored of flows, behind one interface. No other code knows how. Arguments and answers are plain data: a
 * selection says which flows are meant and which workloads may be seen, in ids; names of the inventory are part of the answers.
 * The suites in `contract` hold every engine to it.
 *
 * `tx` is the caller's transaction in the application's database, which holds inventory, agents and marks whatever engine holds
 * the flows. What an operation stores counts once that transaction is committed, and may not count when it is rolled back.
 */
export type FlowStore = {
  /**
   * Stores flows of a node and adds what is new to all aggregates. The caller holds the lock of the node's agent.
   * @param flows each identity once, sorted by key
   * @returns how many flows were new
   */
  append: (tx: Tx, node: FlowNode, flows: readonly ValidFlow[], now: string) => Promise<number>;
  /**
   * Waits until what was committed for a node, or for all (null), is where reads find it; with PostgreSQL it is there after the commit.
   * @throws AppError `unavailable` when that is not possible: what was committed is kept, and arrives later
   */
  deliver: (nodeId: string | null) => Promise<void>;
  /** Stores counters of a node's interfaces: totals as of a moment, and what NICs carried while there were no flows. */
  appendInterfaces: (
    tx: Tx,
    node: FlowNode,
    counters: { at: string; samples: readonly InterfaceSample[]; traffic: readonly InterfaceTrafficRecord[] },
  ) => Promise<void>;
  /** Ends the flows of workloads that go to another tenant: what is reported from now on is a flow of its own. */
  endFlows: (tx: Tx, workloadIds: readonly string[]) => Promise<void>;

  list: (selection: FlowSelection, input: FlowListInput) => Promise<Page<Flow>>;
  /** All of them in their order, in batches. Each flow that there is at the beginning is in it once, whatever is stored later. */
  stream: (selection: FlowSelection, input: Pick<FlowListInput, 'cursor' | 'sort'>) => AsyncIterable<Flow[]>;
  conversations: {
    /** Conversations page by page; `total` is at most one more than `MAX_CONVERSATIONS_COUNTED`. */
    list: (
      selection: ConversationSelection,
      input: Pick<ConversationListInput, 'limit' | 'cursor' | 'sort'>,
    ) => Promise<Page<ConversationRow>>;
    /** All of them in their order, in batches, each once as flows are. */
    stream: (
      selection: ConversationSelection,
      input: Pick<ConversationListInput, 'cursor' | 'sort'>,
    ) => AsyncIterable<ConversationRow[]>;
    /**
     * Conversations with one of the workloads `at` an end, those of the same ends, service and outcome as one, the most frequent
     * `most`. `left_out` counts the others. `training_share` is the part of the time from the first to the last conversation
     * before `held_out_since` (null: no conversations).
     */
    pairs: (
      selection: ConversationSelection,
      scope: { at: readonly string[]; training_share: number; most: number },
    ) => Promise<{ pairs: ObservedPair[]; left_out: number; held_out_since: string | null }>;
  };
  settled: SettledConversations;
  /** The newest flows that were stored since `after`. */
  tail: (selection: FlowSelection, after: string, limit: number) => Promise<Flow[]>;
  /** Groups page by page with the totals of all. `source` can answer the selection's filters and the grouping. */
  groups: (
    selection: BoundedSelection,
    source: CountedSource,
    input: FlowGroupsInput,
  ) => Promise<Page<GroupRow> & { sums: FlowSums }>;
  /** The heaviest conversations of each of some groups. */
  groupConversations: (
    selection: BoundedSelection,
    source: CountedSource,
    grouping: FlowGrouping,
    groups: { ids: readonly string[]; most: number },
  ) => Promise<GroupConversation[]>;
  /** Totals over time, from the minute and hour rollups. */
  series: (selection: RollupSelection, source: SumSource, buckets: Buckets) => Promise<BucketSum[]>;
  /** The same from single flows, for filters that rollups cannot answer. */
  spans: (selection: BoundedSelection, buckets: Buckets) => Promise<FlowSpan[]>;
  /** Conversations for the map: the heaviest `most`, in no order, and whether these are all. */
  edges: (
    selection: BoundedSelection,
    source: SumSource,
    filter?: ConversationFilter,
  ) => Promise<{ table: ConversationTable; complete: boolean }>;
  /** What passed between groups of workloads; traffic of workloads in several groups counts in each. */
  between: (selection: BoundedSelection, source: SumSource, filter: GroupTrafficFilter) => Promise<GroupTraffic[]>;
  /** Flows to sensitive ports from outside, or from one of the networks `gone`. */
  suspicious: (
    selection: Pick<FlowSelection, 'visible' | 'periods' | 'cutoff' | 'since' | 'until'>,
    gone: readonly string[],
  ) => Promise<SuspiciousRow[]>;
  /** Subnets that sources of flows to sensitive ports were in when these were stored. */
  sensitiveSources: () => Promise<string[]>;
  /**
   * Conversations with one of some workloads at an end, each once, in batches. `done` counts the workloads that are complete.
   * Conversations of the same client, service and server come one after the other.
   */
  replay: (
    selection: ReplaySelection,
    source: 'flows' | 'hours',
  ) => AsyncIterable<{ conversations: readonly ObservedConversation[]; done: number }>;
  /** What became of the conversations of some workloads since their rules were written. */
  watch: (selection: WatchSelection) => Promise<WatchedFlows>;
  insights: FlowInsights;
  talkers: TrafficTotals;
  hits: RuleHits;
  unconfirmed: UnconfirmedReports;
  estimates: FlowEstimates;
  upkeep: FlowUpkeep;
};

/** Conversations in the order in which they ended, or changed after that. */
export type SettledConversations = {
  /** The clock by which they settle, and until when their order is complete: nothing that settles before is stored later. */
  readClock: () => Promise<{ now: string; complete_until: string }>;
  /** Those that settled after a position and not after `until`, in this order. */
  list: (
    reach: FlowReach,
    span: { after: SettledPosition; until: string },
    limit: number,
  ) => Promise<SettledConversation[]>;
  count: (reach: FlowReach, span: { after: SettledPosition; until: string }) => Promise<number>;
  /** Those of some ids that are not stored any more: they expired, or turned out to be a part of another one. */
  listGone: (ids: readonly string[]) => Promise<string[]>;
};

/** The flows of one workload, each once. */
export type FlowInsights = {
  list: (selection: InsightSelection, input: InsightFlowsInput) => Promise<Page<Flow>>;
  summary: (selection: InsightSelection) => Promise<InsightsSummary>;
  /** All flows in batches as they are found, then their totals: all from the same moment. */
  stream: (
    selection: InsightSelection,
    withFacts: boolean,
  ) => AsyncIterable<{ flows: readonly FlowText[] } | { summary: InsightsSummary }>;
  /** The packets that opened the workload's conversations, in batches. Not masked: none of it may be shown. */
  facts: (selection: InsightSelection) => AsyncIterable<readonly FactsRow[]>;
  /** What the workload carried in the range. */
  traffic: (
    selection: RollupSelection & { filter: { workload_id: string } },
    source: SumSource,
  ) => Promise<WorkloadTrafficSums>;
};

/** Traffic by workload and tenant, summed up in the background. */
export type TrafficTotals = {
  /** The state of the totals, and up to when they are complete in the range. */
  version: (range: { since: string; until: string }) => Promise<{ version: number; as_of: string }>;
  byWorkload: (parts: readonly SumPart[]) => Promise<WorkloadTraffic[]>;
  /** The same for workloads that moved, while they were visible. */
  byOwnedWorkload: (parts: readonly SumPart[], periods: readonly OwnedPeriod[]) => Promise<WorkloadTraffic[]>;
  /** The same by the counters of interfaces. */
  byCounters: (range: { since: string; until: string; cutoff: string }) => Promise<WorkloadTraffic[]>;
  series: (selection: TrafficSelection, parts: readonly SumPart[], buckets: Buckets) => Promise<BucketSum[]>;
};

/** How often rules matched flows, by day. */
export type RuleHits = {
  /** How far a node is counted, made when it was not counted before. Locked: who counts the same node waits. */
  lockMark: (tx: Tx, nodeId: string, since: string) => Promise<CoverageMark>;
  findMark: (tx: Tx, nodeId: string) => Promise<CoverageMark | null>;
  /** Flows of a node in batches; those that a log line decided come first. */
  uncounted: (tx: Tx, span: CountedSpan) => AsyncIterable<readonly CountedFlow[]>;
  /** Adds hits and moves the mark of the node. */
  add: (tx: Tx, nodeId: string, hits: NewHits) => Promise<void>;
  /** Marks of the nodes on which these workloads are, as far as an agent reports there. */
  marksOfWorkloads: (workloadIds: readonly string[]) => Promise<Map<string, Pick<CoverageMark, 'since' | 'until'>>>;
  /** Every place in the history of a policy at which a rule was hit. */
  places: (policyId: string) => Promise<HitPlace[]>;
  /** Hits of a policy's rules from a day on; hits at other places are summed up without a rule. */
  ofPolicy: (asked: {
    policy_id: string;
    from: string;
    visible: 'all' | readonly string[];
    rules: readonly (HitPlace & { rule_id: string })[];
    reach: Reach;
  }) => Promise<RuleHitSums[]>;
  /** Visible workloads with what their flows match, from a day on. */
  byWorkload: (
    reach: Reach,
    from: string,
    input: WorkloadCoverageListInput,
  ) => Promise<Page<Omit<WorkloadCoverage, 'evidence_score'>>>;
  /** The days on which these workloads had traffic. */
  daysOfWorkloads: (workloadIds: readonly string[]) => Promise<TrafficDay[]>;
  /** Conversations since a day about which the firewall's log contradicts the rules. */
  conflicts: (reach: Reach, since: string, limit: number) => Promise<Omit<VerdictConflicts, 'since'>>;
};

export type ReportedGuest = { readonly id: string; readonly cluster_id: string; readonly vmid: number };

/** Reports about workloads that the inventory places on another node. They count nowhere until they are confirmed. */
export type UnconfirmedReports = {
  /** Keeps reports as long as a node has no more than `most`. @returns how many are kept: the first ones */
  keep: (
    tx: Tx,
    node: FlowNode,
    reports: readonly NewUnconfirmedReport[],
    limit: { most: number; now: string },
  ) => Promise<number>;
  waitingClusters: () => Promise<string[]>;
  /** Reports of a cluster that wait, oldest first, after an id. */
  waiting: (clusterId: string, after: number, limit: number) => Promise<WaitingReport[]>;
  /** Takes reports that wait, in the order in which they came. Each is taken once. */
  take: (tx: Tx, nodeId: string, ids: readonly number[]) => Promise<UnconfirmedRow[]>;
  /** @returns how many waited until now */
  refuse: (
    tx: Tx,
    nodeId: string,
    ids: readonly number[],
    placed: { node_id: string | null; at: string },
  ) => Promise<number>;
  list: (input: UnconfirmedFlowInput) => Promise<Page<UnconfirmedFlow>>;
  /** How many reports of each node wait and were refused; nodes without any are left out. */
  countByNode: (nodeIds: readonly string[]) => Promise<Map<string, { waiting: number; refused: number }>>;
  /** How many reports about one workload wait and were refused. */
  countByWorkload: (workload: ReportedGuest) => Promise<{ waiting: number; refused: number }>;
  guestsOf: (nodeId: string) => Promise<UnconfirmedGuest[]>;
  /** Nodes of which reports were refused since a time, with the guests that they were about. */
  refusals: (since: string) => Promise<{ node_id: string; node_name: string; vmids: number[] }[]>;
};

/** What exporters sampled, projected to all packets. In no list and no total of flows. */
export type FlowEstimates = {
  /**
   * Adds estimates of an exporter, whose row the caller has locked. An hour has at most `most` rows; what is beyond is summed up.
   * @param rows each key of an hour once
   * @returns how many records were summed up without their ends
   */
  add: (tx: Tx, exporterId: string, rows: readonly EstimateRecord[], most: number) => Promise<number>;
  /** Pairs of ends and services page by page, with the totals of all. */
  list: (
    selection: EstimateSelection,
    input: Pick<FlowEstimateListInput, 'limit' | 'cursor' | 'sort'>,
  ) => Promise<Page<EstimateRow> & { sums: EstimateSums }>;
};

/** Where a walk through what is stored is. Only the engine reads it. */
export type WalkPosition = { readonly [name: string]: unknown };

/** How many rows of each kind went, or moved into hours. */
export type Retained = Record<
  | 'traffic_flows'
  | 'traffic_conversations'
  | 'unconfirmed_flows'
  | 'flow_estimates'
  | 'minutes_moved'
  | 'flow_unresolved_minutes'
  | 'flow_rollup_hours'
  | 'interface_samples'
  | 'interface_traffic'
  | 'rule_hits'
  | 'workload_coverage'
  | 'traffic_sums'
  | 'rows_of_gone_nodes',
  number
>;

/** Background tasks. Each can be interrupted at any time, and run concurrently. */
export type FlowUpkeep = {
  /** Brings the totals up to date, for some seconds. @returns how many hours were made, and whether nothing was left */
  sum: (signal?: AbortSignal) => Promise<{ hours: number; done: boolean }>;
  /**
   * Fills in ends that were unknown when their flows were stored: one step of a walk through everything.
   * @param learned what the inventory has learned since; null: everything that it knows is new
   * @param position where the step before ended; null: at the start
   * @returns where this one ended (null: nothing is left), and how many rows it filled
   */
  resolveEnds: (
    resolver: EndResolver,
    learned: Learned | null,
    position: WalkPosition | null,
  ) => Promise<{ position: WalkPosition | null; filled: number }>;
  /** Assigns flows that were stored before there were conversations, and joins conversations that turn out to be one. */
  settleConversations: (signal?: AbortSignal) => Promise<{ assigned: number; joined: number }>;
  /** Deletes what is expired or whose node is gone. */
  retain: (retention: { now: number; flow_hours: number }, signal?: AbortSignal) => Promise<Retained>;
};

const inPostgres = whileFlowsMove(postgresFlowStore, 'postgres');

/** The engine of this installation: PostgreSQL, unless the environment names a ClickHouse. */
export function flowStore(): FlowStore {
  const { CLICKHOUSE_URL: url } = env();
  return url === undefined ? inPostgres : getClickhouseFlowStore(url);
}

import type { FLOW_DECISIONS } from '@/domain/choices';
import type { FlowEstimate } from '@/domain/collector/estimate';
import type { Conversation } from '@/domain/flow/conversation';
import type { FlowRecord, UnconfirmedReport } from '@/domain/flow/flow-record';
import type { FlowGroup } from '@/domain/flow/flow-sums';
import type { Action } from '@/domain/flow-action';
import type { FlowVerdict } from '@/domain/flow-verdict';
import type { summedVerdict } from '@/domain/summed-verdict';
import type { Conversation as SummedConversation } from '@/domain/topology/conversation-table';

export type BucketSum = { bucket: number; decision: string; bytes: number; packets: number; flows: number };

export type GroupRow = Omit<FlowGroup, 'source_label' | 'destination_label' | keyof typeof summedVerdict>;

export type FlowSums = { bytes: number; packets: number; flows: number };

/** An estimate as it is stored: a pair of ends and a service in an hour. Without prefixes: everything that has no row of its own. */
export type EstimateRecord = {
  bucket_at: string;
  estimate_key: string;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_prefix: string | null;
  destination_prefix: string | null;
  source_internal: boolean;
  destination_internal: boolean;
  protocol: string | null;
  service_port: number | null;
  bytes: number;
  packets: number;
  samples: number;
  variance: number;
  /** How many records it comes from. Not stored. */
  records: number;
};

/** Totals of estimates, with the variance of `packets`. */
export type EstimateSums = { bytes: number; packets: number; samples: number; variance: number };

export type EstimateRow = Omit<FlowEstimate, 'error_percent'> & EstimateSums;

export type ConversationRowEnd = {
  ip: string;
  port: number | null;
  workload_id: string | null;
  workload_name: string | null;
  cidr: string | null;
  is_external: boolean;
};

/** A stored conversation as its reader may see it. */
export type ConversationRow = Omit<
  Conversation,
  'client' | 'server' | 'service' | 'ended_at' | 'reason' | keyof FlowVerdict
> & {
  protocol: string;
  service_port: number | null;
  action: Action;
  decision: (typeof FLOW_DECISIONS)[number];
  is_client_known: boolean;
  is_ended: boolean;
  workload_id: string | null;
  nic: number | null;
  client: ConversationRowEnd;
  server: ConversationRowEnd;
};

/** A conversation is settled at this time, in microseconds: when it ended, or when it changed after that. */
export type SettledPosition = { due_at: string; id: string };

/** A settled conversation. Each change after it was settled settles it again, with a higher revision. */
export type SettledConversation = ConversationRow & SettledPosition & { revision: number };

/** A conversation in a group; `total` are those of the group, of which only the heaviest are listed. */
export type GroupConversation = SummedConversation & { group_id: string; total: number };

/** More different conversations than this are not read: the lightest are left out. */
export const MAX_CONVERSATIONS = 100_000;

/** Which conversations of a selection are meant. */
export type ConversationFilter = {
  /** Also those at whose ends no workload is that may be seen. */
  hosts?: boolean;
  /** With one of these workloads at an end. */
  at?: readonly string[] | undefined;
  /** Opened outside all known subnets, to a workload. */
  from_outside?: boolean;
  /** Instead of `MAX_CONVERSATIONS`. */
  most?: number;
};

/** Between which workloads traffic is meant, and of which service. */
export type GroupTrafficFilter = {
  /** In which groups a workload is, by its id; in none of them: its traffic is not meant. Every other workload is outside. */
  groups: ReadonlyMap<string, readonly number[]>;
  /** Names that flows have for protocols; null: all. */
  protocols: readonly string[] | null;
  port: number | undefined;
  /** With one of these workloads at an end. */
  at?: readonly string[] | undefined;
};

/** What passed from one group to another: it was not dropped by what a node logged. Null: what is outside. */
export type GroupTraffic = { from: number | null; to: number | null; flows: number; last_seen_at: string };

/** What a guest carried; `flows` are null where they were not counted. */
export type WorkloadTraffic = {
  workload_id: string;
  cluster_id: string;
  bytes_in: number;
  bytes_out: number;
  packets: number;
  flows: number | null;
};

export type WorkloadTrafficSums = {
  bytes: number;
  bytes_in: number;
  bytes_out: number;
  packets: number;
  flows: number;
};

/** The fields of a flow needed to find which rule it matches. */
export type FactsRow = {
  source_ip: string;
  destination_ip: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  decision: string;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  workload_id: string | null;
  nic: number | null;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_cidr: string | null;
  destination_cidr: string | null;
};

/** A flow as JSON without its decision and closing brace, and the fields to find its matching rule if requested. */
export type FlowText = { json: string; decision: string; state: string | null; facts: FactsRow | null };

/** Counters of an interface of a node as of one moment: totals since the interface exists, as the node sees them. */
export type InterfaceSample = {
  name: string;
  kind: string;
  vmid: number | null;
  nic: number | null;
  workload_id: string | null;
  rx_bytes: number;
  rx_packets: number;
  rx_errors: number;
  rx_dropped: number;
  tx_bytes: number;
  tx_packets: number;
  tx_errors: number;
  tx_dropped: number;
};

/** What a guest's NIC carried while there were no flows, seen from the guest: what is new since the heartbeat before. */
export type InterfaceTrafficRecord = {
  interface: string;
  observed_at: string;
  vmid: number;
  nic: number;
  workload_id: string | null;
  rx_bytes: number;
  rx_packets: number;
  tx_bytes: number;
  tx_packets: number;
  bytes: number;
  packets: number;
  collector: string;
};

/** A report about a workload that the inventory places on another node, as it waits or was refused. */
export type UnconfirmedRow = {
  id: number;
  node_id: string;
  cluster_id: string;
  vmid: number;
  workload_id: string;
  state: 'waiting' | 'refused';
  /** Where the workload was when the report was refused. */
  placed_node_id: string | null;
  received_at: string;
  observed_at: string;
  refused_at: string | null;
  /** The validated flow without its ends: these are resolved when it is confirmed. */
  report: UnconfirmedReport;
};

/** What is needed to confirm or refuse a report. */
export type WaitingReport = Pick<
  UnconfirmedRow,
  'id' | 'node_id' | 'workload_id' | 'vmid' | 'received_at' | 'observed_at'
>;

/** A flow to store, and what it adds to aggregates. Its record lacks what it adds to the totals: see `addCounters`. */
export type ValidFlow = {
  record: FlowRecord;
  /** What is new since the agent's heartbeat before; null when the agent did not say. */
  delta_bytes: number | null;
  delta_packets: number | null;
  /** Whether the agent said when its counters began. */
  has_begin: boolean;
  source_prefix: string;
  destination_prefix: string;
  /** Whether an unknown end may turn out to be a workload. */
  is_resolvable: boolean;
};

/** What the inventory has learned: networks (subnets, and addresses as the narrowest ones) and ids of guests. */
export type Learned = { networks: readonly string[]; vmids: readonly number[] };

export type FlowEnds = {
  source_workload_id: string | null;
  destination_workload_id: string | null;
  source_cidr: string | null;
  destination_cidr: string | null;
  workload_id: string | null;
};

/** A report to be kept. */
export type NewUnconfirmedReport = Pick<UnconfirmedRow, 'vmid' | 'workload_id' | 'observed_at' | 'report'>;

/** A node with its cluster. */
export type FlowNode = { node_id: string; cluster_id: string };

/** Where and when something was seen: `vmid` is that of the interface, `at` in milliseconds since 1970. */
export type Sighting = FlowNode & { vmid: number | null; at: number };

export type ResolvedEnds = FlowEnds & {
  /** Whether an end that has no workload in these may turn out to be one. */
  is_resolvable: (ends: Pick<FlowEnds, 'source_workload_id' | 'destination_workload_id'>) => boolean;
};

/** What the inventory of now knows about ends of stored flows, by the definition by which heartbeats are stored. */
export type EndResolver = {
  /** Null for what is no address. An observer that is known stays. */
  endsOf: (
    flow: Sighting & { source_ip: string; destination_ip: string; workload_id: string | null },
  ) => ResolvedEnds | null;
  /** The workload at whose interface something was seen; null when there is none, or the node may not report for it. */
  observerOf: (sighting: Sighting) => string | null;
  /** The known subnet that holds all of a network that was external; null: none. */
  subnetAround: (network: string) => string | null;
  /** The known subnets among some networks; all that are known when none are given. */
  subnetsAmong: (networks: readonly string[] | null) => readonly string[];
};

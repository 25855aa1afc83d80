import type { CoverageMode } from '@/domain/coverage';

export type RuleHitRow = {
  day: string;
  policy_id: string;
  workload_id: string;
  rule_hash: string;
  mode: CoverageMode;
  policy_version: number;
  rule_position: number | null;
  hits: number;
  last_hit_at: string;
};

/** By what the conversations of a guest that began on a day (UTC) were decided. */
export type WorkloadCoverageRow = {
  day: string;
  workload_id: string;
  flows: number;
  by_policy: number;
  by_other_rule: number;
  by_audit: number;
  by_default: number;
  observed: number;
  conflicts: number;
  last_flow_at: string;
};

/** What is needed to evaluate a stored flow. */
export type CountedFlow = {
  source_ip: string;
  destination_ip: string;
  protocol: string;
  source_port: number | null;
  destination_port: number | null;
  decision: string;
  state: string | null;
  /** Addresses before or after translation, as the agent reported them. */
  translated_source: string | null;
  translated_destination: string | null;
  /** Whether the agent knew when it began. */
  start_known: boolean;
  initiator: 'source' | 'destination' | null;
  icmp_type: number | null;
  icmp_code: number | null;
  nic: number | null;
  workload_id: string | null;
  source_workload_id: string | null;
  destination_workload_id: string | null;
  first_seen_at: string;
  observed_at: string;
  /** Whether it was first stored since the last count. */
  began: boolean;
};

export type CountedSpan = {
  node_id: string;
  /** Flows that were first stored from here on, … */
  from: string;
  /** … but not after this, are read, … */
  until: string;
  /** … and older ones that were updated since; null: no older ones. */
  updated_from: string | null;
  /** Flows last observed before are left out. */
  observed_from: string;
};

/** How far the flows of a node have been counted. */
export type CoverageMark = { node_id: string; since: string; until: string };

/** Where rules stood that were hit. */
export type HitPlace = { policy_version: number; rule_position: number };

/** A day (UTC) on which conversations of a workload began, and its last packet. */
export type TrafficDay = { workload_id: string; day: string; last_flow_at: string };

export type RuleHitSums = {
  /** Null: rules that the policy does not have any more. */
  rule_id: string | null;
  hits: number;
  audit_hits: number;
  last_hit_at: string;
  guests_hit: number;
  /** Hits of both modes by date; days without are missing. */
  by_day: Record<string, number>;
};

/** What a count found, sorted by key, and up to when it counted. */
export type NewHits = {
  rules: readonly RuleHitRow[];
  workloads: readonly WorkloadCoverageRow[];
  until: string;
};

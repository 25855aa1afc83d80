import { z } from 'zod';
import { flowFilters } from '../flow/flow-filter';
import { FlowChecks } from './flow-checks';

/** Whether what was observed of a workload is complete for a time range. */
export const EVIDENCE_LEVELS = ['full', 'partial', 'none'] as const;
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number];

/** Why something is missing. */
export const EVIDENCE_REASONS = [
  'no_agent',
  'gap',
  'truncated',
  'conntrack_only',
  'capture_drops',
  'logs_limited',
  'moved',
  'beyond_retention',
] as const;
export type EvidenceReasonKind = (typeof EVIDENCE_REASONS)[number];

/** What exactly, where a kind has several causes. */
export const EVIDENCE_DETAILS = [
  /** `no_agent`: the workload is on no known node. */
  'no_node',
  /** `gap`: no heartbeat covers this time; heartbeats arrived, but no collector of flows worked; Fabric did not have the workload yet. */
  'no_heartbeats',
  'no_collector',
  'not_in_inventory',
  /** `moved`: it was between two nodes, of which one did not observe; it was not visible to the reader before. */
  'between_nodes',
  'other_owner',
] as const;
export type EvidenceDetail = (typeof EVIDENCE_DETAILS)[number];

export const EvidenceReason = z.object({
  kind: z.enum(EVIDENCE_REASONS),
  since: z.string(),
  until: z.string(),
  detail: z.enum(EVIDENCE_DETAILS).nullable(),
  /** The share that is missing of what was there, 0 to 1; null: all of it (`no_agent`, `gap` …), or not known. */
  lost_share: z.number().nullable(),
});
export type EvidenceReason = z.output<typeof EvidenceReason>;

/** Parts of a score. All but `covered` are shares of the covered time, weighted by time; null when none is covered. */
export const EvidenceParts = z.object({
  /** Share of the time range in which conversations were observed. */
  covered: z.number(),
  /** Share of flows and packets that agents did not leave out or lose. */
  delivered: z.number().nullable(),
  /** Share of time with packet capture, rather than connection tracking alone. */
  captured: z.number().nullable(),
  /** Share of firewall log lines that were read. */
  logged: z.number().nullable(),
});
export type EvidenceParts = z.output<typeof EvidenceParts>;

/** The reasons that are listed at most: those that cost most. */
export const MOST_REASONS = 100;

const confidence = {
  level: z.enum(EVIDENCE_LEVELS),
  /** `parts.covered` times `parts.delivered`, 0 to 1. */
  score: z.number(),
};

export const Confidence = z.object({
  ...confidence,
  parts: EvidenceParts,
  /** Everything that is missing, earliest first; none at level `full`. At most 100, those that cost most, and one of each kind at least. */
  reasons: z.array(EvidenceReason),
  reasons_total: z.int(),
});
export type Confidence = z.output<typeof Confidence>;

export const WorkloadConfidence = z.object({
  workload_id: z.uuid(),
  workload_name: z.string(),
  ...Confidence.shape,
});
export type WorkloadConfidence = z.output<typeof WorkloadConfidence>;

/** How far the evidence of several workloads reaches: the lowest of theirs. Without any workload it is `none`. */
export const ChangeConfidence = z.object({
  since: z.string(),
  until: z.string(),
  ...confidence,
  /** How many workloads have each level. */
  workloads: z.object({ full: z.int(), partial: z.int(), none: z.int() }),
  /** How many workloads have each kind of reason. */
  reasons: z.array(z.object({ kind: z.enum(EVIDENCE_REASONS), workloads: z.int() })),
  /** The workloads that the reader may see, those with the lowest score first. */
  items: z.array(WorkloadConfidence),
});
export type ChangeConfidence = z.output<typeof ChangeConfidence>;

const { since, until } = flowFilters;

export const VisibilityInput = z.strictObject({ since, until });
export type VisibilityInput = z.output<typeof VisibilityInput>;

/** The time range that was evaluated: its last moments wait for heartbeats that are due. */
const evaluated = { since: z.string(), until: z.string() };

/** The confidence of one workload, and what its flows need to be seen. */
export const WorkloadVisibility = WorkloadConfidence.extend({ ...evaluated, ...FlowChecks.shape });
export type WorkloadVisibility = z.output<typeof WorkloadVisibility>;

/** The same of a node: what a workload that was on it all the time would have. */
export const NodeVisibility = Confidence.extend({ node_id: z.uuid(), node_name: z.string(), ...evaluated });
export type NodeVisibility = z.output<typeof NodeVisibility>;

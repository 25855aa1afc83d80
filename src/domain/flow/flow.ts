import { z } from 'zod';
import { FLOW_SORTS } from '../choices';
import { flowVerdict } from '../flow-verdict';
import { createPageSchema, listInput, MAX_PAGE } from '../list';
import { Time } from '../time';
import { FlowFilter, flowFilters, textFilter } from './flow-filter';

/** One direction of one conversation as one node saw it; counters are totals since `first_seen_at`. */
export const Flow = z.object({
  /** `<node_id>.<key>`: stays the same while the flow is updated. */
  id: z.string(),
  cluster_id: z.uuid(),
  cluster_name: z.string().nullable(),
  node_id: z.uuid(),
  node_name: z.string().nullable(),
  source_ip: z.string(),
  destination_ip: z.string(),
  protocol: z.string(),
  source_port: z.int().nullable(),
  destination_port: z.int().nullable(),
  decision: z.string(),
  state: z.string().nullable(),
  /** null: not counted, never 0. */
  bytes: z.number().nullable(),
  packets: z.number().nullable(),
  first_seen_at: z.string(),
  observed_at: z.string(),
  collector: z.string(),
  initiator: z.enum(['source', 'destination']).nullable(),
  icmp_type: z.int().nullable(),
  icmp_code: z.int().nullable(),
  interface: z.string().nullable(),
  vmid: z.int().nullable(),
  nic: z.int().nullable(),
  vlan: z.int().nullable(),
  /** The guest whose interface saw the flow. */
  workload_id: z.uuid().nullable(),
  source_workload_id: z.uuid().nullable(),
  source_workload_name: z.string().nullable(),
  destination_workload_id: z.uuid().nullable(),
  destination_workload_name: z.string().nullable(),
  /** The longest known subnet that holds the end; null: external. */
  source_cidr: z.string().nullable(),
  destination_cidr: z.string().nullable(),
  /** The address with `internal (<CIDR>)` or `external`. */
  source_label: z.string(),
  destination_label: z.string(),
  /** The record as the agent reported it, cut to a bounded size. */
  raw: z.record(z.string(), z.unknown()).nullable(),
  updated_at: z.string(),
});
export type Flow = z.output<typeof Flow>;

/** A flow with what was observed of it, what the rules say about it now, and what policies in audit mode would do. */
export const EvaluatedFlow = Flow.extend(flowVerdict);
export type EvaluatedFlow = z.output<typeof EvaluatedFlow>;

/** Flows page by page, the newest first unless sorted otherwise. */
export const FlowListInput = listInput(FLOW_SORTS, { ...flowFilters, ...textFilter });
export type FlowListInput = z.output<typeof FlowListInput>;
export const FlowPage = createPageSchema(EvaluatedFlow).extend({
  /** Flows that were last seen before have expired, whatever the range. */
  kept_since: z.string(),
  /** The setting that this follows from. */
  retention_hours: z.int(),
  /** Until when flows can be missing because they are being moved from another store; null: none are. */
  missing_until: z.string().nullable(),
});
export type FlowPage = z.output<typeof FlowPage>;

/** What was stored since `after`; to be asked again and again with the `next_after` of the answer before. */
export const FlowTailInput = FlowFilter.omit({ since: true, until: true }).extend({
  after: Time.optional(),
  limit: z.coerce
    .number({ error: `A number from 1 to ${MAX_PAGE}.` })
    .int()
    .min(1)
    .max(MAX_PAGE)
    .default(100),
});
export type FlowTailInput = z.output<typeof FlowTailInput>;

/** The newest first. A flow may come again, with the same `id` and newer values: it replaces the one before. */
export const FlowTail = z.object({
  items: z.array(EvaluatedFlow),
  next_after: z.string(),
  /** Older ones than these were stored since, too. */
  more: z.boolean(),
});
export type FlowTail = z.output<typeof FlowTail>;

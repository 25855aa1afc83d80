import { z } from 'zod';
import { FLOW_GROUP_SORTS, FLOW_GROUPINGS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { summedVerdict } from '../summed-verdict';
import { FlowFilter, flowFilters, textFilter } from './flow-filter';

export type FlowGrouping = (typeof FLOW_GROUPINGS)[number];

/**
 * What the totals were counted from. Totals count a conversation reported by several nodes once, as on every page.
 * `minutes` and `hours` are exact: traffic counts when it happened. `flows` is used where those lack the requested
 * data (addresses, ephemeral ports, a search text): a flow's totals are spread evenly over the time between its first
 * and last packet, and nothing older than the retention is known. `conversations` likewise, with a filter as text: `flows` then counts
 * conversations.
 */
export const FLOW_SOURCES = ['flows', 'conversations', 'minutes', 'hours'] as const;
/** From what totals are read; conversations take the place of flows where a filter as text is set. */
export type CountedSource = Exclude<(typeof FLOW_SOURCES)[number], 'conversations'>;

const covered = {
  source: z.enum(FLOW_SOURCES),
  /** The range that was counted: the one asked for, widened to whole five minutes or hours or cut at the retention. */
  since: z.string(),
  until: z.string(),
};
const sums = {
  bytes: z.number(),
  packets: z.number(),
  /** Flows that began in the range. */
  flows: z.number(),
};

/** Fields that are not part of the grouping are null. */
export const FlowGroup = z.object({
  id: z.string(),
  source_ip: z.string().nullable(),
  source_workload_id: z.uuid().nullable(),
  source_workload_name: z.string().nullable(),
  source_cidr: z.string().nullable(),
  /** The address, if any, with `internal (<CIDR>)` or `external`; null when the source is not part of the grouping. */
  source_label: z.string().nullable(),
  destination_ip: z.string().nullable(),
  destination_workload_id: z.uuid().nullable(),
  destination_workload_name: z.string().nullable(),
  destination_cidr: z.string().nullable(),
  destination_label: z.string().nullable(),
  protocol: z.string().nullable(),
  /** The service's port. */
  port: z.int().nullable(),
  decision: z.string().nullable(),
  node_id: z.uuid().nullable(),
  node_name: z.string().nullable(),
  /** Of a group with too many conversations to evaluate all of them, `rules_say.detail` is `too_many`. */
  ...summedVerdict,
  ...sums,
  last_seen_at: z.string(),
});
export type FlowGroup = z.output<typeof FlowGroup>;

export const FlowGroupsInput = listInput(FLOW_GROUP_SORTS, {
  ...flowFilters,
  ...textFilter,
  group_by: z.enum(FLOW_GROUPINGS, `One of ${FLOW_GROUPINGS.join(', ')}.`).default('workloads'),
});
export type FlowGroupsInput = z.output<typeof FlowGroupsInput>;

/** One page of groups, the largest first unless sorted otherwise; `sums` of all groups, not only of this page. */
export const FlowGroups = createPageSchema(FlowGroup).extend({
  ...covered,
  /** What these groups are counted from is kept since then; traffic before has expired. */
  kept_since: z.string(),
  sums: z.object(sums),
});
export type FlowGroups = z.output<typeof FlowGroups>;

export const FlowSeriesInput = FlowFilter;
export type FlowSeriesInput = z.output<typeof FlowSeriesInput>;

/** Traffic over time by what the firewall log said. The lists of a line are as long as `bucket_at`. */
export const FlowSeries = z.object({
  ...covered,
  bucket_seconds: z.int(),
  /** Where each bucket begins. The first and the last may lie partly outside the range. */
  bucket_at: z.array(z.string()),
  lines: z.array(
    z.object({
      decision: z.string(),
      bytes: z.array(z.number()),
      packets: z.array(z.number()),
      flows: z.array(z.number()),
    }),
  ),
  sums: z.object(sums),
});
export type FlowSeries = z.output<typeof FlowSeries>;

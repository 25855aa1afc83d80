import { z } from 'zod';
import { flowFilters } from './flow-filter';
import { FlowSeries } from './flow-sums';

/** Whose traffic of which time: the hour before `until` without `since`, up to now without `until`. */
export const TrafficInput = z.strictObject({
  since: flowFilters.since,
  until: flowFilters.until,
  /** Guests of this tenant; traffic with one of them at an end. */
  tenant_id: z.uuid('The ID of a tenant.').optional(),
  cluster_id: flowFilters.cluster_id,
});
export type TrafficInput = z.output<typeof TrafficInput>;

/** Where talkers come from: flows, or where there are none at all, the counters of the guests' interfaces. */
export const TALKER_SOURCES = ['flows', 'interface_counters'] as const;

const known = {
  /** The range that was counted: the one asked for, widened to five minutes or to hours. */
  since: z.string(),
  until: z.string(),
  /** Everything of the range that was stored before this time is counted. */
  as_of: z.string(),
};

const traffic = {
  bytes_in: z.number(),
  bytes_out: z.number(),
  /** In both directions. */
  packets: z.number(),
  /** Flows that began in the range; null: counters do not tell. */
  flows: z.number().nullable(),
};

export const TopTalker = z.object({
  workload: z.object({
    id: z.uuid(),
    name: z.string(),
    vmid: z.int(),
    kind: z.enum(['qemu', 'lxc']),
    cluster_id: z.uuid(),
    cluster_name: z.string(),
  }),
  ...traffic,
});
export type TopTalker = z.output<typeof TopTalker>;

/**
 * The guests with the most bytes in both directions together; what two nodes saw of a conversation counts once.
 * `sums` cover all visible guests that had traffic: a conversation between two of them is in both.
 */
export const TopTalkers = z.object({
  source: z.enum(TALKER_SOURCES),
  ...known,
  items: z.array(TopTalker),
  sums: z.object({ workloads: z.number(), ...traffic }),
});
export type TopTalkers = z.output<typeof TopTalkers>;

/** Traffic over time by verdict, in buckets of five minutes or more; what two nodes saw of a conversation counts once. */
export const TrafficSeries = FlowSeries.extend({ as_of: z.string() });
export type TrafficSeries = z.output<typeof TrafficSeries>;

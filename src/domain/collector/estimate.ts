import { z } from 'zod';
import { ESTIMATE_SORTS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { Time } from '../time';

const id = (of: string) => z.uuid(`The ID of a ${of}.`).optional();

/** Which estimates are meant: whole hours, without `since` the day before `until`, without `until` up to now. */
export const FlowEstimateListInput = listInput(ESTIMATE_SORTS, {
  since: Time.optional(),
  until: Time.optional(),
  cluster_id: id('cluster'),
  flow_exporter_id: id('flow exporter'),
  /** At either end. */
  workload_id: id('workload'),
}).omit({ q: true });
export type FlowEstimateListInput = z.output<typeof FlowEstimateListInput>;

const sums = {
  /** Of the sampled packets, times the sampling rate. */
  bytes: z.number(),
  packets: z.number(),
  /** Packets that were sampled. */
  samples: z.number(),
  /** With a probability of 95 % the number of packets is within this of the estimate, in percent; null: no packet was counted. */
  error_percent: z.int().nullable(),
};

/** What sampled records say about the traffic of a pair of ends, in no total of flows. */
export const FlowEstimate = z.object({
  id: z.string(),
  source_workload_id: z.uuid().nullable(),
  source_workload_name: z.string().nullable(),
  /** The subnet of an end that is no visible workload, or its network outside; null where it may not be seen. */
  source_network: z.string().nullable(),
  source_external: z.boolean(),
  destination_workload_id: z.uuid().nullable(),
  destination_workload_name: z.string().nullable(),
  destination_network: z.string().nullable(),
  destination_external: z.boolean(),
  /** Everything that was beyond the stored pairs of an hour, as one. It has no ends. */
  is_other: z.boolean(),
  protocol: z.string().nullable(),
  /** The service's port. */
  port: z.int().nullable(),
  ...sums,
});
export type FlowEstimate = z.output<typeof FlowEstimate>;

/** One page of estimates, the most bytes first unless sorted otherwise; `sums` of all, not only of this page. */
export const FlowEstimates = createPageSchema(FlowEstimate).extend({
  /** The range that was counted, widened to whole hours. */
  since: z.string(),
  until: z.string(),
  /** Estimates are kept since then. */
  kept_since: z.string(),
  sums: z.object(sums),
});
export type FlowEstimates = z.output<typeof FlowEstimates>;

/** Two-sided 95 % of the normal distribution, in percent. */
const CONFIDENCE = 196;

/**
 * The relative error of an estimated number of packets in percent, rounded up. With one rate it is 196·√(1/samples), the formula of the
 * sFlow specification; with several, each sampled packet adds its squared rate.
 */
export function computeErrorPercent({ packets, variance }: { packets: number; variance: number }): number | null {
  if (packets < 1) return null;
  // Rounding errors of exact results, such as 196·√(1/196²), must not add a percent.
  return Math.ceil(Number(((CONFIDENCE * Math.sqrt(variance)) / packets).toFixed(9)));
}

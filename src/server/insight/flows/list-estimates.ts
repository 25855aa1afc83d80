import {
  computeErrorPercent,
  type FlowEstimate,
  type FlowEstimateListInput,
  type FlowEstimates,
} from '@/domain/collector/estimate';
import { DAY_MS, HOUR_MS } from '@/domain/durations';
import { toVisibleCidr } from '@/domain/flow/flow-end';
import { ceilTo, floorTo } from '@/domain/flow/plan-range';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { storedSettings } from '../../settings/settings';
import { findFlowReach } from '../../traffic/queries/flow-reach';
import type { EstimateRow, EstimateSums } from '../../traffic/storage/flow-rows';
import { flowStore } from '../../traffic/storage/flow-store';

const iso = (ms: number) => new Date(ms).toISOString();

const toSums = ({ bytes, packets, samples, variance }: EstimateSums) => ({
  ...{ bytes, packets, samples, error_percent: computeErrorPercent({ packets, variance }) },
});

const toEstimate = ({ variance, ...row }: EstimateRow): FlowEstimate => ({
  ...row,
  source_network: toVisibleCidr(row.source_network),
  destination_network: toVisibleCidr(row.destination_network),
  ...toSums({ ...row, variance }),
});

/**
 * What sampled records say about the visible traffic of whole hours, by pair of ends and service. Never a part of a total of flows. At
 * most three queries.
 * @throws AppError `malformed` when the range ends before it begins
 */
export async function listEstimates(scope: Scope<'flow:read'>, input: FlowEstimateListInput): Promise<FlowEstimates> {
  const now = clock.now().getTime();
  const until = input.until === undefined ? now : Date.parse(input.until);
  const since = input.since === undefined ? until - DAY_MS : Date.parse(input.since);
  if (!(since < until)) {
    throw new AppError('malformed', 'The time range ends before it starts.', {
      errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
    });
  }
  const { flow_retention_hours } = await storedSettings(db);
  const kept = floorTo(now - flow_retention_hours * HOUR_MS, HOUR_MS);
  const from = Math.max(floorTo(since, HOUR_MS), kept);
  const range = { since: iso(from), until: iso(Math.max(from, ceilTo(Math.min(until, now), HOUR_MS))) };
  const { cluster_id, flow_exporter_id, workload_id } = input;
  const reach = await findFlowReach(scope.reach, range.since);
  const filters = { cluster_id, flow_exporter_id, workload_id };
  const page = await flowStore().estimates.list({ ...reach, ...range, ...filters }, input);
  return {
    ...{ ...page, ...range, kept_since: iso(kept) },
    items: page.items.map(toEstimate),
    sums: toSums(page.sums),
  };
}

import { bucketStarts } from '@/domain/flow/plan-range';
import { linesOf } from '@/domain/flow/spread-flows';
import type { TrafficInput, TrafficSeries } from '@/domain/flow/traffic-sums';
import { projectsOf } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import type { BucketSum } from '../../traffic/storage/flow-rows';
import { flowStore } from '../../traffic/storage/flow-store';
import { readFlowSeries } from './read-flow-series';
import { selectTraffic } from './select-traffic';
import { trafficSums } from './traffic-sums';

/** By range and tenants: to which tenant what belongs is part of the sums. */
const sums = trafficSums<BucketSum[]>('traffic_series');
const FIELDS = ['bytes', 'packets', 'flows'] as const;

/** Traffic within reach over time, by verdict. At most two queries, of single projects six. */
export async function readTrafficSeries(scope: Scope<'flow:read'>, input: TrafficInput): Promise<TrafficSeries> {
  const { selection, plan } = selectTraffic(scope, input);
  if (projectsOf(scope.reach).length > 0) {
    // The sums are of whole tenants.
    const [series, { as_of }] = await Promise.all([
      readFlowSeries(scope, input),
      flowStore().talkers.version(selection),
    ]);
    return { ...series, as_of };
  }
  const { since, until } = selection;
  const { bucket_seconds, parts } = plan.series;
  const bucket_at = bucketStarts({ ...plan, bucket_seconds }).map((start) => new Date(start).toISOString());
  const { version, as_of } = await flowStore().talkers.version(selection);
  const buckets = { first: bucket_at[0] ?? since, width: bucket_seconds };
  const key = JSON.stringify([selection, bucket_seconds]);
  const rows =
    parts.length === 0
      ? []
      : await sums.load(key, version, () => flowStore().talkers.series(selection, parts, buckets));
  const lines = linesOf(rows, bucket_at.length, (line, row) => {
    for (const field of FIELDS) line.add(field, row.bucket, row[field]);
  });
  const total = (field: (typeof FIELDS)[number]) =>
    lines.reduce((sum, line) => sum + line[field].reduce((a, b) => a + b, 0), 0);
  return {
    source: plan.source,
    since,
    until,
    as_of,
    bucket_seconds,
    bucket_at,
    lines,
    sums: { bytes: total('bytes'), packets: total('packets'), flows: total('flows') },
  };
}

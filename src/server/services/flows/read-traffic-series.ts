import { bucketStarts } from '@/domain/flow/plan-range';
import { linesOf } from '@/domain/flow/spread-flows';
import type { TrafficInput, TrafficSeries } from '@/domain/flow/traffic-sums';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { sumTrafficBuckets } from '../../repositories/traffic-reads';
import { selectTraffic } from './select-traffic';

const FIELDS = ['bytes', 'packets', 'flows'] as const;

/** Traffic within reach over time, by verdict. One query. */
export async function readTrafficSeries(scope: Scope<'flow:read'>, input: TrafficInput): Promise<TrafficSeries> {
  const { selection, plan } = selectTraffic(scope, input);
  const { since, until } = selection;
  const { bucket_seconds, parts } = plan.series;
  const bucket_at = bucketStarts({ ...plan, bucket_seconds }).map((start) => new Date(start).toISOString());
  const { as_of, rows } =
    parts.length === 0
      ? { as_of: clock.now().toISOString(), rows: [] }
      : await sumTrafficBuckets(selection, parts, { first: bucket_at[0] ?? since, width: bucket_seconds });
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

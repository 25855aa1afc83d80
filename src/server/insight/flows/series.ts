import type { z } from 'zod';
import { HOUR_MS } from '@/domain/durations';
import { type FlowSeries, FlowSeriesInput } from '@/domain/flow/flow-sums';
import { bucketStarts, HOURLY_HOURS, planRange, type RangePlan } from '@/domain/flow/plan-range';
import { planSums, type SumPlan } from '@/domain/flow/plan-sums';
import { buildSeriesLines, type SeriesLine, spreadFlows, wholeNumbers } from '@/domain/flow/spread-flows';
import type { TrafficInput, TrafficSeries } from '@/domain/flow/traffic-sums';
import type { TrafficMode } from '@/domain/insights';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import type { Sharing } from '../../admission/shared-answers';
import type { Scope } from '../../auth/scope';
import { readFirewallVersion } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { cache } from '../../lib/cache';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import type { BucketSum } from '../../traffic/storage/flow-rows';
import {
  canUseRollups,
  type FlowSelection,
  type TrafficSelection,
  toConversationSelection,
} from '../../traffic/storage/flow-selection';
import { flowStore } from '../../traffic/storage/flow-store';
import { narrowReach } from './flow-verdicts';
import { selectFlows } from './list-flows';

const total = (lists: readonly (readonly number[])[]) =>
  Math.round(lists.flat().reduce((sum, value) => sum + value, 0));

/** Series for a plan's buckets, with whole numbers and their totals. */
function buildSeries(plan: RangePlan, lines: readonly SeriesLine[]): FlowSeries {
  return {
    source: plan.source,
    since: new Date(plan.since).toISOString(),
    until: new Date(plan.until).toISOString(),
    bucket_seconds: plan.bucket_seconds,
    bucket_at: bucketStarts(plan).map((start) => new Date(start).toISOString()),
    lines: lines.map((line) => ({ ...line, bytes: wholeNumbers(line.bytes), packets: wholeNumbers(line.packets) })),
    sums: {
      bytes: total(lines.map((line) => line.bytes)),
      packets: total(lines.map((line) => line.packets)),
      flows: total(lines.map((line) => line.flows)),
    },
  };
}

/** Traffic of a plan's range over time, from its aggregates. One query. */
export async function readSums(
  selection: FlowSelection & { mode?: TrafficMode },
  plan: RangePlan,
): Promise<FlowSeries> {
  const starts = bucketStarts(plan);
  const iso = (time: number) => new Date(time).toISOString();
  const bounded = { ...selection, since: iso(plan.since), until: iso(plan.until) };
  const buckets = { first: iso(starts[0] ?? plan.since), width: plan.bucket_seconds };
  const rows = await flowStore().series(bounded, plan.source === 'hours' ? 'hours' : 'minutes', buckets);
  const lines = buildSeriesLines(rows, starts.length, (line, row) => {
    for (const field of ['bytes', 'packets', 'flows'] as const) line.add(field, row.bucket, row[field]);
  });
  return buildSeries(plan, lines);
}

/**
 * What is asked, with the range as totals of traffic know it: the same for all who ask within a minute.
 * @param summed whether what is asked is answered from totals
 */
export const questionOfRange =
  <T extends { since?: string; until?: string }>(input: z.ZodType<T>, summed: (asked: T) => boolean) =>
  (asked: unknown): unknown => {
    const { data } = input.safeParse(asked);
    if (!data || !summed(data)) return asked;
    const now = clock.now().getTime();
    const until = data.until === undefined ? now : Date.parse(data.until);
    const since = data.since === undefined ? until - HOUR_MS : Date.parse(data.since);
    if (!(since < until)) return asked;
    const plan = planRange({ since, until }, { now, retentionHours: HOURLY_HOURS, summed: true });
    return { ...data, since: plan.since, until: plan.until };
  };

/** The chart moves by minutes; so long it is shared by people who may see the same. */
export const shareSeries: Sharing = {
  seconds: 5,
  permissions: ['flow:read'],
  version: async () => [await readFirewallVersion()],
  question: questionOfRange(FlowSeriesInput, canUseRollups),
};

/** Visible traffic of the time range over time, by verdict. At most five queries. */
export async function readFlowSeries(scope: Scope<'flow:read'>, input: FlowSeriesInput): Promise<FlowSeries> {
  const { selection, since, until, now, retentionHours } = await selectFlows(scope, input);
  const plan = planRange({ since, until }, { now, retentionHours, summed: canUseRollups(input) });
  if (plan.source !== 'flows') return readSums(selection, plan);
  const range = { since: new Date(plan.since).toISOString(), until: new Date(plan.until).toISOString() };
  const starts = bucketStarts(plan).map((start) => new Date(start).toISOString());
  const buckets = { first: starts[0] ?? range.since, width: plan.bucket_seconds };
  const series = buildSeries(
    plan,
    spreadFlows(await flowStore().spans({ ...selection, ...range }, buckets), starts.length),
  );
  return toConversationSelection(selection) ? { ...series, source: 'conversations' } : series;
}

/**
 * Which traffic a reader requests and may see, and from which aggregates it is read. A tenant not visible to the
 * caller has none. The aggregates of `selection` cover whole tenants: they cannot be used for projects in `reach`.
 * @throws AppError `malformed` when the range ends before it begins
 */
export function selectTraffic(
  scope: Scope<'flow:read'>,
  { since, until, tenant_id, cluster_id }: TrafficInput,
): { selection: TrafficSelection; reach: Reach; plan: SumPlan } {
  const now = clock.now().getTime();
  const to = until === undefined ? now : Date.parse(until);
  const from = since === undefined ? to - HOUR_MS : Date.parse(since);
  if (!(from < to)) {
    throw new AppError('malformed', 'The time range ends before it starts.', {
      errors: [{ field: 'since', message: 'Earlier than until, and not in the future.' }],
    });
  }
  const plan = planSums({ since: from, until: to }, now);
  const reach = narrowReach(scope.reach, tenant_id);
  return {
    selection: {
      tenants: getReachableTenants(reach),
      cluster_id,
      since: new Date(plan.since).toISOString(),
      until: new Date(plan.until).toISOString(),
    },
    reach,
    plan,
  };
}

/**
 * Reads of traffic aggregates that many viewers share: one for each state of the aggregates, however many ask for it
 * at the same time. Each is at most some thousand rows. Stamped with the version of the aggregates, read before: the
 * data is then of this state or a later one, and a reader who asked earlier gets the newer one.
 */
export const createSumsCache = <T>(name: string) =>
  cache<Promise<T>, number>({ name, maxEntries: 24, isFresh: (kept, asked) => kept >= asked });

/** By range and tenants: what belongs to which tenant is part of the aggregates. */
const sums = createSumsCache<BucketSum[]>('traffic_series');
const FIELDS = ['bytes', 'packets', 'flows'] as const;

/** Visible traffic over time, by verdict. At most two queries, six for single projects. */
export async function readTrafficSeries(scope: Scope<'flow:read'>, input: TrafficInput): Promise<TrafficSeries> {
  const { selection, plan } = selectTraffic(scope, input);
  if (getReachableProjects(scope.reach).length > 0) {
    // The aggregates cover whole tenants.
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
  const lines = buildSeriesLines(rows, bucket_at.length, (line, row) => {
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

import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { pgArray } from '../../../db/pg-array';
import { flowEstimates } from '../../../db/schema/flow-exporters';
import { flowRollupHours, flowRollupMinutes, trafficConversations, trafficFlows } from '../../../db/schema/flows';
import type { FlowReach, OwnedPeriod, VisibleWorkloads } from '../flow-selection';

const WORKLOAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether the column holds one of the ids. They are part of the statement's text, so that the same condition in SELECT and
 * GROUP BY is the same expression: two parameters would not be.
 */
export function inIdList(column: SQL, ids: readonly string[]): SQL {
  const wrong = ids.find((id) => !WORKLOAD_ID.test(id));
  if (wrong !== undefined) throw new Error('expected workload IDs');
  return sql`${column} = any (${sql.raw(`'{${ids.join(',')}}'::uuid[]`)})`;
}

/** The workload id in the column, or null where it may not be seen: to strangers the end is an address and no more. */
export const ifVisible = (column: SQL, visible: VisibleWorkloads): SQL =>
  visible === 'all' ? column : sql`case when ${inIdList(column, visible)} then ${column} end`;

/**
 * The subnet of an end (`cidr`), for users who may see its workload or the subnet. All others get every address
 * (`0.0.0.0/0`, `::/0`): this shows that the end is inside the installation, but not where. See `toVisibleCidr`.
 */
export function cidrIfVisible(cidr: SQL, workload: SQL, { visible, prefixes }: FlowReach): SQL {
  if (visible === 'all' || prefixes === 'all') return cidr;
  return sql`case when ${cidr} is null or ${inIdList(workload, visible)} or ${cidr} = any (${pgArray('cidr', prefixes)}) then ${cidr}
    else set_masklen(case family(${cidr}) when 4 then '0.0.0.0'::inet else '::'::inet end, 0)::cidr end`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** As text of the statement: a condition in SELECT and GROUP BY has to be the same expression. */
function literal(value: string, form: RegExp, type: string): SQL {
  if (!form.test(value)) throw new Error(`expected a ${type}`);
  return sql.raw(`'${value}'::${type}`);
}

type Ends = readonly string[];

/** Rows whose workloads are null where they did not belong to the reader: strangers see an address and no more. */
function boundedRows(
  table: PgTable,
  ends: Ends,
  periods: readonly OwnedPeriod[],
  within: (period: { from: SQL | null; to: SQL | null }) => SQL,
  clip: boolean,
): SQL {
  const times = periods.map(({ workload_id, from, to }) => ({
    id: literal(workload_id, UUID, 'uuid'),
    from: from === null ? null : literal(from, TIME, 'timestamptz'),
    to: to === null ? null : literal(to, TIME, 'timestamptz'),
  }));
  const ids = sql.join(
    times.map(({ id }) => id),
    sql`, `,
  );
  const inside = (end: string) =>
    sql.join(
      times.map((time) => sql`(h.${sql.raw(end)} = ${time.id} and ${within(time)})`),
      sql` or `,
    );
  const started = times.filter(({ from }) => from !== null);
  const columns = Object.values(getTableColumns(table)).map(({ name }) => {
    const column = sql.raw(`h.${name}`);
    if (ends.includes(name)) {
      return sql`case when ${column} in (${ids}) and not (${inside(name)}) then null else ${column} end as ${sql.raw(name)}`;
    }
    if (!clip || name !== 'first_seen_at' || started.length === 0) return column;
    // Since when a connection lasts that began under another owner is none of this one's business.
    const cases = started.map(
      (time) => sql`when ${within(time)} and ${time.id} in (${sql.raw(ends.map((end) => `h.${end}`).join(', '))})
        then greatest(h.first_seen_at, ${time.from})`,
    );
    return sql`case ${sql.join(cases, sql` `)} else h.first_seen_at end as first_seen_at`;
  });
  return sql`(select ${sql.join(columns, sql`, `)} from ${table} as h)`;
}

/** Whether a row belongs to a period: it began there, and was last seen there. */
const withinPeriod =
  (seenAt: string) =>
  ({ from, to }: { from: SQL | null; to: SQL | null }) =>
    sql`true
    ${from === null ? sql`` : sql`and h.created_at >= ${from} and ${sql.raw(seenAt)} >= ${from}`}
    ${to === null ? sql`` : sql`and ${sql.raw(seenAt)} < ${to}`}`;

/** The table of flows, for FROM, as far as its workloads belonged to the reader when the flows were observed. */
export function flowRows(periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw('traffic_flows');
  const ends = ['workload_id', 'source_workload_id', 'destination_workload_id'];
  return boundedRows(trafficFlows, ends, periods, withinPeriod('h.observed_at'), true);
}

/** The same for conversations. A workload that moves ends its conversations, so each owner sees its own. */
export function conversationRows(periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw('traffic_conversations');
  const ends = ['workload_id', 'client_workload_id', 'server_workload_id'];
  return boundedRows(trafficConversations, ends, periods, withinPeriod('h.last_seen_at'), true);
}

/** Whether a bucket as a whole belongs to a period: the one in which a workload moved belongs to neither owner. */
const withinBucket =
  (size: string) =>
  ({ from, to }: { from: SQL | null; to: SQL | null }) =>
    sql`true
    ${from === null ? sql`` : sql`and h.bucket_at >= ${from}`} ${to === null ? sql`` : sql`and h.bucket_at + ${sql.raw(`interval '${size}'`)} <= ${to}`}`;

const ROLLUP_ENDS: Ends = ['source_workload_id', 'destination_workload_id'];

/** The same for traffic per minute or hour. */
export function rollupRows(source: 'minutes' | 'hours', periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw(`flow_rollup_${source}`);
  const within = withinBucket(source === 'minutes' ? '1 minute' : '1 hour');
  return boundedRows(source === 'minutes' ? flowRollupMinutes : flowRollupHours, ROLLUP_ENDS, periods, within, false);
}

/** The same for estimates per hour. */
export function estimateRows(periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw('flow_estimates');
  return boundedRows(flowEstimates, ROLLUP_ENDS, periods, withinBucket('1 hour'), false);
}

/** The name of the workload of a row under the alias: for those that went away the one they had then. */
export function getWorkloadNameColumn(alias: string, periods: readonly OwnedPeriod[]): SQL {
  const gone = periods.filter(({ to }) => to !== null);
  const back = new Set(periods.filter(({ to }) => to === null).map(({ workload_id }) => workload_id));
  const cases = gone
    .filter(({ workload_id }) => !back.has(workload_id))
    .map(({ workload_id, name }) => sql`when ${workload_id}::uuid then ${name}::text`);
  const name = sql.raw(`${alias}.name`);
  return cases.length === 0 ? name : sql`case ${sql.raw(`${alias}.id`)} ${sql.join(cases, sql` `)} else ${name} end`;
}

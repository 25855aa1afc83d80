import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { projectsOf, type Reach, tenantsOf } from '@/domain/permissions';
import type { Tx } from '../db/client';
import { workloadOwners } from '../db/schema/moves';
import { flowRollupHours, flowRollupMinutes, trafficFlows } from '../db/schema/telemetry';
import { workloads } from '../db/schema/workloads';
import { pgArray } from './pg-array';

/**
 * When a workload that moved between tenants was within reach. `from` null: always before `to`; `to` null: still. `name` is what
 * it was called when it went.
 */
export type OwnedPeriod = { workload_id: string; from: string | null; to: string | null; name: string | null };

/** Touching periods of one workload are one: both tenants are within reach. */
function joined(periods: readonly OwnedPeriod[]): OwnedPeriod[] {
  const result: OwnedPeriod[] = [];
  for (const period of periods) {
    const last = result.at(-1);
    const touches = last?.workload_id === period.workload_id && last.to !== null && last.to === period.from;
    if (last && touches) result[result.length - 1] = { ...period, from: last.from };
    else result.push(period);
  }
  return result.filter(({ from, to }) => from !== null || to !== null);
}

/** After the periods of tenants, which are numbered from 1. */
const LAST = '9223372036854775807::bigint';

/**
 * SQL of the workloads within reach, now or once, that moved between tenants, as JSON: only of these does the owner depend on
 * the time. A move before `since` is left out, because nothing from before it is read. Workloads that are reached by their
 * project have been since they came to it: where they were before is not kept. See `periodsOf`.
 */
export function ownedPeriods(reach: Exclude<Reach, 'all'>, since: string): SQL {
  const text = (column: string) =>
    sql.raw(`'${column.slice(0, -3)}', to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
  const projects = projectsOf(reach);
  const ofTenants = sql`from ${workloadOwners}
    where tenant_id = any (${pgArray('uuid', [...tenantsOf(reach)])}) and (from_at is not null or to_at is not null)
      and (from_at > ${since}::timestamptz or to_at > ${since}::timestamptz)`;
  const found =
    projects.length === 0
      ? ofTenants
      : sql`from (select id, workload_id, from_at, to_at, workload_name ${ofTenants}
          union all select ${sql.raw(LAST)}, id, project_since, null, null from ${workloads}
          where project_id = any (${pgArray('uuid', projects)}) and project_since > ${since}::timestamptz) as periods`;
  return sql`(select coalesce(json_agg(json_build_object('workload_id', workload_id, ${text('from_at')}, ${text('to_at')},
      'name', workload_name) order by workload_id, id), '[]') ${found})`;
}

/** What `ownedPeriods` found, a period for each time in which a workload was within reach. */
export const periodsOf = (found: readonly OwnedPeriod[] | undefined): OwnedPeriod[] => joined(found ?? []);

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

/** The table of flows, for FROM, as far as its workloads belonged to the reader when the flows were observed. */
export function flowRows(periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw('traffic_flows');
  const within = ({ from, to }: { from: SQL | null; to: SQL | null }) => sql`true
    ${from === null ? sql`` : sql`and h.created_at >= ${from} and h.observed_at >= ${from}`}
    ${to === null ? sql`` : sql`and h.observed_at < ${to}`}`;
  return boundedRows(
    trafficFlows,
    ['workload_id', 'source_workload_id', 'destination_workload_id'],
    periods,
    within,
    true,
  );
}

/** The same for traffic per minute or hour. The bucket in which a workload moved belongs to neither owner. */
export function rollupRows(source: 'minutes' | 'hours', periods: readonly OwnedPeriod[]): SQL {
  if (periods.length === 0) return sql.raw(`flow_rollup_${source}`);
  const size = sql.raw(source === 'minutes' ? `interval '1 minute'` : `interval '1 hour'`);
  const within = ({ from, to }: { from: SQL | null; to: SQL | null }) => sql`true
    ${from === null ? sql`` : sql`and h.bucket_at >= ${from}`} ${to === null ? sql`` : sql`and h.bucket_at + ${size} <= ${to}`}`;
  const table = source === 'minutes' ? flowRollupMinutes : flowRollupHours;
  return boundedRows(table, ['source_workload_id', 'destination_workload_id'], periods, within, false);
}

/** The name of the workload of a row under the alias: for those that went away the one they had then. */
export function nameOf(alias: string, periods: readonly OwnedPeriod[]): SQL {
  const gone = periods.filter(({ to }) => to !== null);
  const back = new Set(periods.filter(({ to }) => to === null).map(({ workload_id }) => workload_id));
  const cases = gone
    .filter(({ workload_id }) => !back.has(workload_id))
    .map(({ workload_id, name }) => sql`when ${workload_id}::uuid then ${name}::text`);
  const name = sql.raw(`${alias}.name`);
  return cases.length === 0 ? name : sql`case ${sql.raw(`${alias}.id`)} ${sql.join(cases, sql` `)} else ${name} end`;
}

/**
 * Ends the stored flows of workloads that move: what is reported from now on is a flow of its own, with what is new only, so
 * that each owner sees its part of a connection that goes on.
 */
export async function endFlowsOf(tx: Tx, workloadIds: readonly string[]): Promise<void> {
  if (workloadIds.length === 0) return;
  const ids = pgArray('uuid', workloadIds);
  await tx.execute(sql`
    with mine as materialized (
      select node_id, flow_key from ${trafficFlows} where source_workload_id = any (${ids})
      union select node_id, flow_key from ${trafficFlows} where destination_workload_id = any (${ids})
      union select node_id, flow_key from ${trafficFlows} where workload_id = any (${ids})
        and source_workload_id is null and destination_workload_id is null),
    held as materialized (
      select f.node_id, f.flow_key from ${trafficFlows} as f join mine using (node_id, flow_key)
      order by f.node_id, f.flow_key for update of f)
    update ${trafficFlows} as f set flow_key = gen_random_uuid() from held
    where f.node_id = held.node_id and f.flow_key = held.flow_key`);
}

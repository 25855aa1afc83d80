import { ilike, type SQL, sql } from 'drizzle-orm';
import { getReachableProjects, getReachableTenants, type Reach } from '@/domain/permissions';
import { db } from '../../db/client';
import { likePattern } from '../../db/declared-fields';
import { pgArray } from '../../db/pg-array';
import { workloadOwners } from '../../db/schema/moves';
import { subnets } from '../../db/schema/networks';
import { workloads } from '../../db/schema/workloads';
import { subnetInReach } from '../../inventory/queries/ipam-reach';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';
import type { FlowReach, OwnedPeriod, VisibleWorkloads } from '../storage/flow-selection';

/** The visible workloads, and when moved ones were visible after `since`. One query, none with reach `all`. */
export async function findVisibleWorkloads(
  reach: Reach,
  since: string,
): Promise<{ visible: VisibleWorkloads; periods: OwnedPeriod[] }> {
  if (reach === 'all') return { visible: 'all', periods: [] };
  const [row] = await db.execute<{ visible: string[]; periods: OwnedPeriod[] }>(sql`
    select array(select ${workloads.id}::text from ${workloads} where ${workloadInReach(reach)}) as visible,
      ${ownedPeriods(reach, since)} as periods`);
  return { visible: row?.visible ?? [], periods: toOwnedPeriods(row?.periods) };
}

/** More names than this are too many to search flows by. */
const MAX_NAMED = 5_000;

/** Visible workloads whose name contains the text. One query. */
export async function findNamedWorkloads(reach: Reach, text: string): Promise<string[]> {
  const rows = await db
    .select({ id: workloads.id })
    .from(workloads)
    .where(sql`${workloadInReach(reach) ?? sql`true`} and ${ilike(workloads.name, likePattern(text))}`)
    .limit(MAX_NAMED);
  return rows.map((row) => row.id);
}

/**
 * The visible workloads and subnets (as written), to read what was observed after `since`. One query, none with reach
 * `all`.
 */
export async function findFlowReach(reach: Reach, since: string): Promise<FlowReach> {
  if (reach === 'all') return { visible: 'all', prefixes: 'all', periods: [] };
  const [row] = await db.execute<{ visible: string[]; prefixes: string[]; periods: OwnedPeriod[] }>(sql`
    select array(select ${workloads.id}::text from ${workloads} where ${workloadInReach(reach)}) as visible,
      array(select distinct ${subnets.cidr}::text from ${subnets} where ${subnetInReach(reach)}) as prefixes,
      ${ownedPeriods(reach, since)} as periods`);
  const periods = toOwnedPeriods(row?.periods);
  const visible = new Set([...(row?.visible ?? []), ...periods.map(({ workload_id }) => workload_id)]);
  return { visible: [...visible], prefixes: row?.prefixes ?? [], periods };
}

/** Merges adjacent periods of one workload: both tenants are visible. */
function mergeAdjacentPeriods(periods: readonly OwnedPeriod[]): OwnedPeriod[] {
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
 * SQL of the workloads that are or were visible and that moved between tenants, as JSON: only for these does the owner
 * depend on the time. A move before `since` is left out, because nothing from before it is read. Workloads that are
 * visible through their project have been so since they were assigned to it: earlier placements are not kept. See
 * `toOwnedPeriods`.
 */
export function ownedPeriods(reach: Exclude<Reach, 'all'>, since: string): SQL {
  const text = (column: string) =>
    sql.raw(`'${column.slice(0, -3)}', to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
  const projects = getReachableProjects(reach);
  const ofTenants = sql`from ${workloadOwners}
    where tenant_id = any (${pgArray('uuid', [...getReachableTenants(reach)])}) and (from_at is not null or to_at is not null)
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

/** What `ownedPeriods` found, a period for each time in which a workload was visible. */
export const toOwnedPeriods = (found: readonly OwnedPeriod[] | undefined): OwnedPeriod[] =>
  mergeAdjacentPeriods(found ?? []);

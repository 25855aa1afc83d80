import { ilike, type SQL, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import { db } from '../db/client';
import { subnets } from '../db/schema/networks';
import { workloads } from '../db/schema/workloads';
import { type OwnedPeriod, ownedPeriods, periodsOf } from './flow-history';
import { subnetInReach } from './ipam-reach';
import { likePattern } from './like-pattern';
import { pgArray } from './pg-array';
import { workloadInReach } from './tenant-reach';

/** Workloads whose flows may be seen: all there are, or those with these ids. */
export type VisibleWorkloads = 'all' | readonly string[];

/** The workloads within reach, and when those that moved were, after `since`. One query, none with reach `all`. */
export async function findVisibleWorkloads(
  reach: Reach,
  since: string,
): Promise<{ visible: VisibleWorkloads; periods: OwnedPeriod[] }> {
  if (reach === 'all') return { visible: 'all', periods: [] };
  const [row] = await db.execute<{ visible: string[]; periods: OwnedPeriod[] }>(sql`
    select array(select ${workloads.id}::text from ${workloads} where ${workloadInReach(reach)}) as visible,
      ${ownedPeriods(reach, since)} as periods`);
  return { visible: row?.visible ?? [], periods: periodsOf(row?.periods) };
}

/** More names than this are too many to search flows by. */
const MAX_NAMED = 5_000;

/** Workloads within reach whose name contains the text. One query. */
export async function findNamedWorkloads(reach: Reach, text: string): Promise<string[]> {
  const rows = await db
    .select({ id: workloads.id })
    .from(workloads)
    .where(sql`${workloadInReach(reach) ?? sql`true`} and ${ilike(workloads.name, likePattern(text))}`)
    .limit(MAX_NAMED);
  return rows.map((row) => row.id);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Whether the column holds one of the ids. They are part of the statement's text, so that the same condition in SELECT and
 * GROUP BY is the same expression: two parameters would not be.
 */
export function oneOf(column: SQL, ids: readonly string[]): SQL {
  const wrong = ids.find((id) => !UUID.test(id));
  if (wrong !== undefined) throw new Error('expected ids of workloads');
  return sql`${column} = any (${sql.raw(`'{${ids.join(',')}}'::uuid[]`)})`;
}

/** The workload id in the column, or null where it may not be seen: to strangers the end is an address and no more. */
export const ifVisible = (column: SQL, visible: VisibleWorkloads): SQL =>
  visible === 'all' ? column : sql`case when ${oneOf(column, visible)} then ${column} end`;

/**
 * What of the traffic may be seen: workloads at its ends, and the subnets that these lie in. `visible` has those that belonged
 * to the reader once as well; `periods` says when, and `flowRows` and `rollupRows` take them out of everything else.
 */
export type FlowReach = {
  visible: VisibleWorkloads;
  prefixes: 'all' | readonly string[];
  periods: readonly OwnedPeriod[];
};

/**
 * The workloads within reach, and the subnets within reach as they are written, for reading what was observed after `since`. One
 * query, none with reach `all`.
 */
export async function findFlowReach(reach: Reach, since: string): Promise<FlowReach> {
  if (reach === 'all') return { visible: 'all', prefixes: 'all', periods: [] };
  const [row] = await db.execute<{ visible: string[]; prefixes: string[]; periods: OwnedPeriod[] }>(sql`
    select array(select ${workloads.id}::text from ${workloads} where ${workloadInReach(reach)}) as visible,
      array(select distinct ${subnets.cidr}::text from ${subnets} where ${subnetInReach(reach)}) as prefixes,
      ${ownedPeriods(reach, since)} as periods`);
  const periods = periodsOf(row?.periods);
  const visible = new Set([...(row?.visible ?? []), ...periods.map(({ workload_id }) => workload_id)]);
  return { visible: [...visible], prefixes: row?.prefixes ?? [], periods };
}

/**
 * The subnet of an end (`cidr`), for those who may see its workload or the subnet. To all others it is every address there is
 * (`0.0.0.0/0`, `::/0`): that the end lies inside the installation is told, where it lies is not. See `shownCidr`.
 */
export function cidrIfVisible(cidr: SQL, workload: SQL, { visible, prefixes }: FlowReach): SQL {
  if (visible === 'all' || prefixes === 'all') return cidr;
  return sql`case when ${cidr} is null or ${oneOf(workload, visible)} or ${cidr} = any (${pgArray('cidr', prefixes)}) then ${cidr}
    else set_masklen(case family(${cidr}) when 4 then '0.0.0.0'::inet else '::'::inet end, 0)::cidr end`;
}

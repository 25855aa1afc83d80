import { eq, sql } from 'drizzle-orm';
import type { VerdictConflicts } from '@/domain/dashboard/dashboard';
import type { Reach } from '@/domain/permissions';
import { db } from '../db/client';
import { workloadCoverage } from '../db/schema/coverage';
import { workloads } from '../db/schema/workloads';
import { dayInProject, workloadInReach } from './tenant-reach';

type Row = VerdictConflicts['most'][number] & { all_workloads: number; all_flows: number };

/**
 * Conversations since a day (UTC date) about which the firewall's log says something else than the rules of a guest within
 * reach, with the guests that have most of them. One query.
 */
export async function sumVerdictConflicts(
  reach: Reach,
  since: string,
  limit: number,
): Promise<Omit<VerdictConflicts, 'since'>> {
  const rows = await db.execute<Row>(sql`
    select ${workloads.id} as workload_id, ${workloads.name} as workload_name,
      sum(${workloadCoverage.conflicts})::float8 as flows, count(*) over ()::int as all_workloads,
      (sum(sum(${workloadCoverage.conflicts})) over ())::float8 as all_flows
    from ${workloadCoverage} join ${workloads} on ${eq(workloads.id, workloadCoverage.workload_id)}
    where ${workloadCoverage.day} >= ${since}::date and ${workloadCoverage.conflicts} > 0
      and ${workloadInReach(reach) ?? sql`true`} and ${dayInProject(sql`${workloadCoverage.day}`, reach) ?? sql`true`}
    group by ${workloads.id}, ${workloads.name} order by 3 desc, 1 limit ${limit}`);
  return {
    flows: rows[0]?.all_flows ?? 0,
    workloads: rows[0]?.all_workloads ?? 0,
    most: rows.map(({ workload_id, workload_name, flows }) => ({ workload_id, workload_name, flows })),
  };
}

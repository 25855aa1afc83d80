import { sql } from 'drizzle-orm';
import { db } from '../db/client';
import { countedRollups, type RollupSelection } from './rollup-conditions';

export type WorkloadTrafficSums = {
  bytes: number;
  bytes_in: number;
  bytes_out: number;
  packets: number;
  flows: number;
};

/** What the workload in `filter.workload_id` carried in the range; each conversation counts once. One query. */
export async function sumWorkloadTraffic(
  selection: RollupSelection & { filter: { workload_id: string } },
  source: 'minutes' | 'hours',
): Promise<WorkloadTrafficSums> {
  const workload = sql`${selection.filter.workload_id}::uuid`;
  const [row] = await db.execute<WorkloadTrafficSums>(sql`
    select coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(packets), 0)::float8 as packets,
      coalesce(sum(flows), 0)::float8 as flows,
      coalesce(sum(bytes) filter (where destination_workload_id = ${workload}), 0)::float8 as bytes_in,
      coalesce(sum(bytes) filter (where source_workload_id = ${workload}), 0)::float8 as bytes_out
    from (${countedRollups(selection, source)}) as t where t.counted`);
  if (!row) throw new Error('a sum has no row');
  return row;
}

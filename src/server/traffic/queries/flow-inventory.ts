import { asc, gte, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { rowStamp } from '../../db/row-stamp';
import { ipAddresses } from '../../db/schema/addresses';
import { subnets } from '../../db/schema/networks';
import { workloadPlacements, workloads } from '../../db/schema/workloads';

/** Changes whenever a subnet, a workload or an address is added, changed or removed. */
export async function inventoryStamp(executor: Executor): Promise<string> {
  const rows = await executor.execute<{ stamp: string }>(
    sql`select concat_ws('/', ${rowStamp(subnets)}, ${rowStamp(workloads)}, ${rowStamp(ipAddresses)}) as stamp`,
  );
  return rows[0]?.stamp ?? '';
}

export type FlowInventory = {
  /** Known subnets of all clusters. */
  cidrs: string[];
  /** For each of them a text that is another one when it was added, also when it was there before. */
  cidr_ids?: string[];
  workloads: { id: string; cluster_id: string; vmid: number; node_id: string | null }[];
  /** Where guests were before, oldest first. */
  placements?: { workload_id: string; node_id: string; seen_at: string; left_at: string }[];
  /** Addresses that guests have now; canonical text. */
  addresses: { cluster_id: string; address: string; workload_id: string }[];
};

/**
 * Loads what is needed to resolve the ends of a flow. Four queries.
 * @param oldest flows from before are refused, so where guests were until then does not matter
 */
export async function loadFlowInventory(executor: Executor, oldest: string): Promise<FlowInventory> {
  const [cidrs, guests, addresses, placements] = await Promise.all([
    executor.execute<{ cidr: string; ids: string }>(
      sql`select ${subnets.cidr}::text as cidr, md5(string_agg(${subnets.id}::text, ',' order by ${subnets.id})) as ids
        from ${subnets} where masklen(${subnets.cidr}) > 0 group by ${subnets.cidr}`,
    ),
    executor
      .select({
        id: workloads.id,
        cluster_id: workloads.cluster_id,
        vmid: workloads.vmid,
        node_id: workloads.node_id,
      })
      .from(workloads),
    executor.execute<FlowInventory['addresses'][number]>(
      sql`select ${ipAddresses.cluster_id}, host(${ipAddresses.address}) as address, ${ipAddresses.workload_id}
        from ${ipAddresses} where ${ipAddresses.workload_id} is not null and ${ipAddresses.state} <> 'stale'`,
    ),
    executor
      .select({
        workload_id: workloadPlacements.workload_id,
        node_id: workloadPlacements.node_id,
        seen_at: workloadPlacements.seen_at,
        left_at: workloadPlacements.left_at,
      })
      .from(workloadPlacements)
      .where(gte(workloadPlacements.left_at, oldest))
      .orderBy(asc(workloadPlacements.left_at), asc(workloadPlacements.id)),
  ]);
  return {
    cidrs: cidrs.map((row) => row.cidr),
    cidr_ids: cidrs.map((row) => row.ids),
    workloads: guests,
    addresses: [...addresses],
    placements,
  };
}

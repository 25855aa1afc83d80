import { asc, gte, sql } from 'drizzle-orm';
import type { Executor } from '../../db/client';
import { rowStamp } from '../../db/row-stamp';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { historyStart } from '../../db/schema/history';
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
  /** Guests whose VMID another one had, or may have had, within the time that matters, and since when it is theirs. */
  reused_vmids?: { workload_id: string; since_ms: number }[];
  /** Addresses that guests have now; canonical text. */
  addresses: { cluster_id: string; address: string; workload_id: string }[];
};

/**
 * Guests that have the VMID of a removed one, since they were first read. Former guests are known since history began: of a cluster
 * that was there before, what is earlier may be of another guest, and belongs to none that was not read then.
 */
const listReusedVmids = (executor: Executor, oldest: string) =>
  executor.execute<{ workload_id: string; since_ms: number }>(sql`
    select distinct w.id as workload_id,
      ceil(extract(epoch from case when f.id is null then least(w.created_at, h.at) else w.created_at end) * 1000)::float8 as since_ms
    from ${workloads} w join ${clusters} c on c.id = w.cluster_id cross join ${historyStart} h
      left join (select distinct cluster_id, vmid, id from past_workloads where until_at >= ${oldest}) f
        on f.cluster_id = w.cluster_id and f.vmid = w.vmid and f.id <> w.id
    where w.created_at >= ${oldest} and (f.id is not null or (h.at > ${oldest} and c.created_at < h.at))`);

/**
 * Loads what is needed to resolve the ends of a flow. Five queries.
 * @param oldest flows from before are refused, so where guests were until then does not matter
 */
export async function loadFlowInventory(executor: Executor, oldest: string): Promise<FlowInventory> {
  const [cidrs, guests, addresses, placements, reused] = await Promise.all([
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
    listReusedVmids(executor, oldest),
  ]);
  return {
    cidrs: cidrs.map((row) => row.cidr),
    cidr_ids: cidrs.map((row) => row.ids),
    workloads: guests,
    addresses: [...addresses],
    placements,
    reused_vmids: [...reused],
  };
}

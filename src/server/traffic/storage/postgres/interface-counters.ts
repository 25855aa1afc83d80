import { sql } from 'drizzle-orm';
import type { Executor, Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { rowsOfArrays } from '../../../db/rows-of-arrays';
import { interfaceSamples, interfaceTraffic } from '../../../db/schema/flows';
import type { InterfaceSample, InterfaceTrafficRecord } from '../flow-rows';

const listOf = (columns: object) => sql.raw(Object.keys(columns).join(', '));

export const SAMPLE_COLUMNS = {
  name: 'text',
  kind: 'text',
  vmid: 'int',
  nic: 'smallint',
  workload_id: 'uuid',
  rx_bytes: 'bigint',
  rx_packets: 'bigint',
  rx_errors: 'bigint',
  rx_dropped: 'bigint',
  tx_bytes: 'bigint',
  tx_packets: 'bigint',
  tx_errors: 'bigint',
  tx_dropped: 'bigint',
} as const;

/** Stores the counters of a node's interfaces as of one moment; an interface that is named twice counts once. */
export async function insertInterfaceSamples(
  tx: Tx,
  nodeId: string,
  at: string,
  rows: readonly InterfaceSample[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = listOf(SAMPLE_COLUMNS);
  await tx.execute(sql`
    insert into ${interfaceSamples} (node_id, observed_at, ${list})
    select ${nodeId}::uuid, ${at}::timestamptz, s.*
    from ${rowsOfArrays(SAMPLE_COLUMNS, 'name', rows)} as s
    on conflict do nothing`);
}

export const TRAFFIC_COLUMNS = {
  interface: 'text',
  observed_at: 'timestamptz',
  vmid: 'int',
  nic: 'smallint',
  workload_id: 'uuid',
  rx_bytes: 'bigint',
  rx_packets: 'bigint',
  tx_bytes: 'bigint',
  tx_packets: 'bigint',
  bytes: 'bigint',
  packets: 'bigint',
  collector: 'text',
} as const;

/** Stores what guest NICs carried while there were no flows. */
export async function insertInterfaceTraffic(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly InterfaceTrafficRecord[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = listOf(TRAFFIC_COLUMNS);
  await tx.execute(sql`
    insert into ${interfaceTraffic} (node_id, cluster_id, ${list})
    select ${node.node_id}::uuid, ${node.cluster_id}::uuid, s.*
    from ${rowsOfArrays(TRAFFIC_COLUMNS, 'interface', rows)} as s
    on conflict do nothing`);
}

/** What guest NICs carried, without a known workload. */
export type UnknownTraffic = {
  node_id: string;
  cluster_id: string;
  interface: string;
  vmid: number;
  observed_at: string;
};

/** Rows of guests with these ids whose workload is not known; of all when none are given. */
export async function listUnknownTraffic(
  executor: Executor,
  vmids: readonly number[] | null,
  limit: number,
): Promise<UnknownTraffic[]> {
  const rows = await executor.execute<UnknownTraffic>(sql`
    select node_id, cluster_id, interface, vmid, observed_at::text as observed_at from ${interfaceTraffic}
    where workload_id is null ${vmids === null ? sql`` : sql`and vmid = any (${pgArray('int', vmids)})`}
    order by observed_at desc limit ${limit}`);
  return [...rows];
}

/** Fills in the workloads of such rows. */
export async function fillTrafficWorkloads(
  executor: Executor,
  rows: readonly (Pick<UnknownTraffic, 'node_id' | 'interface' | 'observed_at'> & { workload_id: string })[],
): Promise<void> {
  const columns = { node_id: 'uuid', interface: 'text', observed_at: 'timestamptz', workload_id: 'uuid' } as const;
  await executor.execute(sql`
    update ${interfaceTraffic} as t set workload_id = r.workload_id from ${rowsOfArrays(columns, 'node_id', rows)} as r
    where t.node_id = r.node_id and t.interface = r.interface and t.observed_at = r.observed_at and t.workload_id is null`);
}

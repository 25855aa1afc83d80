import { sql } from 'drizzle-orm';
import { db, type Executor, type Tx } from '../../../db/client';
import { pgArray } from '../../../db/pg-array';
import { interfaceSamples, interfaceTraffic } from '../../../db/schema/flows';
import { unnestRows } from '../../../db/unnest-rows';
import type { EndResolver, InterfaceSample, InterfaceTrafficRecord } from '../flow-rows';
import type { FlowStore } from '../flow-store';

const toColumnList = (columns: object) => sql.raw(Object.keys(columns).join(', '));

const SAMPLE_COLUMNS = {
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
async function insertInterfaceSamples(
  tx: Tx,
  nodeId: string,
  at: string,
  rows: readonly InterfaceSample[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = toColumnList(SAMPLE_COLUMNS);
  await tx.execute(sql`
    insert into ${interfaceSamples} (node_id, observed_at, ${list})
    select ${nodeId}::uuid, ${at}::timestamptz, s.*
    from ${unnestRows(SAMPLE_COLUMNS, 'name', rows)} as s
    on conflict do nothing`);
}

const TRAFFIC_COLUMNS = {
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
async function insertInterfaceTraffic(
  tx: Tx,
  node: { node_id: string; cluster_id: string },
  rows: readonly InterfaceTrafficRecord[],
): Promise<void> {
  if (rows.length === 0) return;
  const list = toColumnList(TRAFFIC_COLUMNS);
  await tx.execute(sql`
    insert into ${interfaceTraffic} (node_id, cluster_id, ${list})
    select ${node.node_id}::uuid, ${node.cluster_id}::uuid, s.*
    from ${unnestRows(TRAFFIC_COLUMNS, 'interface', rows)} as s
    on conflict do nothing`);
}

/** Counters of a heartbeat. */
export const appendInterfaces: FlowStore['appendInterfaces'] = async (tx, node, { at, samples, traffic }) => {
  await insertInterfaceSamples(tx, node.node_id, at, samples);
  await insertInterfaceTraffic(tx, node, traffic);
};

/** What guest NICs carried, without a known workload. */
type UnknownTraffic = {
  node_id: string;
  cluster_id: string;
  interface: string;
  vmid: number;
  observed_at: string;
};

/** Rows of guests with these ids whose workload is not known; of all when none are given. */
async function listUnknownTraffic(
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
async function fillTrafficWorkloads(
  executor: Executor,
  rows: readonly (Pick<UnknownTraffic, 'node_id' | 'interface' | 'observed_at'> & { workload_id: string })[],
): Promise<void> {
  const columns = { node_id: 'uuid', interface: 'text', observed_at: 'timestamptz', workload_id: 'uuid' } as const;
  await executor.execute(sql`
    update ${interfaceTraffic} as t set workload_id = r.workload_id from ${unnestRows(columns, 'node_id', rows)} as r
    where t.node_id = r.node_id and t.interface = r.interface and t.observed_at = r.observed_at and t.workload_id is null`);
}

/** Rows of one run, the newest first. */
const MOST_ROWS = 20_000;

/**
 * Fills in the workload of counters that an agent sent while it had no flows, once the workload is known to have been on the node.
 * @param vmids guests about which something was learned; null: all
 * @returns how many rows
 */
export async function fillCounters(resolver: EndResolver, vmids: readonly number[] | null): Promise<number> {
  if (vmids?.length === 0) return 0;
  const rows = (await listUnknownTraffic(db, vmids, MOST_ROWS)).flatMap((row) => {
    const workload_id = resolver.observerOf({ ...row, at: Date.parse(row.observed_at) });
    return workload_id === null ? [] : [{ ...row, workload_id }];
  });
  if (rows.length > 0) await fillTrafficWorkloads(db, rows);
  return rows.length;
}

import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client';
import { interfaceSamples, interfaceTraffic } from '../db/schema/telemetry';
import { rowsOfArrays } from './rows-of-arrays';

const listOf = (columns: object) => sql.raw(Object.keys(columns).join(', '));

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

export type InterfaceSample = {
  [K in keyof typeof SAMPLE_COLUMNS]: K extends 'name' | 'kind'
    ? string
    : K extends 'workload_id'
      ? string | null
      : K extends 'vmid' | 'nic'
        ? number | null
        : number;
};

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

export type InterfaceTrafficRecord = {
  [K in keyof typeof TRAFFIC_COLUMNS]: K extends 'interface' | 'observed_at' | 'collector'
    ? string
    : K extends 'workload_id'
      ? string | null
      : number;
};

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

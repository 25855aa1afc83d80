import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type postgres from 'postgres';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { migrateDatabase } from '@/server/db/migrate';
import { withoutIndexes } from './dashboard-environment';
import {
  CLICKHOUSE,
  describeGuest,
  NODES,
  POSTGRES,
  POSTGRES_FUNCTIONS,
  REPORTS_PER_CONNECTION,
  type Span,
  selectConnections,
  selectReports,
  WORKLOADS,
} from './flow-stores-traffic';

const HOUR_MS = 3_600_000;
/** Connections that one statement makes. */
const CHUNK = 250_000;
/** The newest flows come in inserts as heartbeats make them; what is older has been merged. */
const NEWEST_MS = HOUR_MS;
const NEWEST_CHUNK = 36_000;
/** What changed in the last minute and a half is not settled yet. */
const UNSETTLED_MS = 90_000;

const utc = (ms: string) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`;
/** Of a conversation the hour in which it began and a hash, as in `makeConversationId`. */
const POSTGRES_ID = `(lpad(to_hex(intdiv(c.first_ms, ${HOUR_MS}) * ${HOUR_MS}), 12, '0') || '8' || substr(md5(c.i::text), 1, 3) || 'a'
  || substr(md5(c.i::text), 5, 15))::uuid`;

/** PostgreSQL with the settings of the embedded one, and a ClickHouse on the same disk, which takes as many threads as there are processors. */
export async function startFlowStores() {
  const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  chmodSync(directory, 0o755);
  const database = await startEmbeddedDatabase(directory, () => {});
  await migrateDatabase(database.url);
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    FABRIC_SECRET_KEY: 'bench-secret-key-bench-secret-key-bench',
    LOG_LEVEL: 'error',
  });
  const { closeDb, sqlClient } = await import('@/server/db/client');
  const { startChdb } = await import('@/test/chdb-server');
  const { connectTo, closeClickhouse } = await import('@/server/traffic/storage/clickhouse/connection');
  const { migrateClickhouse } = await import('@/server/traffic/storage/clickhouse/migrate');
  const { makeClickhouseFlowStore } = await import('@/server/traffic/storage/clickhouse/clickhouse-flow-store');
  const { postgresFlowStore } = await import('@/server/traffic/storage/postgres/postgres-flow-store');
  const { availableParallelism } = await import('node:os');
  const chdb = await startChdb({ folder: directory, threads: availableParallelism() });
  const connection = connectTo(chdb.url);
  await migrateClickhouse(connection);
  const sql = sqlClient();
  return {
    ...{ sql, chdb, connection, databasePid: database.pid },
    stores: { postgres: postgresFlowStore, clickhouse: makeClickhouseFlowStore(connection) },
    async stop(): Promise<void> {
      await closeClickhouse();
      await chdb.stop();
      await closeDb();
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
type FlowStores = Awaited<ReturnType<typeof startFlowStores>>;
export type Inventory = { cluster_id: string; nodes: string[]; workloads: string[] };

/** Nodes and workloads, with their numbers in `bench_guests` of both engines. */
export async function fillInventory({ sql, chdb }: Pick<FlowStores, 'sql' | 'chdb'>): Promise<Inventory> {
  const { makeCluster, makeNode, makeWorkload } = await import('@/test/factories');
  const cluster = await makeCluster();
  const nodes: string[] = [];
  for (let i = 0; i < NODES; i++) nodes.push((await makeNode(cluster)).id);
  const workloads: string[] = [];
  const guests: string[] = [];
  for (let k = 0; k < WORKLOADS; k++) {
    const node = nodes[k % NODES] as string;
    const { id } = await makeWorkload(cluster, null, { node_id: node, name: `guest ${k}` });
    const { address, cidr } = describeGuest(k);
    workloads.push(id);
    guests.push(`(${k}, '${id}', '${node}', '${address}', '${cidr}')`);
  }
  const columns = (uuid: string, number: string) =>
    `k ${number}, id ${uuid}, node_id ${uuid}, address ${number === 'Int64' ? 'String' : 'text'}, cidr ${number === 'Int64' ? 'String' : 'text'}`;
  await sql.unsafe(POSTGRES_FUNCTIONS);
  await sql.unsafe(`create table bench_guests (${columns('uuid', 'bigint')}, primary key (k))`);
  await sql.unsafe(`insert into bench_guests values ${guests.join(', ')}`);
  await sql`analyze bench_guests`;
  await chdb.run(`create table bench_guests (${columns('UUID', 'Int64')}) engine = Memory`);
  await chdb.run(`insert into bench_guests values ${guests.join(', ')}`);
  return { cluster_id: cluster.id, nodes, workloads };
}

export const planSpan = (flows: number, until: number, span_ms: number): Span => ({
  connections: Math.round(flows / REPORTS_PER_CONNECTION),
  since: until - span_ms,
  until,
});

const toNumber = ({ connections, since, until }: Span, at: number) =>
  Math.max(0, Math.floor((connections * (at - since)) / (until - since)));

/** Fills `incoming_flows`, from which views fill the rest, as batches of heartbeats do. @param isSettled whether lists of conversations are asked for */
export async function fillClickhouse(
  { chdb, connection }: Pick<FlowStores, 'chdb' | 'connection'>,
  { cluster_id }: Inventory,
  span: Span,
  { isSettled = true } = {},
) {
  const border = toNumber(span, span.until - NEWEST_MS);
  for (let from = 0; from < span.connections; ) {
    const to = from < border ? Math.min(from + CHUNK, border) : Math.min(from + NEWEST_CHUNK, span.connections);
    await chdb.run(buildClickhouseInsert(cluster_id, span, from, to), {
      max_insert_block_size: '10000000',
      min_insert_block_size_rows: '10000000',
      min_insert_block_size_bytes: '4000000000',
    });
    if (to === border || (to < border && Math.floor(to / 4e6) > Math.floor(from / 4e6)))
      await mergeParts(chdb, ['flows', 'rollup_minutes', 'rollup_hours']);
    from = to;
  }
  if (!isSettled) return;
  const { settleChanges } = await import('@/server/traffic/storage/clickhouse/settle-conversations');
  await settleChanges(connection, new Date(span.until - UNSETTLED_MS).toISOString());
  await mergeParts(chdb, ['settled_conversations']);
}

function buildClickhouseInsert(cluster_id: string, span: Span, from: number, to: number): string {
  const hour = `intDiv(c.first_ms, ${HOUR_MS}) * ${HOUR_MS}`;
  const high = `bitOr(bitShiftLeft(toUInt64(${hour}), 16), 32768 + c.i % 4096)`;
  const place = (ip: string, bits: number) => `bitShiftLeft(toUInt64(sipHash64(${ip}) % 256), ${bits})`;
  const places = `bitOr(${place('least(c.source_ip, c.destination_ip)', 52)}, ${place('greatest(c.source_ip, c.destination_ip)', 44)})`;
  const low = `bitOr(bitOr(toUInt64(11529215046068469760), ${places}), bitShiftRight(sipHash64(c.i), 20))`;
  const columns: Record<string, string> = {
    began_at: `toDateTime(intDiv(${hour}, 1000), 'UTC')`,
    conversation_id: `reinterpretAsUUID(concat(reinterpretAsFixedString(${high}), reinterpretAsFixedString(${low})))`,
    forward: 'toBool(c.source_ip < c.destination_ip)',
    ...{ decision: 'c.decision', node_id: 'c.node_id', cluster_id: `toUUID('${cluster_id}')`, protocol: 'c.protocol' },
    ...{ source_ip: 'toIPv6(c.source_ip)', destination_ip: 'toIPv6(c.destination_ip)' },
    ...{ source_port: 'toUInt16(c.source_port)', destination_port: 'toUInt16(c.destination_port)' },
    ...{ bytes: 'toInt64(c.bytes)', packets: 'toInt64(c.packets)' },
    ...{ first_seen_at: utc('c.first_ms'), observed_at: utc('c.seen_ms') },
    ...{ created_at: utc('c.seen_ms + 500'), updated_at: utc('c.seen_ms + 500'), changed_at: utc('c.seen_ms + 500') },
    ...{ source_workload_id: 'c.source_id', destination_workload_id: 'c.destination_id' },
    ...{ source_cidr: 'c.source_cidr', destination_cidr: 'c.destination_cidr', opening_icmp: 'null' },
    newest: `tuple(${utc('c.seen_ms')}, concat('tap', c.vmid, 'i0'), toUInt32(c.vmid), toUInt16(0), null, c.observer_id, c.state, c.collector,
      c.initiator, null, null, c.raw)`,
    ...{ is_final: 'false', source_prefix: 'c.source_prefix', destination_prefix: 'c.destination_prefix' },
    ...{
      service_port: 'toUInt16(c.service_port)',
      reply: 'toBool(c.back = 1)',
      is_new: 'true',
      is_resolvable: 'false',
    },
  };
  return `insert into incoming_flows (${Object.keys(columns).join(', ')})
    select ${Object.values(columns).join(', ')} from (${selectReports(CLICKHOUSE, span, from, to)}) as c`;
}

/** What ClickHouse does by itself in time. */
async function mergeParts(chdb: FlowStores['chdb'], tables: readonly string[]): Promise<void> {
  const found = await chdb.run(`select table, partition_id, count() from system.parts
    where active and table in (${tables.map((name) => `'${name}'`).join(', ')}) group by table, partition_id having count() > 1 format TSV`);
  for (const line of found.split('\n').filter(Boolean)) {
    const [table, partition] = line.split('\t');
    await chdb.run(`optimize table ${table} partition id '${partition}' final`);
  }
  console.error(`${tables.join(', ')} merged`);
}

const POSTGRES_FLOWS = (cluster_id: string, reports: string) => `
  insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port, destination_port, decision,
    state, bytes, packets, first_seen_at, observed_at, created_at, updated_at, collector, initiator, interface, vmid, nic, workload_id,
    source_workload_id, destination_workload_id, source_cidr, destination_cidr, conversation_id, raw)
  select c.node_id, md5(c.i || ' ' || c.back)::uuid, '${cluster_id}', c.source_ip::inet, c.destination_ip::inet, c.protocol, c.source_port,
    c.destination_port, c.decision, c.state, c.bytes, c.packets, ${utc('c.first_ms')}, ${utc('c.seen_ms')}, ${utc('c.seen_ms + 500')},
    ${utc('c.seen_ms + 500')}, c.collector, c.initiator, concat('tap', c.vmid, 'i0'), c.vmid, 0, c.observer_id, c.source_id,
    c.destination_id, c.source_cidr::cidr, c.destination_cidr::cidr, ${POSTGRES_ID}, c.raw::jsonb
  from (${reports}) as c`;

const POSTGRES_CONVERSATIONS = (cluster_id: string, connections: string) => `
  insert into traffic_conversations (id, conversation_key, ordinal, cluster_id, client_ip, server_ip, protocol, client_port, server_port,
    service_port, is_client_known, client_workload_id, server_workload_id, client_cidr, server_cidr, workload_id, nic, bytes, packets,
    client_bytes, client_packets, server_bytes, server_packets, action, decision, is_closed, node_ids, first_seen_at, last_seen_at,
    created_at, updated_at)
  select ${POSTGRES_ID}, md5(c.i::text)::uuid, 0, '${cluster_id}', c.client_ip::inet, c.server_ip::inet, c.protocol, c.client_port, c.port,
    c.port, true, c.client_id, c.server_id, c.client_cidr::cidr, c.server_cidr::cidr, c.a_id, 0,
    c.sent + case when c.is_denied = 1 then 0 else c.received end,
    1 + intdiv(c.sent, 300) + case when c.is_denied = 1 then 0 else 1 + intdiv(c.received, 900) end,
    c.sent, 1 + intdiv(c.sent, 300), case when c.is_denied = 0 then c.received end, case when c.is_denied = 0 then 1 + intdiv(c.received, 900) end,
    case when c.is_denied = 1 then 'dropped' else 'allowed' end, case when c.is_denied = 1 then 'drop' else 'observed' end,
    c.is_denied = 0 and c.i % 2 = 0, case when c.kind = 0 and c.a_node <> c.b_node then array[c.a_node, c.b_node] else array[c.a_node] end,
    ${utc('c.first_ms')}, ${utc('c.seen_ms')}, ${utc('c.seen_ms + 500')}, ${utc('c.seen_ms + 500')}
  from (${connections}) as c`;

/** The minutes of these flows, as heartbeats would have made them; parameters: from and to. */
const POSTGRES_MINUTES = `
  insert into flow_rollup_minutes (node_id, bucket_at, rollup_key, cluster_id, source_workload_id, destination_workload_id,
    source_prefix, destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
  select node_id, at, md5(concat_ws('|', coalesce(source_workload_id::text, '-'), coalesce(destination_workload_id::text, '-'), sp, dp, protocol,
      port, reply, decision))::uuid, cluster_id, source_workload_id, destination_workload_id, sp, dp, source_workload_id is not null,
    destination_workload_id is not null, protocol, port, reply, decision, sum(bytes), sum(packets), count(*)
  from (select *, date_trunc('minute', observed_at) as at, initiator = 'destination' as reply,
      case when initiator = 'destination' then source_port else destination_port end as port,
      coalesce(source_cidr, network(set_masklen(source_ip, 24))) as sp,
      coalesce(destination_cidr, network(set_masklen(destination_ip, 24))) as dp
    from traffic_flows where observed_at >= $1::timestamptz and observed_at < $2::timestamptz) as f
  group by node_id, at, cluster_id, source_workload_id, destination_workload_id, sp, dp, protocol, port, reply, decision`;

/** Fills the tables of PostgreSQL's engine, and has the totals made from them that its upkeep makes. */
export async function fillPostgres({ sql: pool, stores }: FlowStores, { cluster_id }: Inventory, span: Span) {
  const reserved = await pool.reserve();
  const sql = reserved as unknown as postgres.Sql;
  for (const setting of [
    'statement_timeout = 0',
    'synchronous_commit = off',
    `work_mem = '256MB'`,
    `maintenance_work_mem = '1GB'`,
  ]) {
    await sql.unsafe(`set ${setting}`);
  }
  await withoutIndexes(sql, 'traffic_flows', () =>
    withoutIndexes(sql, 'traffic_conversations', async () => {
      for (let from = 0; from < span.connections; from += CHUNK) {
        const to = Math.min(from + CHUNK, span.connections);
        await sql.unsafe(POSTGRES_FLOWS(cluster_id, selectReports(POSTGRES, span, from, to)));
        await sql.unsafe(POSTGRES_CONVERSATIONS(cluster_id, selectConnections(POSTGRES, span, from, to)));
      }
    }),
  );
  console.error('flows and conversations filled');
  await sql`vacuum analyze traffic_flows`;
  await sql`vacuum analyze traffic_conversations`;
  await withoutIndexes(sql, 'flow_rollup_minutes', async () => {
    for (let at = Math.floor(span.since / HOUR_MS) * HOUR_MS; at < span.until; at += HOUR_MS) {
      await sql.unsafe(POSTGRES_MINUTES, [new Date(at).toISOString(), new Date(at + HOUR_MS).toISOString()]);
    }
  });
  await sql`vacuum analyze flow_rollup_minutes`;
  await sql`reset all`;
  reserved.release();
  await markAll(pool, cluster_id, span);
  while (!(await stores.postgres.upkeep.sum()).done);
  await pool`vacuum analyze`;
  await pool`checkpoint`;
}

/** Has the totals of some time made again. */
export async function markAll(sql: postgres.Sql, cluster_id: string, { since, until }: Omit<Span, 'connections'>) {
  const times = [Math.floor(since / 300_000) * 300_000, until].map((time) => new Date(time).toISOString()) as [
    string,
    string,
  ];
  await sql`insert into traffic_marks (cluster_id, bucket_at)
    select ${cluster_id}, at from generate_series(${times[0]}::timestamptz, ${times[1]}::timestamptz - interval '1 second', interval '5 minutes') as at`;
}

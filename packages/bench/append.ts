/**
 * CPU of storing heartbeats of 1,500 flows, of which a tenth is new each time: the process that stores, PostgreSQL and ClickHouse, per
 * flow, with each engine in the same run. Usage, after
 * `npm install --prefix .ci/chdb`: npx tsx packages/bench/append.ts [heartbeats]
 */
import { readFileSync } from 'node:fs';
import { startBenchDatabase } from './database';
import { postgresCpu, processCpu } from './process-cpu';
import { printTable } from './stats';

const HEARTBEATS = Number(process.argv[2] ?? 40);
const PER_HEARTBEAT = 1_500;
const NODES = 4;
const GUESTS = 200;
const BEAT_MS = 30_000;

const database = await startBenchDatabase();
const { db, sqlClient, closeDb } = await import('@/server/db/client');
const { makeCluster, makeNode, makeWorkload } = await import('@/test/factories');
const { startChdb } = await import('@/test/chdb-server');
const { stableKey } = await import('@/server/lib/ids');
const { postgresFlowStore } = await import('@/server/traffic/storage/postgres/postgres-flow-store');
const { makeClickhouseFlowStore } = await import('@/server/traffic/storage/clickhouse/clickhouse-flow-store');
const { connectTo, closeClickhouse } = await import('@/server/traffic/storage/clickhouse/connection');
const { migrateClickhouse } = await import('@/server/traffic/storage/clickhouse/migrate');
type ValidFlow = import('@/server/traffic/storage/flow-rows').ValidFlow;

const cluster = await makeCluster();
const nodes: Awaited<ReturnType<typeof makeNode>>[] = [];
for (let i = 0; i < NODES; i++) nodes.push(await makeNode(cluster));
const guests: string[] = [];
for (let i = 0; i < GUESTS; i++) {
  guests.push((await makeWorkload(cluster, null, { node_id: nodes[i % NODES]?.id ?? null })).id);
}
const chdb = await startChdb();
const connection = connectTo(chdb.url);
await migrateClickhouse(connection);

const begin = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** A direction of a connection, by its number, as a node reports it at a time. */
function makeReport(number: number, node: number, at: number): ValidFlow {
  const connectionNumber = Math.floor(number / 2);
  const isAnswer = number % 2 === 1;
  const guest = (connectionNumber * 7 + node) % GUESTS;
  const isOutside = connectionNumber % 2 === 0;
  const other = (connectionNumber * 13) % GUESTS;
  const client = {
    ip: `10.0.${Math.floor(guest / 250)}.${(guest % 250) + 1}`,
    port: 33_000 + (connectionNumber % 30_000),
    id: guests[guest] ?? null,
  };
  const server = isOutside
    ? { ip: `203.0.${connectionNumber % 200}.${(connectionNumber % 250) + 1}`, port: 443, id: null }
    : { ip: `10.0.${Math.floor(other / 250)}.${(other % 250) + 1}`, port: 5432, id: guests[other] ?? null };
  const [source, destination] = isAnswer ? [server, client] : [client, server];
  const cidr = (ip: string) => (ip.startsWith('10.') ? '10.0.0.0/16' : null);
  const prefix = (ip: string) => cidr(ip) ?? `${ip.split('.').slice(0, 3).join('.')}.0/24`;
  return {
    record: {
      flow_key: stableKey([source.ip, destination.ip, 'tcp', source.port, destination.port, 'observed']),
      ...{ source_ip: source.ip, destination_ip: destination.ip, protocol: 'tcp', source_port: source.port },
      ...{ destination_port: destination.port, decision: 'observed', state: 'ESTABLISHED', bytes: null, packets: null },
      ...{ reported_bytes: at - begin + number, reported_packets: Math.floor((at - begin) / 1000), collector: 'ebpf' },
      ...{ first_seen_at: iso(begin), observed_at: iso(at), initiator: isAnswer ? 'destination' : 'source' },
      ...{ icmp_type: null, icmp_code: null, interface: `tap${100 + guest}i0`, vmid: 100 + guest, nic: 0, vlan: null },
      ...{ workload_id: guests[guest] ?? null, source_workload_id: source.id, destination_workload_id: destination.id },
      ...{ source_cidr: cidr(source.ip), destination_cidr: cidr(destination.ip), raw: null },
    },
    ...{ delta_bytes: 1_000 + (number % 900), delta_packets: 3, has_begin: true, is_resolvable: false },
    ...{ source_prefix: prefix(source.ip), destination_prefix: prefix(destination.ip) },
  };
}

function makeHistory() {
  return Array.from({ length: HEARTBEATS }, (_, beat) => {
    const node = beat % NODES;
    const round = Math.floor(beat / NODES);
    const at = begin + 60_000 + round * BEAT_MS;
    const first = round * PER_HEARTBEAT * 0.1;
    const flows = Array.from({ length: PER_HEARTBEAT }, (_, i) => makeReport(first + i, node, at));
    flows.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
    return { node: { node_id: nodes[node]?.id ?? '', cluster_id: cluster.id }, at: iso(at), flows };
  });
}

const [checkpointer] = await sqlClient()<
  { pid: number }[]
>`select pid from pg_stat_activity where backend_type = 'checkpointer'`;
const stat = readFileSync(`/proc/${checkpointer?.pid}/stat`, 'latin1');
/** The server's main process is the parent of its others. */
const postmaster = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
const readCpu = () => {
  const { user, system } = process.cpuUsage();
  return [(user + system) / 1e6, postgresCpu(postmaster), processCpu(chdb.pid)];
};

const engines = { PostgreSQL: postgresFlowStore, ClickHouse: makeClickhouseFlowStore(connection, { gap_ms: 250 }) };
const WARM = Math.floor(HEARTBEATS / 4);
const rows: string[][] = [];
for (const [name, store] of Object.entries(engines)) {
  const history = makeHistory();
  let before = readCpu();
  for (const [i, { node, at, flows }] of history.entries()) {
    if (i === WARM) before = readCpu();
    await db.transaction((tx) => store.append(tx, node, flows, at));
    // Nodes report at the same time: what they send is waited for together.
    if (i % NODES === NODES - 1) await Promise.all(nodes.map(({ id }) => store.deliver(id)));
  }
  const flows = (HEARTBEATS - WARM) * PER_HEARTBEAT;
  const used = readCpu().map((now, i) => ((now - (before[i] ?? 0)) * 1e6) / flows);
  const total = used.reduce((sum, one) => sum + one, 0);
  rows.push([name, ...[...used, total].map((one) => one.toFixed(1))]);
}
printTable(['µs of CPU per flow', 'process', 'PostgreSQL', 'ClickHouse', 'together'], rows);
const [parts] = await connection.read<{ rows: number; bytes: number }>({
  pieces: [
    `select sum(rows) as rows, sum(data_compressed_bytes) as bytes from system.parts where active and table = 'flows'`,
  ],
});
console.log(
  `flows in ClickHouse: ${parts?.rows} rows, ${((parts?.bytes ?? 0) / (parts?.rows || 1)).toFixed(1)} bytes each, as far as they are merged`,
);
await closeClickhouse();
await chdb.stop();
await closeDb();
await database.stop();

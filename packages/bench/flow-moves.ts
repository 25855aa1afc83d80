/**
 * How long heartbeats wait while stored flows move to the other store and back: usually, and those that meet the switch. Usage, after
 * `npm install --prefix .ci/chdb`: npx tsx packages/bench/flow-moves.ts [conversations that may continue] [moves]
 */
import postgres from 'postgres';
import { startFlowStores } from './flow-stores-environment';
import { printTable } from './stats';

const CONVERSATIONS = Number(process.argv[2] ?? 100_000);
const MOVES = Number(process.argv[3] ?? 4);
const NODES = 4;
const PER_HEARTBEAT = 500;
const FILL_FLOWS = 5_000;
/** A node sends a heartbeat this long after the one before. */
const PAUSE_MS = 500;
const NET = '10.0.0.0/8';

const { sql, connection, stores, stop } = await startFlowStores();
const { db } = await import('@/server/db/client');
const { env } = await import('@/server/lib/env');
const { stableKey } = await import('@/server/lib/ids');
const { makeCluster, makeNode } = await import('@/test/factories');
const { whileFlowsMove } = await import('@/server/traffic/storage/move/during-move');
const { moveToClickhouse } = await import('@/server/traffic/storage/move/move-to-clickhouse');
const { moveToPostgres } = await import('@/server/traffic/storage/move/move-to-postgres');
type ValidFlow = import('@/server/traffic/storage/flow-rows').ValidFlow;

const cluster = await makeCluster();
const nodes = await Promise.all(Array.from({ length: NODES }, () => makeNode(cluster)));
const began = Date.now() - 60_000;
let bytes = 0;

/** A direction of a connection, by its number. */
function makeReport(number: number): ValidFlow {
  const [of, isAnswer] = [number >> 1, number % 2 === 1];
  const client = { ip: `10.${of >> 16}.${(of >> 8) & 255}.${of & 255}`, port: 40_000 };
  const server = { ip: '10.255.0.1', port: 443 };
  const [source, destination] = isAnswer ? [server, client] : [client, server];
  bytes += 1;
  return {
    record: {
      flow_key: stableKey([source.ip, destination.ip, 'tcp', source.port, destination.port, 'observed']),
      ...{ source_ip: source.ip, destination_ip: destination.ip, protocol: 'tcp', decision: 'observed', raw: null },
      ...{
        source_port: source.port,
        destination_port: destination.port,
        state: 'ESTABLISHED',
        bytes: null,
        packets: null,
      },
      ...{ reported_bytes: bytes, reported_packets: bytes, first_seen_at: new Date(began).toISOString() },
      ...{ observed_at: new Date().toISOString(), collector: 'ebpf', initiator: isAnswer ? 'destination' : 'source' },
      ...{ icmp_type: null, icmp_code: null, vlan: null, interface: null, vmid: null, nic: null, workload_id: null },
      ...{ source_workload_id: null, destination_workload_id: null, source_cidr: NET, destination_cidr: NET },
    },
    ...{
      delta_bytes: 1,
      delta_packets: 1,
      has_begin: true,
      source_prefix: NET,
      destination_prefix: NET,
      is_resolvable: false,
    },
  };
}

const engines = {
  postgres: whileFlowsMove(stores.postgres, 'postgres'),
  clickhouse: whileFlowsMove(stores.clickhouse, 'clickhouse'),
};
let storedIn: keyof typeof engines = 'postgres';

async function store(node: number, from: number, count: number): Promise<void> {
  const flows = Array.from({ length: count }, (_, i) => makeReport(from + i));
  flows.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
  const { id: node_id } = nodes[node] as { id: string };
  for (let engine = storedIn; ; engine = engine === 'postgres' ? 'clickhouse' : 'postgres') {
    const at = engines[engine];
    try {
      await db.transaction((tx) => at.append(tx, { node_id, cluster_id: cluster.id }, flows, new Date().toISOString()));
      await at.deliver(node_id);
      storedIn = engine;
      return;
    } catch (error) {
      // The process that stores elsewhere is restarted in no time.
      if (!String(error).includes('Flows are stored in another store')) throw error;
    }
  }
}

for (let from = 0; from < CONVERSATIONS * 2; from += FILL_FLOWS)
  await store((from / FILL_FLOWS) % NODES, from, FILL_FLOWS);
console.log(`${CONVERSATIONS} conversations stored`);

let waits: number[] = [];
let isOver = false;
/** The flows that a node has reported first. */
const fills = (node: number) =>
  Array.from({ length: (CONVERSATIONS * 2) / FILL_FLOWS }, (_, k) => k).filter((k) => k % NODES === node);
const writers = nodes.map(async (_, node) => {
  const parts = fills(node);
  for (let round = 0; !isOver; round++) {
    const started = performance.now();
    const part = parts[round % parts.length] ?? 0;
    await store(node, part * FILL_FLOWS + (round % (FILL_FLOWS / PER_HEARTBEAT)) * PER_HEARTBEAT, PER_HEARTBEAT);
    waits.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
});

const seconds = (ms: number) => (ms / 1000).toFixed(2);
const summarize = (of: number[]) => {
  const sorted = [...of].sort((a, b) => a - b);
  return `${seconds(sorted[sorted.length >> 1] ?? 0)}, ${seconds(sorted.at(-1) ?? 0)}`;
};
const takeWaits = () => {
  const taken = waits;
  waits = [];
  return summarize(taken);
};
const client = postgres(env().DATABASE_URL ?? '', { max: 3, onnotice: () => {} });
const rows: string[][] = [];
for (let i = 0; i < MOVES; i++) {
  const to = storedIn === 'postgres' ? 'clickhouse' : 'postgres';
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const usually = takeWaits();
  const started = performance.now();
  let [switched, atSwitch, copied] = [0, '', 0];
  await (to === 'clickhouse' ? moveToClickhouse : moveToPostgres)(
    { client, connection, store_id: crypto.randomUUID() },
    {
      keep: false,
      fillEnds: async () => {},
      onPage: (count) => {
        copied += count;
      },
      onSwitch: () => {
        switched = performance.now() - started;
        // Those that waited have ended a moment later.
        setTimeout(() => {
          atSwitch = takeWaits();
        }, 1_500);
      },
    },
  );
  const total = performance.now() - started;
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  rows.push([
    `to ${to}`,
    usually,
    atSwitch,
    takeWaits(),
    seconds(switched),
    String(Math.round(copied / ((total - switched) / 1000))),
  ]);
  console.log(rows.at(-1)?.join(' | '));
}
isOver = true;
await Promise.all(writers);
printTable(
  [
    'move',
    'heartbeats before (median, longest, s)',
    'until the switch',
    'while history moves',
    'switched after (s)',
    'rows/s',
  ],
  rows,
);
const [left] = await sql`select count(*)::int as moves from flow_moves where finished_at is null`;
if (left?.moves !== 0) throw new Error('expected all moves to be finished');
await client.end();
await stop();

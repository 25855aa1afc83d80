import { PgDialect } from 'drizzle-orm/pg-core';
import type { Condition } from '@/domain/filter-language/condition';
import type { ConversationListInput } from '@/domain/flow/conversation';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { Tx } from '@/server/db/client';
import type { ValidFlow } from '@/server/traffic/storage/flow-rows';
import type { ConversationSelection } from '@/server/traffic/storage/flow-selection';
import { startBenchDatabase } from './database';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * What the table of conversations costs:
 *   npx tsx packages/bench/conversations.ts [flows] [rounds]
 * 5,000 workloads on 20 nodes; as many conversations over the last day as two flows each make of the given number (1,000,000). Only
 * conversations are stored for the lists: they read no flow. Every question is asked for the newest hour, an hour of the past and
 * the whole day, first page and total. Bars: p95 of an hour at most 150 ms, of the day at most 300 ms.
 * Then heartbeats of 1,500 flows (nine of ten known) are stored: what the statements about conversations add to it, per flow.
 */
const [flows = 1_000_000, rounds = 5] = process.argv.slice(2).map(Number);
const NODES = 20;
const GUESTS = 250;
const HOUR = 3_600_000;
const CHUNK = 100_000;
const HEARTBEATS = 40;
const PER_HEARTBEAT = 1_500;

const database = await startBenchDatabase();
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { flowStore } = await import('@/server/traffic/storage/flow-store');
const { stableKey } = await import('@/server/lib/ids');
const { makeAgent, makeCluster, makeNode } = await import('@/test/factories');
const sql = sqlClient();

const cluster = await makeCluster();
const nodes: { id: string }[] = [];
for (let i = 0; i < NODES; i++) nodes.push(await makeNode(cluster));
for (const node of nodes) await makeAgent(node);
await sql`create table bench_guests (number int primary key, id uuid, node_id uuid)`;
await sql`create table bench_nodes (number int primary key, id uuid)`;
for (const [i, { id }] of nodes.entries()) await sql`insert into bench_nodes values (${i}, ${id})`;
await sql`with made as (
    insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name)
    select gen_random_uuid(), ${cluster.id}, n.id, 100 + g, 'qemu', 'qemu/' || 100 + g, 'guest ' || g
    from generate_series(0, ${NODES * GUESTS - 1}::int) as g join bench_nodes as n on n.number = g / ${GUESTS} returning id, vmid, node_id)
  insert into bench_guests select vmid - 100, id, node_id from made`;
const guests = (await sql<{ id: string }[]>`select id from bench_guests order by number`).map(({ id }) => id);

/** Sizes are as those of real connections: most are small, few are very large (Pareto). Most are short; one in a hundred is denied, one in fifty lasts for hours. Half of the ports are rare. */
const total = Math.floor(flows / 2);
const now = new Date();
for (let from = 0; from < total; from += CHUNK) {
  await sql.unsafe(`
    insert into traffic_conversations (id, conversation_key, ordinal, cluster_id, client_ip, server_ip, protocol, client_port, server_port,
      service_port, is_client_known, client_workload_id, server_workload_id, client_cidr, server_cidr, bytes, packets, client_bytes,
      client_packets, server_bytes, server_packets, action, decision, is_closed, node_ids, first_seen_at, last_seen_at, created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), 0, '${cluster.id}', ('10.' || c.number / 250 || '.0.' || c.number % 250)::inet,
      ('10.' || s.number / 250 || '.0.' || s.number % 250)::inet, 'tcp', 32768 + i % 20000, r.port, r.port, true, c.id,
      case when i % 3 > 0 then s.id end, '10.0.0.0/8', case when i % 3 > 0 then '10.0.0.0/8'::cidr end, r.bytes, r.bytes / 500 + 1,
      r.bytes / 10, 1, r.bytes - r.bytes / 10, 1, case when i % 100 = 0 then 'dropped' when i % 7 = 0 then 'unknown' else 'allowed' end,
      case when i % 100 = 0 then 'drop' else 'observed' end, i % 2 = 0, array[c.node_id], r.seen - r.lasted, r.seen, r.seen, r.seen
    from generate_series(${from}, ${Math.min(from + CHUNK, total) - 1}) as i
    cross join lateral (select '${now.toISOString()}'::timestamptz - make_interval(secs => 86400.0 * (${total} - i) / ${total}) as seen,
      least(300 * power(1 - random(), -1.4), 1e12)::bigint as bytes, case when i % 50 = 0 then random() * interval '6 hours' else random() * interval '1 minute' end as lasted,
      case when i % 2 = 0 then (array[443, 80, 53, 5432])[1 + i / 2 % 4] else 1024 + (i::bigint * 7919 % 30000)::int end as port) as r
    join bench_guests as c on c.number = (i::bigint * 104729 % ${guests.length})
    join bench_guests as s on s.number = (i::bigint * 15485863 % ${guests.length})`);
}
await sql`vacuum analyze traffic_conversations`;
const [size] =
  await sql`select pg_size_pretty(pg_table_size('traffic_conversations')) as rows, pg_size_pretty(pg_indexes_size('traffic_conversations')) as indexes`;
console.log(`${total} conversations of ${flows} flows: ${size?.rows}, indexes ${size?.indexes}`);

const group = guests.slice(0, 50);
const is = (field: string, operator: '=' | '>', value: string): Condition => ({
  kind: 'compare',
  field,
  operator,
  values: [value],
});
type Question = {
  name: string;
  filter?: (at: number) => FlowFilter;
  actions?: ConversationSelection['actions'];
  condition?: Condition;
};
const pick = (at: number) => guests[(at * 997) % guests.length] as string;
const questions: Question[] = [
  { name: 'all' },
  { name: 'client workload', filter: (at) => ({ source_workload_id: pick(at) }) },
  { name: 'server workload', filter: (at) => ({ destination_workload_id: pick(at) }) },
  { name: 'workload at either end', filter: (at) => ({ workload_id: pick(at) }) },
  { name: 'client in a group of 50', condition: is('client', '=', 'group:web') },
  { name: 'common service', condition: is('service', '=', 'tcp/5432') },
  { name: 'rare service', filter: (at) => ({ port: [{ first: 1_025 + at * 2, last: 1_025 + at * 2 }] }) },
  { name: 'dropped', actions: ['dropped'] },
  { name: 'bytes > 1 GB', condition: is('bytes', '>', '1000000000') },
  {
    name: 'group, service, dropped',
    condition: {
      kind: 'and',
      of: [is('client', '=', 'group:web'), is('service', '=', 'tcp/443'), is('action', '=', 'dropped')],
    },
  },
];
const iso = (time: number) => new Date(time).toISOString();
const ranges = [
  { name: 'hour', most: 150, since: now.getTime() - HOUR, until: null },
  { name: 'past hour', most: 150, since: now.getTime() - 14 * HOUR, until: now.getTime() - 13 * HOUR },
  { name: 'day', most: 300, since: now.getTime() - 24 * HOUR, until: null },
] as const;
const sorts: ConversationListInput['sort'][] = ['-last_seen_at', '-bytes'];

const measured: { range: string; name: string; sort: string; took: number[] }[] = [];
for (const range of ranges) {
  for (const { name, filter, actions, condition } of questions) {
    for (const sort of sorts) {
      const took: number[] = [];
      for (let at = 0; at < rounds; at++) {
        const selection: ConversationSelection = {
          ...{ visible: 'all', prefixes: 'all', periods: [], named: [], actions, condition, now: now.toISOString() },
          ...{
            cutoff: iso(now.getTime() - 24 * HOUR),
            since: iso(range.since),
            until: range.until === null ? null : iso(range.until),
          },
          filter: filter?.(at) ?? {},
          resolved: new Map([['group:web', { workload_ids: group, cidrs: [] }]]),
        };
        const started = performance.now();
        await flowStore().conversations.list(selection, { limit: 100, sort });
        took.push(performance.now() - started);
      }
      measured.push({ range: range.name, name, sort: sort ?? '', took });
    }
  }
}
printTable(
  ['question', 'sort', ...ranges.map(({ name }) => `${name}: median, max`)],
  questions.flatMap(({ name }) =>
    sorts.map((sort) => [
      name,
      String(sort),
      ...ranges.map((range) => {
        const found = measured.find((one) => one.range === range.name && one.name === name && one.sort === sort);
        const { median, max } = summary(found?.took ?? []);
        return `${ms(median)}, ${ms(max)}`;
      }),
    ]),
  ),
);
for (const { name, most } of ranges) {
  const { p95 } = summary(measured.filter(({ range }) => range === name).flatMap(({ took }) => took));
  expectBar(`${name}: p95 ${ms(p95)}, at most ${most} ms`, p95 <= most);
}

/** Both directions of a connection between workloads of two nodes, as the node of the first one saw them. */
function makeReport(i: number, at: string): ValidFlow {
  const isReply = i % 2 === 1;
  const connection = Math.floor(i / 2);
  const [client, server] = [
    `10.0.0.${connection % 250}`,
    `10.1.${Math.floor(connection / 250) % 250}.${connection % 250}`,
  ];
  const ends = isReply
    ? { source_ip: server, destination_ip: client, source_port: 443, destination_port: 40_000 + (connection % 9_000) }
    : { source_ip: client, destination_ip: server, source_port: 40_000 + (connection % 9_000), destination_port: 443 };
  const [from, to] = [guests[connection % 250] as string, guests[250 + (connection % 250)] as string];
  return {
    record: {
      ...ends,
      ...{
        flow_key: stableKey([
          ends.source_ip,
          ends.destination_ip,
          'tcp',
          ends.source_port,
          ends.destination_port,
          'observed',
        ]),
        protocol: 'tcp',
      },
      ...{
        decision: 'observed',
        state: 'ESTABLISHED',
        bytes: null,
        packets: null,
        reported_bytes: 5_000,
        reported_packets: 50,
      },
      ...{
        first_seen_at: now.toISOString(),
        observed_at: at,
        collector: 'ebpf',
        initiator: isReply ? 'destination' : 'source',
      },
      ...{ icmp_type: null, icmp_code: null, interface: 'tap100i0', vmid: 100, nic: 0, vlan: null, workload_id: from },
      ...{ source_workload_id: isReply ? to : from, destination_workload_id: isReply ? from : to },
      ...{
        source_cidr: '10.0.0.0/8',
        destination_cidr: '10.0.0.0/8',
        raw: JSON.stringify({ excerpt: 'x'.repeat(300) }),
      },
    },
    ...{
      delta_bytes: 1_000,
      delta_packets: 10,
      has_begin: true,
      source_prefix: '10.0.0.0/8',
      destination_prefix: '10.0.0.0/8',
      is_resolvable: false,
    },
  };
}

const dialect = new PgDialect();
let ofConversations = 0;
/** Sums up the time of statements about conversations. */
const watch = (tx: Tx): Tx =>
  new Proxy(tx, {
    get(target, name) {
      if (name !== 'execute') return Reflect.get(target, name);
      return async (query: Parameters<Tx['execute']>[0]) => {
        const isMeant =
          typeof query !== 'string' && dialect.sqlToQuery(query.getSQL()).sql.includes('traffic_conversations');
        const started = performance.now();
        const rows = await target.execute(query);
        if (isMeant) ofConversations += performance.now() - started;
        return rows;
      };
    },
  });
const node = { node_id: nodes[0]?.id ?? '', cluster_id: cluster.id };
const shares: number[] = [];
const others: number[] = [];
for (let beat = 0; beat < HEARTBEATS; beat++) {
  const at = iso(now.getTime() + (beat + 1) * 30_000);
  const first = beat * PER_HEARTBEAT * 0.1;
  const reports = Array.from({ length: PER_HEARTBEAT }, (_, i) => makeReport(first + i, at));
  reports.sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
  ofConversations = 0;
  const started = performance.now();
  await db.transaction((tx) => flowStore().append(watch(tx), node, reports, at));
  if (beat < HEARTBEATS / 4) continue;
  shares.push(ofConversations);
  others.push(performance.now() - started - ofConversations);
}
const [own, rest] = [summary(shares).median, summary(others).median];
const perFlow = (time: number) => `${((time * 1000) / PER_HEARTBEAT).toFixed(1)} us`;
console.log(
  `a heartbeat of ${PER_HEARTBEAT} flows: ${ms(own + rest)}, of which conversations ${ms(own)}: ${perFlow(own)} per flow beside ${perFlow(rest)}, x ${((own + rest) / rest).toFixed(2)}`,
);
await closeDb();
await database.stop();

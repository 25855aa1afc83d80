import type { LiveRule } from '@/domain/firewall/live-state';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { startBenchDatabase } from './database';
import { expectBar, ms, printTable } from './stats';

/*
 * What counting rule hits costs:
 *   npx tsx packages/bench/coverage.ts [new flows] [rules per guest] [flows stored before]
 * 20 nodes with 50 guests each. Bars: a second of processor time evaluates 20,000 new flows or more; a run without
 * anything new takes at most 100 ms of it; with a thousandth of the flows new, a run takes at most a third of what it
 * takes when the age of the new ones is unknown.
 */
const [fresh = 100_000, ruleCount = 100, before = 1_000_000] = process.argv.slice(2).map(Number);
const NODES = 20;
const GUESTS = 50;

const database = await startBenchDatabase();
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { clock } = await import('@/server/lib/clock');
const { newId } = await import('@/server/lib/ids');
const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/enforcement/queries/firewall-snapshots');
const { countCoverage } = await import('@/server/enforcement/coverage/count-coverage');
const { hashSnapshot: hashOf } = await import('@/server/enforcement/guest-firewall/live-reader');
const { formatMarker } = await import('@/domain/policy/marker');
const { makeAgent, makeCluster, makeNode } = await import('@/test/factories');
const sql = sqlClient();

const realNow = clock.now;
let ahead = 0;
clock.now = () => new Date(realNow().getTime() + ahead);

const instance = newId();
const policy_id = newId();
await sql`insert into system_settings (key, value) values ('instance', ${JSON.stringify({ id: instance })}::text::jsonb)
  on conflict (key) do update set value = excluded.value`;
const cluster = await makeCluster();
await sql`create table bench_guests (node int, guest int, node_id uuid, id uuid, vmid int)`;
for (let number = 0; number < NODES; number++) {
  const node = await makeNode(cluster);
  await makeAgent(node);
  await sql`with made as (
      insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name, status)
      select gen_random_uuid(), ${cluster.id}, ${node.id}, ${100 + number * GUESTS} + g, 'qemu',
        'qemu/' || ${100 + number * GUESTS} + g, 'guest ' || g, 'running' from generate_series(0, ${GUESTS - 1}::int) g
      returning id, vmid)
    insert into bench_guests select ${number}, vmid - ${100 + number * GUESTS}, ${node.id}, id, vmid from made`;
}
await sql`update node_agents set status = 'ok', last_heartbeat_at = now()`;

/** Rules for one port each, half of them managed; the last few thousand ports match no rule. */
const buildRules = (vmid: number): LiveRule[] =>
  Array.from({ length: ruleCount }, (_, pos) => ({
    pos,
    type: 'in',
    action: 'ACCEPT',
    enable: 1,
    proto: 'tcp',
    source: `10.${pos % 200}.0.0/16,203.0.113.0/24`,
    dport: String(1000 + pos),
    ...(pos % 2 === 0 && {
      comment: formatMarker({
        instance,
        policy_id,
        version: 1,
        rule_hash: pos.toString(16).padStart(16, '0'),
        vmid,
      }),
    }),
  }));
const guests = await sql<{ id: string; vmid: number }[]>`select id, vmid from bench_guests`;
const read_at = new Date().toISOString();
await storeClusterSnapshot(db, {
  cluster_id: cluster.id,
  read_at,
  state_hash: 'bench',
  state: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
});
await storeGuestSnapshots(
  db,
  guests.map(({ id, vmid }) => {
    const state: GuestSnapshot = {
      presence: 'present',
      options: { enable: 1, policy_in: 'DROP' },
      rules: buildRules(vmid),
      ipsets: {},
      aliases: {},
      nics: [{ name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' }],
      pending_nics: [],
      unreadable: [],
    };
    return { workload_id: id, read_at, state, state_hash: hashOf(state) };
  }),
);

let serial = 0;
/** Flows that were stored and seen at a time, evenly over nodes and guests. */
async function store(count: number, at: string): Promise<void> {
  for (let from = 0; from < count; from += 50_000) {
    await sql`
      insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port,
        destination_port, decision, bytes, packets, first_seen_at, observed_at, collector, initiator, vmid, nic, workload_id,
        destination_workload_id, raw, created_at, updated_at)
      select b.node_id, md5('bench ' || i)::uuid, ${cluster.id},
        ('203.0.113.0'::inet + (i % 250)), ('10.200.0.0'::inet + (i % ${NODES * GUESTS})), 'tcp', 1024 + i % 60000,
        1000 + (i / 7) % ${Math.floor(ruleCount * 1.2)}, 'observed', 1000, 10, ${at}, ${at}, 'ebpf', 'source', b.vmid, 0, b.id, b.id,
        '{"excerpt": "tap100i0-IN policy ACCEPT: IN=fwbr100i0 OUT=fwbr100i0"}', ${at}, ${at}
      from generate_series(${serial + from}::int, ${serial + Math.min(count, from + 50_000) - 1}::int) as i
      join bench_guests as b on b.node = i % ${NODES} and b.guest = (i / ${NODES}) % ${GUESTS}`;
  }
  serial += count;
  // As the autovacuum would: the index on the time knows the new pages.
  await sql`vacuum analyze traffic_flows`;
}

/** A heartbeat of every node that brought flows as old as this; null: it does not say. */
const insertHeartbeats = (oldest: string | null) => sql`
  insert into agent_heartbeats (node_id, boot_id, sequence, received_at, accepted, updated, rejected_count, rejected, oldest_observed_at)
  select distinct on (node_id) node_id, gen_random_uuid(), 1, ${clock.now().toISOString()}::timestamptz, 1, 0, 0, '[]'::jsonb,
    ${oldest}::timestamptz from bench_guests`;

/** One run. Processor time is this process's: it includes the evaluation, not the store's reads. */
async function measureRun() {
  ahead += 31_000;
  const started = performance.now();
  const cpu = process.cpuUsage();
  const evaluated = await countCoverage();
  const took = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return { evaluated, took, cpu: (user + system) / 1000 };
}

try {
  await store(before, new Date(clock.now().getTime() - 7_200_000).toISOString());
  const first = await measureRun();
  await measureRun();
  const idle = await measureRun();
  const now = clock.now().toISOString();
  await store(fresh, now);
  await insertHeartbeats(now);
  const evaluation = await measureRun();
  const again = clock.now().toISOString();
  await store(fresh, again);
  await insertHeartbeats(again);
  const warm = await measureRun();
  const few = Math.ceil(before / 1000);
  // From here on the mark of every node is old enough for all flows to be younger than the first look.
  await sql`update coverage_marks set since = now() - interval '1 day'`;
  const later = clock.now().toISOString();
  await store(few, later);
  await insertHeartbeats(later);
  const bounded = await measureRun();
  const last = clock.now().toISOString();
  await store(few, last);
  await insertHeartbeats(null);
  const unbounded = await measureRun();
  printTable(
    ['run', 'flows judged', 'took', 'processor time', 'flows per s of it'],
    (
      [
        ['first, nothing new', first],
        ['nothing new', idle],
        [`${fresh} new, ${ruleCount} rules at each guest`, evaluation],
        [`${fresh} more`, warm],
        [`${few} new among ${before + 2 * fresh}`, bounded],
        ['the same, age not known', unbounded],
      ] as const
    ).map(([name, { evaluated, took, cpu }]) => [
      name,
      String(evaluated),
      ms(took),
      ms(cpu),
      evaluated ? ((evaluated / cpu) * 1000).toFixed(0) : '',
    ]),
  );
  const [hits] = await sql`select sum(hits)::int as hits, count(*)::int as rows from rule_hits`;
  console.log(`${hits?.hits} hits in ${hits?.rows} rows`);
  expectBar(
    'every new flow was judged once',
    evaluation.evaluated === fresh &&
      warm.evaluated === fresh &&
      bounded.evaluated === few &&
      unbounded.evaluated === few,
  );
  expectBar('20,000 flows in a second of processor time', warm.evaluated / warm.cpu >= 20);
  expectBar('nothing new: at most 100 ms of processor time', idle.cpu <= 100);
  expectBar('a bound saves two thirds', bounded.took <= unbounded.took / 3);
} finally {
  await closeDb();
  await database.stop();
}

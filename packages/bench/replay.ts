import { setTimeout as delay } from 'node:timers/promises';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { startBenchDatabase } from './database';
import { expectBar, ms } from './stats';

/*
 * Impact of a change that touches all guests, with the traffic of a day:
 *   npx tsx packages/bench/replay.ts [flows] [workloads] [rules per workload]
 * Half of the flows are between two of the workloads, in both directions; the others have an end outside. Rules differ from guest to
 * guest; half of the nodes filter with iptables, the others with nftables.
 * Bars: the replay takes at most 10 s, the process needs at most 300 MB more than when idle, the first conversations are stored
 * within 1 s after the job has begun.
 */
const [flowCount = 1_000_000, workloadCount = 300, ruleCount = 500] = process.argv.slice(2).map(Number);
const NODES = 10;

const database = await startBenchDatabase();
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/enforcement/queries/firewall-snapshots');
const { hashSnapshot: hashOf } = await import('@/server/enforcement/guest-firewall/live-reader');
const { systemScope } = await import('@/server/auth/scope');
const { requestDraftImpact } = await import('@/server/enforcement/impact/request-impact');
const { runImpact } = await import('@/server/enforcement/impact/run-impact');
const { readImpact } = await import('@/server/enforcement/impact/read-impact');
const { makeAgent, makeCluster, makeNode } = await import('@/test/factories');
const { DraftImpactInput } = await import('@/domain/impact/impact');
const { limitHeapGrowth: keepHeapSmall } = await import('@/runtime/child-process');
const sql = sqlClient();
// As the worker does, which computes impacts.
keepHeapSmall();

const cluster = await makeCluster();
await sql`create table bench_guests (number int primary key, node_id uuid, id uuid)`;
for (let node = 0; node < NODES; node++) {
  const made = await makeNode(cluster);
  await makeAgent(made);
  await sql`with made as (
      insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name, status, tags)
      select gen_random_uuid(), ${cluster.id}, ${made.id}, 100 + g, 'qemu', 'qemu/' || 100 + g, 'guest ' || g, 'running', array['bench']
      from generate_series(${node}::int, ${workloadCount - 1}::int, ${NODES}) g returning id, vmid)
    insert into bench_guests select vmid - 100, ${made.id}, id from made`;
}

/** Rules for one port each, which not all flows use. */
const buildRules = (guest: number): LiveRule[] =>
  Array.from({ length: ruleCount }, (_, pos) => ({
    pos,
    type: pos % 5 === 4 ? 'out' : 'in',
    action: pos % 7 === 6 ? 'DROP' : 'ACCEPT',
    enable: 1,
    proto: 'tcp',
    source: pos % 3 ? '10.0.0.0/8,203.0.0.0/16' : `10.${(guest + pos) % 100}.0.0/16`,
    dport: String(1_000 + ((guest * 7 + pos) % (2 * ruleCount))),
  }));
const read_at = new Date().toISOString();
const node = (nftables: number) => ({ options: { nftables }, networks: ['10.0.0.0/8'], rules: [] });
const nodes = Object.fromEntries(
  (await sql<{ name: string }[]>`select name from nodes`).map(({ name }, at) => [name, node(at % 2)]),
);
const state = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, nodes, unreadable: [] };
await storeClusterSnapshot(db, { cluster_id: cluster.id, read_at, state_hash: 'bench', state });
const guests = await sql<{ id: string }[]>`select id from bench_guests`;
await storeGuestSnapshots(
  db,
  guests.map(({ id }, at) => {
    const guest: GuestSnapshot = {
      presence: 'present',
      options: { enable: 1, policy_in: 'DROP' },
      rules: buildRules(at),
      ...{ ipsets: {}, aliases: {}, pending_nics: [], unreadable: [] },
      nics: [{ name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' }],
    };
    return { workload_id: id, read_at, state: guest, state_hash: hashOf(guest) };
  }),
);

// Each conversation has about ten connections, and each connection two directions; every second one has both ends here.
const STEP = 50_000;
for (let from = 0; from < flowCount; from += STEP) {
  await sql.unsafe(`
  insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port, destination_port,
    decision, bytes, packets, first_seen_at, observed_at, collector, initiator, workload_id, nic, source_workload_id,
    destination_workload_id, source_cidr, destination_cidr, created_at, updated_at)
  select case when reply then coalesce(s.node_id, d.node_id) else d.node_id end, gen_random_uuid(), '${cluster.id}',
    case when reply then server else client end, case when reply then client else server end, 'tcp',
    case when reply then port else caller end, case when reply then caller else port end, 'observed', 1000 + i % 5000, 10,
    now() - interval '20 minutes', now() - interval '15 minutes', 'ebpf', case when reply then 'destination' else 'source' end,
    d.id, 0, case when reply then d.id else s.id end, case when reply then s.id else d.id end,
    case when reply or s.id is not null then '10.0.0.0/8'::cidr end, case when not reply or s.id is not null then '10.0.0.0/8'::cidr end,
    now(), now()
  from (select i, i % 2 = 1 as reply, 32768 + (i * 7) % 28000 as caller, 1000 + (i / 20 * 7) % ${2 * ruleCount} as port,
      (i / 20 * 13) % ${workloadCount} as at, case when i / 20 % 2 = 0 then (i / 20 * 29 + i / 20 / 601) % ${workloadCount} end as peer
    from generate_series(${from}, ${Math.min(flowCount, from + STEP) - 1}) as i) as f
  join bench_guests as d on d.number = f.at
  left join bench_guests as s on s.number = f.peer
  cross join lateral (select ('10.' || d.number % 100 || '.0.0')::inet + d.number as server,
    case when s.id is null then '203.0.0.0'::inet + (i / 20 * 37) % 60000 else ('10.' || s.number % 100 || '.0.0')::inet + s.number end
      as client) as a`);
}
await sql`vacuum analyze traffic_flows`;
await sql`analyze`;

try {
  const input = DraftImpactInput.parse({
    policy: {
      name: 'bench',
      definition: { enforcement_mode: 'enforced', sources: ['203.0.0.0/18'], targets: ['tag:bench'] },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['1000-1100'] }],
    },
  });
  const reader = { policies: 'all', tests: 'all', flows: 'all' } as const;
  const scope = systemScope('policy:read', 'bench');
  const { id } = await requestDraftImpact(scope, reader, input, { wait: false });
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let peak = idle;
  let first: number | null = null;
  let replayed: number | null = null;
  const began = performance.now();
  let over = false;
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, process.memoryUsage.rss());
      const [row] = await sql<{ found: number; progress: number }[]>`
        select progress, (select count(*)::int from impact_conversations where impact_id = ${id}) as found from impacts where id = ${id}`;
      if (first === null && row && row.found > 0) first = performance.now() - began;
      if (replayed === null && row && row.progress > 0.7) replayed = performance.now() - began;
      await delay(20);
    }
  })();
  const cpu = process.cpuUsage();
  await runImpact(id, { signal: new AbortController().signal });
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  over = true;
  await watching;
  const impact = await readImpact(reader, id);
  console.log(`${flowCount} flows, ${workloadCount} workloads, ${ruleCount} rules each`);
  console.log(
    `first conversations after ${first === null ? 'never' : ms(first)}, replayed after ${replayed === null ? '?' : ms(replayed)}`,
  );
  console.log(`impact with differences ${ms(took)}, ${ms((user + system) / 1_000)} of this process's processor time`);
  console.log(`memory: ${((peak - idle) / 1e6).toFixed(0)} MB over idle`);
  console.log(
    JSON.stringify({
      status: impact.status,
      error: impact.error,
      totals: impact.totals,
      workloads: impact.workloads_total,
    }),
  );
  expectBar('the replay within 10 s', replayed !== null && replayed <= 10_000);
  expectBar('first conversations within 1 s', first !== null && first <= 1_000);
  expectBar('300 MB over idle', peak - idle <= 300e6);
} finally {
  await closeDb();
  await database.stop();
}

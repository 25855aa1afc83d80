import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { startBenchDatabase } from './database';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long the list of policies with their status takes, and the preview of one policy:
 *   npx tsx bench/policies.ts [policies] [guests] [guests of the previewed policy] [latency ms]
 * Bars: 200 policies × 1,000 guests: a page of 100 with status at most 150 ms (p95) when nothing changed, and at most 3 s of
 * processor time after everything changed; no drift reported; no call to the cluster; the same number of queries. Preview of a
 * policy with 300 guests: at most 1 s besides reading the guests. The floor of the list is the page without its status.
 */
const [policyCount = 200, guestCount = 1000, previewed = 300, latency = 20] = process.argv.slice(2).map(Number);
const CALLS = 30;

async function startSimulatorProcess() {
  const script = fileURLToPath(new URL('./simulator.ts', import.meta.url));
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    ['--import', 'tsx', script, '8', String(guestCount), String(latency)],
    { stdio: ['pipe', 'pipe', 'inherit'] as never },
  );
  // Whatever ends the bench ends the cluster.
  process.on('exit', () => child.kill('SIGTERM'));
  const lines = createInterface({ input: child.stdout });
  const nextLine = () => new Promise<string>((resolve) => lines.once('line', resolve));
  const access: { url: string; fingerprint: string; token: string } = JSON.parse(await nextLine());
  return {
    ...access,
    async calls() {
      const line = nextLine();
      child.stdin.write('\n');
      return Object.values<number>(JSON.parse(await line)).reduce((sum, count) => sum + count, 0);
    },
    stop: () => void child.kill('SIGTERM'),
  };
}

const database = await startBenchDatabase();
const simulator = await startSimulatorProcess();
const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { clock } = await import('@/server/lib/clock');
const { newId } = await import('@/server/lib/ids');
const { createCluster } = await import('@/server/services/clusters/create-cluster');
const { requestSyncIn } = await import('@/server/services/clusters/request-sync');
const { runClusterSync } = await import('@/server/services/clusters/run-sync');
const { hashOf, readLive } = await import('@/server/services/firewall/live-reader');
const { compileWorld, loadPolicyWorld } = await import('@/server/services/policies/world/load-policy-world');
const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/repositories/firewall-snapshots');
const { listPolicies: listRows } = await import('@/server/repositories/policies');
const { PolicyListInput } = await import('@/domain/policies');
const { bearer, makeUser } = await import('@/test/factories');
const { countQueries } = await import('@/test/count-queries');
const { call } = await import('@/test/request');

const scope = systemScope('cluster:write', 'bench');
const cluster = await createCluster(scope, {
  name: 'bench',
  api_url: simulator.url,
  api_token: simulator.token,
  tls_fingerprint: simulator.fingerprint,
  rule_placement: 'above',
});
await db.transaction((tx) => requestSyncIn(tx, scope, cluster.id, 'manual'));
await runClusterSync(cluster.id, { signal: new AbortController().signal });

// A hundred groups of forty guests; every guest has an address; policies between groups, three rules each.
const sql = sqlClient();
await sql.unsafe(`
  with net as (insert into networks (id, cluster_id, name, kind, source)
      values (gen_random_uuid(), '${cluster.id}', 'bench-net', 'bridge', 'provider') returning id),
    sub as (insert into subnets (id, cluster_id, network_id, cidr, source)
      select gen_random_uuid(), '${cluster.id}', id, '10.64.0.0/16', 'provider' from net returning id, network_id)
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, workload_id, address, source)
    select gen_random_uuid(), w.cluster_id, sub.network_id, sub.id, w.id,
      '10.64.0.0'::inet + (7 * row_number() over (order by w.vmid))::int, 'agent'
    from workloads w cross join sub;
  insert into security_groups (id, name) select gen_random_uuid(), 'group-' || i from generate_series(0, 99) i;
  insert into security_group_members (security_group_id, workload_id)
    select g.id, w.id from (select *, row_number() over (order by name) - 1 as k from security_groups) g
      join (select id, row_number() over (order by vmid) - 1 as k from workloads where not template) w
        on (w.k + g.k * 13) % 25 = 0;
  insert into security_groups (id, name) values (gen_random_uuid(), 'previewed');
  insert into security_group_members (security_group_id, workload_id)
    select (select id from security_groups where name = 'previewed'), id from workloads where not template
      order by vmid limit ${previewed};`);
const rule = (position: number, port: string) => ({
  id: newId(),
  position,
  action: 'accept',
  protocol: 'tcp',
  destination_ports: [port],
});
for (let i = 0; i < policyCount; i++) {
  const id = newId();
  const definition = {
    enforcement_mode: 'enforced',
    direction: 'in',
    sources: [`sg:group-${i % 100}`],
    targets: [`sg:group-${(i * 7) % 100}`],
    default_action: 'none',
  };
  await sql`insert into policies (id, name, tier, definition, priority, version) values
    (${id}, ${`policy ${i}`}, 'platform_first', ${JSON.stringify(definition)}::text::jsonb, ${i % 50}, 3)`;
  for (const [at, port] of ['22', '443', '8080'].entries()) {
    const row = rule(at, port);
    await sql`insert into security_rules (id, policy_id, position, action, protocol, destination_ports)
      values (${row.id}, ${id}, ${at}, 'accept', 'tcp', ${row.destination_ports})`;
  }
}
await sql`analyze`;

// What is live is exactly what is wanted, and two rules of others at every guest.
const world = await loadPolicyWorld();
const wanted = new Map(compileWorld(world).guests.map((guest) => [guest.workload_id, guest]));
const stateOf = (id: string): GuestSnapshot => {
  const guest = wanted.get(id);
  const ours = (guest?.rules ?? []).map(
    ({ content, comment }): LiveRule => ({ pos: 0, ...content, enable: 1, comment }),
  );
  const others: LiveRule[] = ['by hand', 'monitoring'].map((comment) => ({
    pos: 0,
    type: 'in',
    action: 'ACCEPT',
    enable: 1,
    proto: 'tcp',
    dport: '10050',
    comment,
  }));
  return {
    presence: 'present',
    options: { enable: 1 },
    rules: [...ours, ...others].map((item, pos) => ({ ...item, pos })),
    ipsets: Object.fromEntries((guest?.sets ?? []).map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))])),
    aliases: {},
    nics: [{ name: 'net0', firewall: true, mac: 'BC:24:11:00:00:01' }],
    pending_nics: [],
    unreadable: [],
  };
};
const read_at = new Date().toISOString();
const subjects = [...world.workloads.values()].filter(({ template }) => !template);
const snapshot = (id: string, state: GuestSnapshot) => ({ workload_id: id, read_at, state, state_hash: hashOf(state) });
await storeGuestSnapshots(
  db,
  subjects.map(({ id }) => snapshot(id, stateOf(id))),
);
const clusterState = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] };
await storeClusterSnapshot(db, {
  cluster_id: cluster.id,
  read_at,
  state: clusterState,
  state_hash: hashOf(clusterState),
});
const liveRules = [...wanted.values()].reduce((sum, { rules }) => sum + rules.length, 0);

const headers = await bearer(await makeUser('security_engineer'));
type Page = { items: { id: string; deployment_status: string; deployments: { expected: number; live: number }[] }[] };
const list = async (): Promise<Page> => {
  const response = await call('/policies?limit=100', { headers });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
};
async function measured(before: () => Promise<unknown>, calls: number) {
  const samples: number[] = [];
  const processor: number[] = [];
  const queries = new Set<number>();
  for (let i = 0; i < calls; i++) {
    await before();
    const cpu = process.cpuUsage();
    const started = performance.now();
    const counted = await countQueries(list);
    samples.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpu);
    processor.push((user + system) / 1000);
    queries.add(counted.queries);
  }
  return { ...summary(samples), cpu: summary(processor).median, queries: [...queries] };
}

const callsBefore = await simulator.calls();
const first = await measured(async () => {}, 1);
const { items } = await list();
const drifted = items.filter(({ deployment_status }) => deployment_status !== 'active');
const warm = await measured(async () => {}, CALLS);
const [victim] = subjects;
let flip = 0;
const oneGuest = await measured(async () => {
  flip += 1;
  const state = { ...stateOf(victim?.id ?? ''), options: { enable: 1, log_level_in: String(flip) } } as GuestSnapshot;
  await storeGuestSnapshots(db, [{ ...snapshot(victim?.id ?? '', state), read_at: new Date().toISOString() }]);
}, 10);
const onePolicy = await measured(
  () => sql`update policies set description = ${String(++flip)} where id = ${items[0]?.id ?? ''}`,
  5,
);
const input = PolicyListInput.parse({ limit: 100 });
const floorSamples: number[] = [];
for (let i = 0; i < CALLS; i++) {
  const started = performance.now();
  await listRows('all', input);
  floorSamples.push(performance.now() - started);
}
const floor = summary(floorSamples);
const clusterCalls = (await simulator.calls()) - callsBefore;

console.log(`${policyCount} policies × ${subjects.length} guests, ${liveRules} rules of ours live; pages of 100`);
printTable(
  ['list', 'median', 'p95', 'CPU', 'queries', 'to floor'],
  (
    [
      ['first', first],
      ['nothing changed', warm],
      ['one guest changed', oneGuest],
      ['a policy changed', onePolicy],
    ] as const
  ).map(([name, m]) => [
    name,
    ms(m.median),
    ms(m.p95),
    ms(m.cpu),
    m.queries.join(', '),
    (m.median / floor.median).toFixed(1),
  ]),
);
console.log(`floor (the page without status): median ${ms(floor.median)}, p95 ${ms(floor.p95)}`);
expectBar(`no drift reported at untouched guests (${drifted.length} policies)`, drifted.length === 0);
expectBar(`no call to the cluster (${clusterCalls})`, clusterCalls === 0);
expectBar(`p95 at most 150 ms when nothing changed (${ms(warm.p95)})`, warm.p95 <= 150);
expectBar(`processor time at most 3 s after a change (${ms(onePolicy.cpu)})`, onePolicy.cpu <= 3000);
expectBar('the same number of queries when nothing changed', warm.queries.length === 1);

const created = await call('/policies', {
  headers,
  body: {
    name: 'previewed',
    definition: { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['sg:previewed'] },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['22', '443'] },
      { action: 'accept', protocol: 'tcp/udp', destination_ports: ['53'] },
      { action: 'drop' },
    ],
  },
});
const policy: { id: string } = await created.json();
const targets = subjects.toSorted((a, b) => a.vmid - b.vmid).slice(0, previewed);
const readStarted = performance.now();
await readLive(cluster.id, targets);
const reading = performance.now() - readStarted;
const previewSamples: number[] = [];
let total = 0;
// Time stands still, so that readings are kept, however long reading takes, and no call is part of it.
const now = new Date();
clock.now = () => now;
for (let i = 0; i < 5; i++) {
  await readLive(cluster.id, targets);
  const calls = await simulator.calls();
  const started = performance.now();
  const response = await call(`/policies/${policy.id}/preview`, { headers, body: {} });
  const body: { totals: { guests: number } } = await response.json();
  previewSamples.push(performance.now() - started);
  total = body.totals.guests;
  if ((await simulator.calls()) !== calls) throw new Error('the preview asked the cluster itself');
}
const preview = summary(previewSamples);
console.log(
  `preview of ${total} guests: reading them ${ms(reading)} at ${latency} ms a call, the rest median ${ms(preview.median)}, p95 ${ms(preview.p95)}`,
);
expectBar(`preview of ${previewed} guests at most 1 s besides reading (${ms(preview.p95)})`, preview.p95 <= 1000);
expectBar('the preview has all guests', total === previewed);
await closeDb();
simulator.stop();
await database.stop();

import { startBenchDatabase } from './database';
import { startSimulatorProcess } from './simulator-process';
import { expectBar, ms, printTable } from './stats';

/*
 * How long applying a policy takes: npx tsx packages/bench/apply.ts [guests] [nodes] [latency ms]
 * Bars: 300 guests on 8 nodes at 20 ms a call in at most 90 s, and a second apply that writes nothing.
 * The floor is the time that the calls alone need within the limits: four concurrent reads, two concurrent firewall
 * writes.
 */
const [guests = 300, nodes = 8, latency = 20] = process.argv.slice(2).map(Number);
const READS_AT_ONCE = 4;
const WRITES_AT_ONCE = 2;

type Counts = { reads: number; writes: number };

/** The calls so far, by what they do. */
async function countCalls(): Promise<Counts> {
  const counts = Object.entries(await simulator.counts());
  const sum = (expected: boolean) =>
    counts.filter(([call]) => call.startsWith('GET') === expected).reduce((total, [, count]) => total + count, 0);
  return { reads: sum(true), writes: sum(false) };
}

const database = await startBenchDatabase();
const simulator = await startSimulatorProcess(nodes, guests, latency);
const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { newId } = await import('@/server/lib/ids');
const { createCluster } = await import('@/server/sync/clusters');
const { requestSyncIn } = await import('@/server/sync/request-sync');
const { runClusterSync } = await import('@/server/sync/run-sync');
const { createPolicy } = await import('@/server/enforcement/policies/policies');
const { insertDeployment } = await import('@/server/enforcement/queries/deployments');
const { runDeployment } = await import('@/server/enforcement/deployments/run-deployment');
const { PolicyCreate } = await import('@/domain/policies');

const { signal } = new AbortController();
const cluster = await createCluster(systemScope('cluster:write', 'bench'), {
  name: 'bench',
  api_url: simulator.url,
  api_token: simulator.token,
  tls_fingerprint: simulator.fingerprint,
  rule_placement: 'above',
});
await db.transaction((tx) => requestSyncIn(tx, systemScope('cluster:sync', 'bench'), cluster.id, 'manual'));
await runClusterSync(cluster.id, { signal });
const workloads = await sqlClient()<{ id: string; vmid: number }[]>`
  select id, vmid from workloads where not template order by vmid`;
const sql = sqlClient();
const [group] = await sql<{ id: string }[]>`
  insert into security_groups (id, name) values (${newId()}, 'all') returning id`;
for (const { id } of workloads) {
  await sql`insert into security_group_members (security_group_id, workload_id) values (${group?.id ?? ''}, ${id})`;
}

const policy = await createPolicy(
  systemScope('policy:write', 'bench'),
  PolicyCreate.parse({
    name: 'bench',
    definition: {
      enforcement_mode: 'enforced',
      direction: 'in',
      sources: ['10.0.0.0/8', '2001:db8::/32'],
      targets: ['sg:all'],
    },
    rules: [
      { action: 'accept', protocol: 'tcp', destination_ports: ['443'] },
      { action: 'accept', protocol: 'tcp', destination_ports: ['22'] },
      { action: 'drop', protocol: 'tcp', destination_ports: ['23'] },
    ],
  }),
);

async function apply() {
  const before = await countCalls();
  const id = await db.transaction((tx) =>
    insertDeployment(tx, {
      operation_id: newId(),
      policy_id: policy.id,
      policy_name: policy.name,
      policy_version: policy.version,
      tenant_id: null,
      project_id: null,
      cluster_id: cluster.id,
      kind: 'apply',
      trigger: 'apply',
      requested_by: null,
    }),
  );
  const cpu = process.cpuUsage();
  const started = performance.now();
  await runDeployment(id, { signal });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await countCalls();
  const [row] = await sql<{ status: string; progress_done: number }[]>`
    select status, progress_done from deployments where id = ${id}`;
  return {
    seconds,
    cpu: (user + system) / 1e6,
    reads: after.reads - before.reads,
    writes: after.writes - before.writes,
    status: row?.status ?? 'gone',
    done: row?.progress_done ?? 0,
  };
}

const runs = [await apply(), await apply()];
console.log(`${workloads.length} guests on ${nodes} nodes, ${latency} ms a call, 6 rules each`);
printTable(
  ['apply', 'time', 'reads', 'writes', 'floor', 'ratio', 'our CPU', 'status'],
  runs.map((run, i) => {
    const floor = Math.max(run.writes / WRITES_AT_ONCE, (run.reads + run.writes) / READS_AT_ONCE) * latency;
    return [
      i === 0 ? 'first' : 'again',
      ms(run.seconds * 1000),
      String(run.reads),
      String(run.writes),
      ms(floor),
      ((run.seconds * 1000) / floor).toFixed(2),
      `${run.cpu.toFixed(2)} s`,
      run.status,
    ];
  }),
);
const [first, again] = runs;
expectBar(
  'both applies are ok at every guest',
  runs.every((run) => run.status === 'ok' && run.done === workloads.length),
);
expectBar('the first takes at most 90 s', (first?.seconds ?? 999) <= 90);
expectBar('the second writes nothing', again?.writes === 0);
simulator.stop();
await closeDb();
await database.stop();

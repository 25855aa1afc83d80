import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startBenchDatabase } from './database';
import { expectBar, ms, printTable } from './stats';

/*
 * How long a discovery takes: npx tsx bench/discovery.ts [guests] [nodes] [latency ms] [dead percent]
 * Bars: 1,000 guests on 8 nodes, a fifth of the agents dead (3 s each), 50 ms a call: at most 90 s; never more than one
 * agent call in flight per node, as the simulated cluster measures it; a second run writes no row.
 * The floor is the time that the dead agents of the fullest node need alone, one after the other.
 */
const [guests = 1000, nodes = 8, latency = 50, dead = 20] = process.argv.slice(2).map(Number);

type Answer = { loads: Record<string, { max: number; total: number }>; dead: number; fullest: number };

const database = await startBenchDatabase();
const script = fileURLToPath(new URL('./discovery-simulator.ts', import.meta.url));
const child = spawn(
  process.execPath,
  ['--import', 'tsx', script, String(nodes), String(guests), String(latency), String(dead)],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const lines = createInterface({ input: child.stdout });
const nextLine = () => new Promise<string>((resolve) => lines.once('line', resolve));
const access = JSON.parse(await nextLine()) as { url: string; fingerprint: string; token: string };
const ask = async (): Promise<Answer> => {
  const line = nextLine();
  child.stdin.write('\n');
  return JSON.parse(await line);
};

const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { createCluster } = await import('@/server/services/clusters/create-cluster');
const { requestSyncIn } = await import('@/server/services/clusters/request-sync');
const { runClusterSync } = await import('@/server/services/clusters/run-sync');
const { requestDiscoveryIn } = await import('@/server/services/ipam/discovery/request-discovery');
const { runDiscovery } = await import('@/server/services/ipam/discovery/run-discovery');

const signal = new AbortController().signal;
const cluster = await createCluster(systemScope('cluster:write', 'bench'), {
  name: 'bench',
  api_url: access.url,
  api_token: access.token,
  tls_fingerprint: access.fingerprint,
  rule_placement: 'above',
});
await db.transaction((tx) => requestSyncIn(tx, systemScope('cluster:sync', 'bench'), cluster.id, 'manual'));
await runClusterSync(cluster.id, { signal });

const tables = ['networks', 'subnets', 'ip_addresses', 'ip_address_history', 'ipam_conflicts'];
async function writes(): Promise<Set<string>> {
  const rows = await Promise.all(
    tables.map(
      (table) => sqlClient()<{ row: string }[]>`select ${table} || id || ' ' || xmin as row from ${sqlClient()(table)}`,
    ),
  );
  return new Set(rows.flat().map(({ row }) => row));
}
async function discover(trigger: 'manual' | 'auto') {
  const before = await writes();
  await ask();
  const { run_id } = await db.transaction((tx) =>
    requestDiscoveryIn(tx, systemScope('ipam:discover', 'bench'), cluster.id, trigger),
  );
  const cpu = process.cpuUsage();
  const started = performance.now();
  await runDiscovery(cluster.id, { signal });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await writes();
  const answer = await ask();
  const agents = Object.entries(answer.loads).filter(([label]) => label.startsWith('agent:'));
  const [run] = await sqlClient()<{ status: string; counters: Record<string, Record<string, number>> }[]>`
    select status, counters from sync_runs where id = ${run_id}`;
  return {
    seconds,
    cpu: (user + system) / 1e6,
    status: run?.status,
    counters: run?.counters,
    agentCalls: agents.reduce((sum, [, load]) => sum + load.total, 0),
    agentMax: Math.max(0, ...agents.map(([, load]) => load.max)),
    daemonMax: Math.max(
      0,
      ...Object.entries(answer.loads).flatMap(([label, load]) => (label.startsWith('pvedaemon:') ? [load.max] : [])),
    ),
    written: [...after].filter((row) => !before.has(row)).length + [...before].filter((row) => !after.has(row)).length,
    answer,
  };
}

const runs = [
  ['first', await discover('manual')],
  ['again, manual', await discover('manual')],
  ['again, automatic', await discover('auto')],
] as const;
const [[, first], [, second], [, third]] = runs;
console.log(
  `${guests} guests on ${nodes} nodes, ${first.answer.dead} dead agents, ${latency} ms a call; floor ${(first.answer.fullest * 3).toFixed(0)} s`,
);
printTable(
  ['run', 'time', 'our CPU', 'agent calls', 'at once per node', 'daemon calls at once', 'addresses', 'rows written'],
  runs.map(([name, run]) => [
    name,
    ms(run.seconds * 1000),
    `${run.cpu.toFixed(2)} s`,
    String(run.agentCalls),
    String(run.agentMax),
    String(run.daemonMax),
    String(run.counters?.addresses?.seen ?? 0),
    String(run.written),
  ]),
);
expectBar(
  'every run is ok',
  runs.every(([, run]) => run.status === 'ok'),
);
expectBar('the first run takes at most 90 s', first.seconds <= 90);
expectBar(
  'never more than one agent call per node',
  runs.every(([, run]) => run.agentMax <= 1),
);
expectBar('later runs write 0 rows', second.written === 0 && third.written === 0);
child.kill('SIGTERM');
await closeDb();
await database.stop();

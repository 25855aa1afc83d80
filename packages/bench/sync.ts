import { startBenchDatabase } from './database';
import { startSimulatorProcess } from './simulator-process';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long a sync takes: npx tsx packages/bench/sync.ts [guests] [nodes] [latency ms] [rounds]
 * Bars: 1,000 guests on 8 nodes at 50 ms a call in at most 60 s, and a second run that writes no row.
 * The floor is the time that the calls alone need: their number × latency / calls in flight per entry node.
 */
const [guests = 1000, nodes = 8, latency = 50, rounds = 3] = process.argv.slice(2).map(Number);
/** What the provider allows to be in flight to the node it asks. */
const IN_FLIGHT = 4;

/** How many calls have been made so far. */
const countCalls = async (): Promise<number> =>
  Object.values(await simulator.counts()).reduce((sum, count) => sum + count, 0);

const database = await startBenchDatabase();
const simulator = await startSimulatorProcess(nodes, guests, latency);
const { systemScope } = await import('@/server/auth/scope');
const { closeDb, db, sqlClient } = await import('@/server/db/client');
const { createCluster } = await import('@/server/sync/clusters');
const { deleteCluster } = await import('@/server/sync/clusters');
const { requestSyncIn } = await import('@/server/sync/request-sync');
const { runClusterSync } = await import('@/server/sync/run-sync');

const scope = systemScope('cluster:write', 'bench');
const tables = ['nodes', 'workloads', 'workload_interfaces', 'networks', 'subnets'];
/** Every inventory row with the transaction that wrote it last. */
async function listRowVersions(): Promise<Set<string>> {
  const sql = sqlClient();
  const rows = await Promise.all(
    tables.map((table) => sql<{ row: string }[]>`select ${table} || id || ' ' || xmin as row from ${sql(table)}`),
  );
  return new Set(rows.flat().map(({ row }) => row));
}

type Measured = { seconds: number; calls: number; cpu: number; written: number; status: string };
async function sync(clusterId: string, trigger: 'manual' | 'auto'): Promise<Measured> {
  const [before, calls, cpu] = [await listRowVersions(), await countCalls(), process.cpuUsage()];
  const { run_id } = await db.transaction((tx) => requestSyncIn(tx, scope, clusterId, trigger));
  const started = performance.now();
  await runClusterSync(clusterId, { signal: new AbortController().signal });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await listRowVersions();
  const [run] = await sqlClient()<{ status: string }[]>`select status from sync_runs where id = ${run_id}`;
  return {
    seconds,
    calls: (await countCalls()) - calls,
    cpu: (user + system) / 1e6,
    written: [...after].filter((row) => !before.has(row)).length + [...before].filter((row) => !after.has(row)).length,
    status: run?.status ?? 'gone',
  };
}

const kinds = ['first (import)', 'again, manual (all configs)', 'again, automatic'] as const;
const results = new Map<string, Measured[]>(kinds.map((kind) => [kind, []]));
for (let round = 0; round < rounds; round++) {
  const cluster = await createCluster(scope, {
    name: `bench ${round}`,
    api_url: simulator.url,
    api_token: simulator.token,
    tls_fingerprint: simulator.fingerprint,
    rule_placement: 'above',
  });
  for (const [i, kind] of kinds.entries()) results.get(kind)?.push(await sync(cluster.id, i === 2 ? 'auto' : 'manual'));
  await deleteCluster(scope, cluster.id);
}

console.log(`${guests} guests on ${nodes} nodes, ${latency} ms a call, ${rounds} rounds`);
const computeFloor = (run: Measured) => (run.calls * latency) / IN_FLIGHT / 1000;
printTable(
  ['sync', 'median', 'p95', 'calls', 'floor', 'ratio', 'our CPU', 'rows written'],
  [...results].map(([kind, runs]) => {
    const time = summary(runs.map((run) => run.seconds * 1000));
    const floor = summary(runs.map((run) => computeFloor(run) * 1000)).median;
    const last = runs.at(-1) as Measured;
    return [
      kind,
      ms(time.median),
      ms(time.p95),
      String(last.calls),
      ms(floor),
      (time.median / floor).toFixed(2),
      `${summary(runs.map((run) => run.cpu)).median.toFixed(2)} s`,
      String(last.written),
    ];
  }),
);
const all = [...results.values()].flat();
const [first = [], ...later] = [...results.values()];
expectBar(
  'every run is ok',
  all.every((run) => run.status === 'ok'),
);
expectBar(
  'the import takes at most 60 s',
  first.every((run) => run.seconds <= 60),
);
expectBar(
  'later runs write 0 rows',
  later.flat().every((run) => run.written === 0),
);
simulator.stop();
await closeDb();
await database.stop();

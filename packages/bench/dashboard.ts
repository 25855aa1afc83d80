import { fork } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fillDashboard } from './dashboard-environment';
import { startIngestEnvironment } from './ingest-environment';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long the dashboard takes over a full store, and how much it slows storing heartbeats; one web process:
 *   npx tsx packages/bench/dashboard.ts [flows] [heartbeats]
 *   (10000000, 384; --rest-only: without the production build)
 * 5,000 workloads, 1,000 subnets, 20 tenants, flows of 24 hours.
 * Bars: p95 of GET /dashboard at most 150 ms over an hour and 300 ms over a day, while agents report and rollups are
 * recomputed; while 20 pages refresh every 5 s, a quarter of them over a day, heartbeats are stored at no less than
 * 80 % of the rate without. The floor is GET /auth/me.
 */
const [flows = 10_000_000, heartbeats = 384] = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const CALLS = 100;
const STORING_SECONDS = 25;
const DASHBOARDS = 20;
const REFRESH_MS = 5_000;
const HOUR_MS = 3_600_000;

const environment = await startIngestEnvironment();
// A connection for each request: the server closes idle ones after as long as a dashboard waits between two.
const agent = new Agent({ keepAlive: false });

type Sample = { ms: number; bytes: number };
function get(path: string, authorization: string): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const call = request(`${environment.url}/api/v1${path}`, { agent, headers: { authorization } }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
        else resolve({ ms: performance.now() - started, bytes });
      });
    });
    call.on('error', reject);
    call.end();
  });
}
const dashboard = (hours: number) => `/dashboard?since=${new Date(Date.now() - hours * HOUR_MS).toISOString()}`;
/** As the page asks: it shows the worst few, and how many there are. */
const page = (hours: number) => `${dashboard(hours)}&suspicious_limit=8`;

try {
  const { bearer, makeUser } = await import('@/test/factories');
  const { sumTraffic } = await import('@/server/traffic/flows/upkeep');
  const { countQueries } = await import('@/test/count-queries');
  const { call } = await import('@/test/request');
  const stored = await fillDashboard(environment, flows);
  let started = performance.now();
  let hours = 0;
  for (let run = { hours: 0, done: false }; !run.done; hours += run.hours) run = await sumTraffic();
  console.error(`${stored} flows are stored; ${hours} hours summed up in ${ms(performance.now() - started)}`);
  const perNode = await environment.preload(320_000, 30);
  await environment.send({ perNode, heartbeats: 128, inFlight: 8 });

  const { authorization } = await bearer(await makeUser('admin'));
  const tenant = (await environment.sql`select id from tenants limit 1`)[0] as { id: string };
  const owner = await bearer(await makeUser('viewer', tenant));
  const runs: number[] = [];
  const worker = fork(fileURLToPath(new URL('./sum-worker.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
  });
  worker.on('message', (run: { ms: number }) => runs.push(run.ms));

  const cases = [
    ['floor', authorization, () => '/auth/me'],
    ['1 h', authorization, () => dashboard(1)],
    ['24 h', authorization, () => dashboard(24)],
    ['24 h, the page', authorization, () => page(24)],
    ['1 h, one tenant', owner.authorization, () => dashboard(1)],
    ['24 h, one tenant', owner.authorization, () => dashboard(24)],
  ] as const;
  const measured = new Map<string, ReturnType<typeof summary>>();
  const rows: string[][] = [];
  for (const [name, who, path] of cases) {
    started = performance.now();
    await get(path(), who);
    const cold = performance.now() - started;
    const samples: Sample[] = [];
    // During the run all nodes report as often as agents do, and the rollups are recomputed from it.
    const storing = environment.send({ perNode, heartbeats: STORING_SECONDS * 2, perSecond: 2 });
    for (let i = 0; i < CALLS; i++) {
      samples.push(await get(path(), who));
      await delay((STORING_SECONDS * 1000) / CALLS / 2);
    }
    await storing;
    const { median, p95, max } = summary(samples.map((sample) => sample.ms));
    measured.set(name, { median, p95, max });
    const inProcess = await countQueries(() => call(path(), { headers: { authorization: who } }));
    rows.push([
      name,
      ...[cold, median, p95, max].map(ms),
      String(inProcess.queries),
      `${Math.round((samples[0]?.bytes ?? 0) / 1024)} KiB`,
    ]);
  }
  printTable(['GET', 'first', 'median', 'p95', 'max', 'queries', 'size'], rows);

  const send = async () => {
    const run = await environment.send({ perNode, heartbeats, inFlight: 8 });
    if (run.sent.some((one) => one.status !== 200)) throw new Error('a heartbeat failed');
    return run.sent.reduce((sum, one) => sum + one.accepted + one.updated, 0) / run.seconds;
  };
  const refreshed: number[] = [];
  const viewing = new AbortController();
  setMaxListeners(DASHBOARDS, viewing.signal);
  const view = async (i: number) => {
    await delay((i * REFRESH_MS) / DASHBOARDS);
    while (!viewing.signal.aborted) {
      refreshed.push((await get(page(i % 4 === 0 ? 24 : 1), authorization)).ms);
      await delay(REFRESH_MS, undefined, { signal: viewing.signal }).catch(() => {});
    }
  };
  const alone = [await send()];
  const views = Array.from({ length: DASHBOARDS }, (_, i) => view(i));
  const watched = [await send(), await send()];
  viewing.abort();
  await Promise.all(views);
  alone.push(await send());
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const share = mean(watched) / mean(alone);
  const { median, p95 } = summary(refreshed);
  console.log(
    `flows/s: alone ${alone.map(Math.round).join(', ')}; ${DASHBOARDS} dashboards ${watched.map(Math.round).join(', ')}`,
  );
  console.log(`${refreshed.length} refreshes meanwhile: median ${ms(median)}, p95 ${ms(p95)}`);
  const runTimes = summary(runs);
  console.log(`${runs.length} runs of the sums: median ${ms(runTimes.median)}, p95 ${ms(runTimes.p95)}`);

  expectBar('an hour: p95 at most 150 ms', (measured.get('1 h')?.p95 ?? Infinity) <= 150);
  expectBar('a day: p95 at most 300 ms', (measured.get('24 h')?.p95 ?? Infinity) <= 300);
  expectBar(`storing at ${(share * 100).toFixed(0)} %, at least 80 %, of its rate with 20 dashboards`, share >= 0.8);
  worker.send('end');
} finally {
  await environment.stop();
}

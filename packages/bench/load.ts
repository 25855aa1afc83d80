import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startRedisServer } from '@/test/redis-server';
import type { Call } from './person';
import { postgresCpu, processCpu } from './process-cpu';
import { startServiceEnvironment } from './service-environment';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * The whole service under the load of an organization: people with open pages that poll, each with a stream of live
 * events, and a node agent on every node.
 *
 *   npx tsx packages/bench/load.ts [--minutes 10] [--users 200] [--agents 200] [--flows 200] [--interval 30] [--redis]
 *
 * --flows is what each heartbeat carries, --interval the seconds between two of them; --redis keeps the queues there.
 * Needs a production build. Bars: no call fails, and memory is flat: its median in the last third is at most 15 % (or
 * 50 MiB) above that of the middle third, the first being the warm-up.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    users: { type: 'string', default: '200' },
    agents: { type: 'string', default: '200' },
    flows: { type: 'string', default: '200' },
    interval: { type: 'string', default: '30' },
    redis: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const SAMPLE_MS = 5_000;
const MIB = 1024 * 1024;

/** Resident memory in bytes; 0 when the process is gone. */
function readResidentMemory(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const redis = values.redis ? await startRedisServer() : null;
const environment = await startServiceEnvironment({
  users: Number(values.users),
  agents: Number(values.agents),
  redisUrl: redis?.url ?? null,
});
const { web, worker } = environment.processes;
const calls: Call[] = [];
const memory: Record<'web' | 'worker', number[]> = { web: [], worker: [] };
let events = 0;

const plan = {
  ...{ url: environment.url, emails: environment.emails, tokens: environment.tokens, seconds },
  ...{ intervalMs: Number(values.interval) * 1000, flows: Number(values.flows) },
};
const client = fork(fileURLToPath(new URL('./load-client.ts', import.meta.url)), [JSON.stringify(plan)], {
  execArgv: ['--import', 'tsx'],
});
try {
  const signedIn = await new Promise<number>((resolve, reject) => {
    client.once('message', (message) => resolve((message as { ready: number }).ready));
    client.once('exit', (code) => reject(new Error(`the client ended with ${code}`)));
  });
  console.log(
    `${signedIn} people signed in, ${environment.tokens.length} agents; ${values.minutes} minutes from now on`,
  );
  const pids = { web: web.pid(), worker: worker.pid() };
  const cpu = () => [processCpu(pids.web ?? 0), processCpu(pids.worker ?? 0), postgresCpu(environment.databasePid())];
  const [before, started] = [cpu(), performance.now()];
  const sampling = setInterval(() => {
    for (const name of ['web', 'worker'] as const)
      memory[name].push(readResidentMemory(environment.processes[name].pid()));
  }, SAMPLE_MS);
  await new Promise<void>((resolve, reject) => {
    client.on('message', (message) => {
      const part = message as { calls: Call[]; events: number; done?: true };
      calls.push(...part.calls);
      events = part.events;
      if (part.done) resolve();
    });
    client.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the client ended with ${code}`))));
    client.send('go');
  });
  clearInterval(sampling);
  const took = (performance.now() - started) / 1000;
  const busy = cpu().map((value, i) => `${((100 * (value - (before[i] ?? 0))) / took).toFixed(0)} %`);

  const names = [...new Set(calls.map(({ name }) => name))].sort();
  const row = (name: string, some: readonly Call[]) => {
    const { median, p95, max } = summary(some.map((call) => call.ms));
    const failed = some.filter(({ error }) => error !== null).length;
    return [name, String(some.length), (some.length / took).toFixed(1), String(failed), ms(median), ms(p95), ms(max)];
  };
  const asked = calls.filter(({ name }) => name !== 'sign in');
  printTable(
    ['call', 'calls', 'per s', 'errors', 'median', 'p95', 'max'],
    [
      ...names.map((name) =>
        row(
          name,
          calls.filter((call) => call.name === name),
        ),
      ),
      row('all but sign in', asked),
    ],
  );
  const errors = calls.filter(({ error }) => error !== null);
  for (const text of new Set(errors.map(({ name, error }) => `${name}: ${error}`))) console.log(`  ${text}`);
  console.log(`\n${events} pieces of live events; processor: web ${busy[0]}, worker ${busy[1]}, PostgreSQL ${busy[2]}`);
  const thirds = (samples: readonly number[]) =>
    [0, 1, 2].map((third) => {
      const part = samples.slice((third * samples.length) / 3, ((third + 1) * samples.length) / 3);
      return summary(part).median;
    });
  printTable(
    ['memory (RSS, median of each third)', 'first', 'middle', 'last', 'highest'],
    (['web', 'worker'] as const).map((name) => [
      name,
      ...[...thirds(memory[name]), Math.max(...memory[name])].map((bytes) => `${(bytes / MIB).toFixed(0)} MiB`),
    ]),
  );
  for (const line of environment.errors.slice(0, 10)) console.log(line.slice(0, 300));
  console.log();
  expectBar(
    `everybody signed in (${signedIn} of ${environment.emails.length})`,
    signedIn === environment.emails.length,
  );
  expectBar(`no call failed (${errors.length} of ${calls.length})`, errors.length === 0);
  expectBar(`no process ended`, web.pid() === pids.web && worker.pid() === pids.worker);
  for (const name of ['web', 'worker'] as const) {
    const [, middle = 0, last = 0] = thirds(memory[name]);
    expectBar(`memory of ${name} is flat`, last <= Math.max(middle * 1.15, middle + 50 * MIB));
  }
} finally {
  client.kill();
  await environment.stop();
  await redis?.stop();
}

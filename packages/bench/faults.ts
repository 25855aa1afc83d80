import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type RedisServer, startRedisServer } from '@/test/redis-server';
import { createLedger, requestSyncs, writeTenants } from './fault-writers';
import { checkAfterFaults } from './faults-checks';
import { runAgents } from './node-agents';
import { PAGES } from './pages';
import { type Call, Person } from './person';
import { PASSWORD, startServiceEnvironment } from './service-environment';
import { ms, printTable, summary } from './stats';

/*
 * What goes wrong in a data center, at random and under load: PostgreSQL killed or restarted, Redis killed and empty
 * afterwards, web and worker killed with SIGKILL, while people read and write, agents report and a cluster is synced.
 *
 *   npx tsx packages/bench/faults.ts [--minutes 10] [--users 20] [--agents 40] [--every 8] [--embedded] [--seed 1]
 *
 * --every: seconds between two faults, on average; --embedded: queues in the database instead of Redis. Needs a
 * production build, and redis-server. Bars: no write that was answered with success is lost, nothing was done twice or
 * by halves, the audit chain is intact, every schedule is back and runs, no run and no job is stuck, the service
 * answers again.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    users: { type: 'string', default: '20' },
    agents: { type: 'string', default: '40' },
    every: { type: 'string', default: '8' },
    embedded: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
  },
});
const seconds = Number(values.minutes) * 60;
/** Whatever stopped after the last fault must have recovered within this time. */
const SETTLE_MS = 90_000;

/** The same pseudo-random numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const next = random(Number(values.seed));
console.log(`seed ${values.seed}, ${values.minutes} minutes`);
let redis: RedisServer | null = values.embedded ? null : await startRedisServer();
const redisPort = redis === null ? 0 : Number(new URL(redis.url).port);
const environment = await startServiceEnvironment({
  users: Number(values.users),
  agents: Number(values.agents),
  redisUrl: redis?.url ?? null,
  // They are killed so often that longer and longer pauses would leave nothing to kill.
  backoffMs: 20,
});
const simulator = spawn(
  process.execPath,
  ['--import', 'tsx', fileURLToPath(new URL('./simulator.ts', import.meta.url)), '3', '60', '20'],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);

const calls: Call[] = [];
const onCall = (call: Call) => void calls.push(call);
const ledger = createLedger();
const kill = (pid: number | undefined, signal: NodeJS.Signals) => {
  try {
    if (pid) process.kill(pid, signal);
  } catch {
    // It is gone already; it is being started again.
  }
};

const FAULTS: Record<string, () => Promise<void> | void> = {
  'PostgreSQL killed': () => kill(environment.databasePid(), 'SIGKILL'),
  'PostgreSQL restarted': () => kill(environment.databasePid(), 'SIGINT'),
  'web killed': () => kill(environment.processes.web.pid(), 'SIGKILL'),
  'worker killed': () => kill(environment.processes.worker.pid(), 'SIGKILL'),
  'web and worker killed': () => {
    kill(environment.processes.web.pid(), 'SIGKILL');
    kill(environment.processes.worker.pid(), 'SIGKILL');
  },
  ...(redis && {
    'Redis killed and emptied': async () => {
      await redis?.stop();
      await delay(next() * 3_000);
      redis = await startRedisServer(redisPort);
    },
  }),
};

/** Milliseconds until the service says that requests will succeed; null when it did not within the time. */
async function waitUntilReady(timeoutMs: number): Promise<number | null> {
  const started = performance.now();
  while (performance.now() - started < timeoutMs) {
    const answer = await fetch(`${environment.url}/api/v1/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => null,
    );
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.ok) return performance.now() - started;
    await delay(50);
  }
  return null;
}

try {
  const [first] = await new Promise<[string]>((resolve) => {
    createInterface({ input: simulator.stdout }).once('line', (line) => resolve([line]));
  });
  const cluster = JSON.parse(first) as { url: string; fingerprint: string; token: string };
  const people = await Promise.all(
    environment.emails.map(async (email) => {
      const person = new Person(environment.url, onCall);
      return { person, permissions: await person.signIn(email, PASSWORD) };
    }),
  );
  const admin = people[0]?.person;
  if (!admin) throw new Error('nobody could sign in');
  const { id } = await admin.rest<{ id: string }>('POST', '/clusters', {
    ...{ name: 'simulated', api_url: cluster.url, api_token: cluster.token, tls_fingerprint: cluster.fingerprint },
  });

  const end = new AbortController();
  // Everyone listens to it.
  setMaxListeners(0, end.signal);
  const stopped = () => {};
  const onAccepted = (node: number, sequence: number, bootId: string) =>
    ledger.heartbeats.set(node, { sequence, bootId });
  const work: Promise<unknown>[] = [
    ...[0, 1, 2, 3].map((n) => writeTenants(admin, `writer ${n}`, ledger, end.signal)),
    requestSyncs(admin, id, ledger, end.signal),
    runAgents(
      {
        url: environment.url,
        tokens: environment.tokens,
        intervalMs: 10_000,
        flows: 100,
        onCall,
        onAccepted,
        keepTrying: true,
      },
      end.signal,
    ),
    ...people.slice(1).map(async ({ person, permissions }) => {
      const pages = PAGES.filter(({ needs }) => permissions.includes(needs));
      while (!end.signal.aborted) {
        await pages[Math.floor(Math.random() * pages.length)]?.visit(person, Math.random).open();
        await delay(2_000 + Math.random() * 4_000, undefined, { signal: end.signal }).catch(stopped);
      }
    }),
  ];

  const recoveries: { name: string; ms: number | null }[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await delay((0.25 + 1.5 * next()) * Number(values.every) * 1000);
    const names = Object.keys(FAULTS);
    const name = names[Math.floor(next() * names.length)] ?? '';
    await FAULTS[name]?.();
    // The kill takes a moment to show; a second fault may hit what is only just coming back.
    await delay(100);
    if (next() < 0.3) continue;
    recoveries.push({ name, ms: await waitUntilReady(60_000) });
  }
  console.log(`\n${recoveries.length} faults were waited for; waiting for what goes on to end`);
  // Writers go on a little over a service that is whole again.
  await waitUntilReady(SETTLE_MS);
  await delay(3_000);
  end.abort();
  await Promise.race([Promise.all(work), delay(40_000)]);

  printTable(
    ['until ready again', 'times', 'median', 'p95', 'max', 'never'],
    Object.keys(FAULTS).map((name) => {
      const of = recoveries.filter((recovery) => recovery.name === name);
      const times = of.flatMap((recovery) => recovery.ms ?? []);
      const { median, p95, max } = summary(times);
      const never = String(of.length - times.length);
      return times.length === 0
        ? [name, '0', '-', '-', '-', never]
        : [name, String(of.length), ms(median), ms(p95), ms(max), never];
    }),
  );
  const failed = calls.filter(({ error }) => error !== null).length;
  console.log(`\n${calls.length} calls, ${failed} met a fault; ${ledger.accepted.size} writes accepted`);
  await checkAfterFaults(environment, ledger, SETTLE_MS);
} finally {
  simulator.kill();
  await environment.stop();
  await redis?.stop();
}
process.exit();

/**
 * What a call of a page costs: processor time of web and of PostgreSQL, and statements, each call for itself on a service that is idle
 * otherwise. Processor time hardly depends on what else the machine does.
 * Run after a production build: npx tsx packages/bench/calls.ts [--agents 40] [--repeat 60]
 * A transaction counts as one statement. Bar: no call has more than 12.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { runAgents } from './node-agents';
import { Person } from './person';
import { postgresCpu, processCpu } from './process-cpu';
import { PASSWORD, startServiceEnvironment } from './service-environment';
import { expectBar, printTable, summary } from './stats';

const { values } = parseArgs({
  options: { agents: { type: 'string', default: '40' }, repeat: { type: 'string', default: '60' } },
});
const REPEAT = Number(values.repeat);
/** How long agents report before, each second: what pages show is of this time. */
const FILL_MS = 20_000;
const MAX_STATEMENTS = 12;

const environment = await startServiceEnvironment({ users: 1, agents: Number(values.agents), redisUrl: null });
const sql = postgres(environment.databaseUrl, { max: 1 });
try {
  const end = new AbortController();
  setTimeout(() => end.abort(), FILL_MS);
  await runAgents(
    { url: environment.url, tokens: environment.tokens, intervalMs: 1_000, flows: 200, onCall: () => {} },
    end.signal,
  ).catch(() => {});
  await delay(5_000);

  const failed: string[] = [];
  const person = new Person(environment.url, ({ name, error }) => {
    if (error !== null) failed.push(`${name}: ${error}`);
  });
  await person.signIn(environment.emails[0] ?? '', PASSWORD);
  const { client } = person;
  const [workload] = (await client.workloads.list.query({ limit: 1 })).items;
  const id = workload?.id ?? '';
  // Each time another question: equal ones would be answered together.
  const lastHour = (at: number) => ({
    since: new Date(Date.now() - 3_600_000 - at).toISOString(),
    until: new Date(Date.now() - at).toISOString(),
  });
  const calls: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    'auth.me': () => person.rest('GET', '/auth/me'),
    'dashboard.security': (at) => client.dashboard.security.query({ ...lastHour(at), suspicious_limit: 10 }),
    'dashboard.traffic': (at) => client.dashboard.traffic.query(lastHour(at)),
    'workloads.list': () => client.workloads.list.query({ limit: 50 }),
    'workloads.get': () => client.workloads.get.query({ id }),
    'insights.summary': (at) => client.insights.summary.query({ id, ...lastHour(at) }),
    'insights.series': (at) => client.insights.series.query({ id, ...lastHour(at) }),
    'insights.flows': (at) => client.insights.flows.query({ id, ...lastHour(at), limit: 50 }),
    'flows.list': (at) => client.flows.list.query({ ...lastHour(at), limit: 50 }),
    'flows.series': (at) => client.flows.series.query(lastHour(at)),
    'conversations.list': (at) => client.conversations.list.query({ ...lastHour(at), limit: 50 }),
    'agents.list': () => client.agents.list.query({ limit: 50 }),
    'agents.summary': () => client.agents.summary.query({}),
    'policies.list': () => client.policies.list.query({ limit: 50 }),
    'ipAddresses.list': () => client.ipAddresses.list.query({ limit: 50 }),
    'subnets.list': () => client.subnets.list.query({ limit: 50 }),
    'clusters.list': () => client.clusters.list.query({ limit: 50 }),
    'jobs.overview': () => client.jobs.overview.query(),
    'topology.read': (at) => client.topology.read.query(lastHour(at)),
  };

  const pid = environment.processes.web.pid() ?? 0;
  /** Transactions since the start. PostgreSQL counts those of the last second late. */
  const countTransactions = async () => {
    await delay(1_200);
    const [row] =
      await sql`select xact_commit + xact_rollback as n from pg_stat_database where datname = current_database()`;
    return Number(row?.n);
  };
  const rows: { name: string; web: number; database: number; statements: number; ms: number }[] = [];
  for (const [name, call] of Object.entries(calls)) {
    for (let at = 0; at < 8; at++) await call(10_000 + at);
    const transactions = await countTransactions();
    const [web, database] = [processCpu(pid), postgresCpu(environment.databasePid())];
    const times: number[] = [];
    for (let at = 0; at < REPEAT; at++) {
      const started = performance.now();
      await call(at);
      times.push(performance.now() - started);
    }
    const spent = [processCpu(pid) - web, postgresCpu(environment.databasePid()) - database];
    const statements = ((await countTransactions()) - transactions) / REPEAT;
    const [inWeb = 0, inDatabase = 0] = spent.map((seconds) => (seconds * 1000) / REPEAT);
    rows.push({ name, web: inWeb, database: inDatabase, statements, ms: summary(times).median });
  }
  printTable(
    ['call', 'web', 'PostgreSQL', 'together', 'statements', 'median'],
    rows.map(({ name, web, database, statements, ms }) => [
      name,
      ...[web, database, web + database].map((value) => `${value.toFixed(1)} ms`),
      statements.toFixed(1),
      `${ms.toFixed(1)} ms`,
    ]),
  );
  for (const text of new Set(failed)) console.log(text);
  const most = Math.max(...rows.map(({ statements }) => statements));
  expectBar(`no call has more than ${MAX_STATEMENTS} statements (${most.toFixed(1)})`, most < MAX_STATEMENTS + 0.5);
} finally {
  await sql.end();
  await environment.stop();
}
process.exit();

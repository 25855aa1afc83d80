/**
 * What a call of a page costs: processor time of web and of PostgreSQL, and statements, each call for itself on a service that is idle
 * otherwise. Processor time hardly depends on what else the machine does.
 * Run after a production build: npx tsx packages/bench/calls.ts [--agents 40] [--repeat 60] [--show topology.read]
 * --show prints the statements of the calls whose name begins so. Statements are those of web and workers, less what an idle service
 * has in the same time; BEGIN and COMMIT do not count. Bar: no call has more than 12.
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
  options: {
    agents: { type: 'string', default: '40' },
    repeat: { type: 'string', default: '60' },
    show: { type: 'string' },
  },
});
const REPEAT = Number(values.repeat);
/** How long agents report before, each second: what pages show is of this time. */
const FILL_MS = 20_000;
const MAX_STATEMENTS = 12;

const environment = await startServiceEnvironment({ users: 1, agents: Number(values.agents), redisUrl: null });
const sql = postgres(environment.databaseUrl, { max: 1, onnotice: () => {} });

/** Lets the database count its statements. It must start again for that, which the environment does when it ends. */
async function countStatements(): Promise<void> {
  await sql`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  process.kill(environment.databasePid(), 'SIGINT');
  for (let attempt = 0; ; attempt++) {
    await delay(500);
    const made = await sql`create extension if not exists pg_stat_statements`.then(
      () => sql`select 1 from pg_stat_statements limit 1`,
      (error) => (attempt < 60 ? null : Promise.reject(error)),
    );
    if (made) return;
  }
}

type Statement = { query: string; calls: number };
/** The statements since the last time. */
async function takeStatements(): Promise<Statement[]> {
  const rows = await sql<Statement[]>`
    select query, sum(calls)::float8 as calls from pg_stat_statements
    where query !~* '^(begin|commit|rollback|set|listen)' and query not like '%pg_stat_statements%' group by query order by 2 desc`;
  await sql`select pg_stat_statements_reset()`;
  return rows;
}
const total = (statements: readonly Statement[]) => statements.reduce((sum, { calls }) => sum + calls, 0);

try {
  await countStatements();
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
  const IDLE_MS = 10_000;
  await takeStatements();
  await delay(IDLE_MS);
  const idlePerMs = total(await takeStatements()) / IDLE_MS;
  const rows: { name: string; web: number; database: number; statements: number; ms: number }[] = [];
  for (const [name, call] of Object.entries(calls)) {
    for (let at = 0; at < 8; at++) await call(10_000 + at);
    await takeStatements();
    const [web, database] = [processCpu(pid), postgresCpu(environment.databasePid())];
    const times: number[] = [];
    const began = performance.now();
    for (let at = 0; at < REPEAT; at++) {
      const started = performance.now();
      await call(at);
      times.push(performance.now() - started);
    }
    const spent = [processCpu(pid) - web, postgresCpu(environment.databasePid()) - database];
    const taken = await takeStatements();
    const statements = Math.max(0, total(taken) - idlePerMs * (performance.now() - began)) / REPEAT;
    if (values.show && name.startsWith(values.show)) {
      for (const { query, calls } of taken)
        console.log(`${name} ${(calls / REPEAT).toFixed(1)} × ${query.replace(/\s+/g, ' ').slice(0, 200)}`);
    }
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

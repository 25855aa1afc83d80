import { chromium, type Page } from '@playwright/test';
import { fillDashboard } from './dashboard-environment';
import { startIngestEnvironment } from './ingest-environment';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * What people wait for in a large installation: 5,000 workloads with many rules each, and ten million flows of a day; one web process.
 *   npx tsx packages/bench/large.ts [flows, 10000000] [rules of a workload, 200] [part of a name]
 * Needs a production build, and Chromium (CHROMIUM_PATH). Filling it takes four minutes for each million flows. No answer is one that was made for another call: each has another range, or is never shared.
 * In a second round there is a change before each call, in turn: a workload starts or stops, a policy is another one, or an alias of a cluster.
 * Pages are opened as documents, in a browser that has their programs; shown is when the last thing that was loading is there.
 * Bars: a day's dashboard, the matrix and the coverage in at most 1 s (p95), the map of a day in at most 500 ms (median), each page shown within
 * 800 ms (median).
 */
const [flows = 10_000_000, rules = 200] = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const only = process.argv.slice(2).find((argument) => !/^\d+$/.test(argument)) ?? '';
const PASSWORD = 'a long walk by the river';
const CALLS = 20;
const VISITS = 7;
/** No more calls of a kind after so long, but two. */
const PATIENCE_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

type Ask = { path: (call: number) => string; most: number; of: 'p95' | 'median' };
/** A day and some minutes, other ones for each call. */
const since = (call: number) => new Date(Date.now() - DAY_MS - call * MINUTE_MS).toISOString();

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const environment = await startIngestEnvironment();

/** @param change what happens before each call; null: nothing, and then the calls have to be in time */
async function measureCalls(
  calls: Readonly<Record<string, Ask>>,
  authorization: string,
  change: (() => Promise<unknown>) | null = null,
): Promise<void> {
  const rows: string[][] = [];
  const missed: string[] = [];
  for (const [name, { path, most, of }] of Object.entries(calls)) {
    if (!name.includes(only)) continue;
    const took: number[] = [];
    let bytes = 0;
    const until = performance.now() + PATIENCE_MS;
    for (let call = 0; call <= CALLS && (call < 2 || performance.now() < until); call++) {
      await change?.();
      const started = performance.now();
      const response = await fetch(`${environment.url}/api/v1${path(call)}`, { headers: { authorization } });
      const body = await response.text();
      bytes = body.length;
      if (!response.ok)
        throw new Error(`${name} answered ${response.status} after ${ms(performance.now() - started)}: ${body}`);
      took.push(performance.now() - started);
    }
    const [first = 0, ...others] = took;
    const { median, p95, max } = summary(others);
    if ((of === 'p95' ? p95 : median) > most)
      missed.push(`${name} (${ms(of === 'p95' ? p95 : median)} of ${ms(most)})`);
    rows.push([name, ...[first, median, p95, max].map(ms), `${Math.round(bytes / 1024)} KiB`]);
    console.error(rows.at(-1)?.join('  '));
  }
  printTable([change ? 'call after a change' : 'call', 'first', 'median', 'p95', 'max', 'size'], rows);
  if (change) return;
  expectBar(`calls in time${missed.length > 0 ? `; not ${missed.join(', ')}` : ''}`, missed.length === 0);
}

/** A page is loading while it has one of these: what it waits for, gray bars in its place, or a ring. */
const LOADING = '[aria-busy="true"], .animate-pulse, .animate-spin';
/** It has loaded when nothing has been loading for so long: one answer may be needed to ask for the next one. */
const STILL_MS = 300;

/** Milliseconds from the beginning of the navigation until the last thing that was loading is there. */
async function show(page: Page, path: string): Promise<number> {
  await page.goto(`${environment.url}${path}`, { waitUntil: 'commit' });
  const shown = await page.waitForFunction(
    ([loading, still]) => {
      const seen = window as typeof window & { shownAt?: number };
      if (!document.querySelector('h1') || document.querySelector(loading)) delete seen.shownAt;
      else seen.shownAt ??= performance.now();
      return seen.shownAt !== undefined && performance.now() - seen.shownAt > still && seen.shownAt;
    },
    [LOADING, STILL_MS] as const,
    { timeout: 60_000 },
  );
  return Number(await shown.jsonValue());
}

async function measurePages(paths: readonly string[], email: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const login = await context.request.post(`${environment.url}/api/v1/auth/login`, {
    data: { email, password: PASSWORD },
  });
  if (!login.ok()) throw new Error(`the sign-in answered ${login.status()}`);
  const page = await context.newPage();
  const rows: string[][] = [];
  const missed: string[] = [];
  for (const path of paths) {
    if (!path.includes(only)) continue;
    const first = await show(page, path);
    await show(page, path);
    const took: number[] = [];
    for (let visit = 0; visit < VISITS; visit++) took.push(await show(page, path));
    const { median, max } = summary(took);
    if (median > 800) missed.push(`${path} (${ms(median)})`);
    rows.push([path.replace(/[0-9a-f-]{36}/, '…'), ...[first, median, max].map(ms)]);
    console.error(rows.at(-1)?.join('  '));
  }
  await context.close();
  printTable(['page', 'first', 'shown', 'max'], rows);
  expectBar(`pages shown within 800 ms${missed.length > 0 ? `; not ${missed.join(', ')}` : ''}`, missed.length === 0);
}

try {
  const { bearer, makeUser } = await import('@/test/factories');
  const { sumTraffic } = await import('@/server/traffic/flows/upkeep');
  const { postgresFlowStore } = await import('@/server/traffic/storage/postgres/postgres-flow-store');
  const stored = await fillDashboard(environment, flows, rules);
  while (!(await sumTraffic()).done);
  const started = performance.now();
  while ((await postgresFlowStore.upkeep.settleConversations()).assigned > 0);
  await environment.sql`vacuum analyze`;
  console.error(`${stored} flows are stored; conversations in ${ms(performance.now() - started)}`);
  const { hashPassword } = await import('@/server/access/sign-in/passwords');
  await environment.sql`insert into system_settings (key, value) values ('setup', '{"completed_at": "2026-01-01T00:00:00Z"}')`;
  const user = await makeUser('admin', undefined, { password_hash: await hashPassword(PASSWORD) });
  const { authorization } = await bearer(user);
  const [guest] = await environment.sql`select id from bench_world where k = 7`;
  const calls: Readonly<Record<string, Ask>> = {
    dashboard: { path: (call) => `/dashboard?since=${since(call)}&suspicious_limit=8`, most: 1_000, of: 'p95' },
    'matrix of groups': { path: () => '/matrix?by=group', most: 1_000, of: 'p95' },
    'matrix of projects, one port': {
      path: () => '/matrix?by=project&protocol=tcp&port=443',
      most: 1_000,
      of: 'p95',
    },
    coverage: { path: () => '/coverage/workloads?limit=100', most: 1_000, of: 'p95' },
    'map of a day': { path: (call) => `/topology?since=${since(call)}&group_by=auto`, most: 500, of: 'median' },
  };
  await measureCalls(calls, authorization);
  // In a large installation some workload starts or stops in every minute.
  const { sql } = environment;
  const changes = [
    () =>
      sql`update workloads set status = case status when 'running' then 'stopped' else 'running' end where id = ${guest?.id}`,
    () => sql`update policies set priority = 1000 - priority where id = (select id from policies order by id limit 1)`,
    () => sql`update cluster_firewall_snapshots set state_hash = gen_random_uuid()::text,
      state = jsonb_set(state, '{aliases,bench}', to_jsonb('192.0.2.' || floor(random() * 256)::int))`,
  ];
  let turn = 0;
  await measureCalls(calls, authorization, async () => changes[turn++ % changes.length]?.());
  await measurePages(
    [
      ...[
        '/',
        '/workloads',
        `/workloads/${guest?.id}`,
        '/policies',
        '/coverage',
        '/flows',
        '/flows?tab=flows',
        '/topology',
      ],
      ...['/reach', '/addresses', '/agents', '/networks', '/drift', '/audit'],
    ],
    user.email,
  );
} finally {
  await browser.close();
  await environment.stop();
}

import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Attack } from './noisy-attacker';
import { startNoisyEnvironment } from './noisy-environment';
import { Person } from './person';
import { PASSWORD } from './service-environment';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long other accounts' light calls take while one account, or a client without an account, makes the most
 * expensive calls:
 *   npx tsx packages/bench/noisy-neighbor.ts [--seconds 5] [--rounds 3] [--builds directory,directory]
 *     [--attacks topology,mixture]
 * Builds are measured one after the other over the same store; the default is this one (.). Bar, for the last build:
 * the p95 of light calls of other accounts is at most twice its idle value under each attack. Idle and attacked rounds
 * alternate, so that other load on the machine slows both.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    builds: { type: 'string', default: '.' },
    attacks: { type: 'string', default: 'topology,sign-in,sign-in everywhere,mixture' },
  },
});
const seconds = Number(values.seconds);
/** Pause between light calls, as of a user who clicks quickly. */
const PAUSE_MS = 15;
/** After this long no user waits for an answer any more. */
const PATIENCE_MS = 20_000;
const ATTACKS = (['topology', 'sign-in', 'sign-in everywhere', 'mixture'] as const).filter((name) =>
  values.attacks.split(',').includes(name),
);

type Phase = { calls: number[]; failed: string[]; signIns: number[]; blocked: number };

const environment = await startNoisyEnvironment();
const ids = async (query: string) => (await environment.sql.unsafe<{ id: string }[]>(query)).map(({ id }) => id);
const workloads = await ids('select id from workloads where project_id is not null and vmid % 40 <> 0 limit 200');
const policies = await ids('select id from policies');

/** Longest delay of the event loop since this was last asked (ms), as the process tells its monitoring. */
async function longestBlock(url: string): Promise<number> {
  const text = await (await fetch(`${url}/api/v1/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}

async function measureSignIn(url: string): Promise<number> {
  const started = performance.now();
  const ok = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.50' },
    body: JSON.stringify({ email: environment.people.neighbour, password: PASSWORD }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
    .then(async (response) => response.text().then(() => response.ok))
    .catch(() => false);
  return ok ? performance.now() - started : Number.POSITIVE_INFINITY;
}

/** Light calls, one after the other, for some seconds. */
async function observe(
  url: string,
  people: Record<'neighbour' | 'operator', Person>,
  forSeconds = seconds,
): Promise<Phase> {
  const phase = createPhase();
  const { neighbour, operator } = people;
  const light = [
    () => neighbour.rest('GET', '/auth/me'),
    () => neighbour.rest('GET', '/workloads?limit=50'),
    () => neighbour.rest('GET', '/projects'),
    () => operator.rest('GET', '/settings'),
    () => operator.rest('GET', `/policies/${policies[0]}`),
  ];
  await longestBlock(url);
  const until = performance.now() + forSeconds * 1000;
  const signing = (async () => {
    while (performance.now() < until) {
      phase.signIns.push(await measureSignIn(url));
      await delay(1_000);
    }
  })();
  for (let at = 0; performance.now() < until; at += 1) {
    const started = performance.now();
    await light[at % light.length]?.().catch((error) => phase.failed.push(String(error)));
    phase.calls.push(performance.now() - started);
    await delay(PAUSE_MS);
  }
  await signing;
  phase.blocked = await longestBlock(url);
  return phase;
}

async function runUnderAttack(attack: Attack, work: () => Promise<Phase>): Promise<Phase> {
  const child = fork(fileURLToPath(new URL('./noisy-attacker.ts', import.meta.url)), [JSON.stringify(attack)], {
    execArgv: ['--import', 'tsx'],
  });
  const ended = new Promise<{ statuses: Record<string, number>; slowest: number }>((resolve) =>
    child.once('message', (message) => resolve(message as { statuses: Record<string, number>; slowest: number })),
  );
  // Until it is under way.
  await delay(2_000);
  const phase = await work();
  child.send('stop');
  const { statuses, slowest } = await ended;
  console.log(`    ${attack.name}: ${JSON.stringify(statuses)}, slowest ${ms(slowest)}`);
  return phase;
}

const createPhase = (): Phase => ({ calls: [], failed: [], signIns: [], blocked: 0 });

function addPhase(all: Phase, { calls, failed, signIns, blocked }: Phase): void {
  all.calls.push(...calls);
  all.failed.push(...failed);
  all.signIns.push(...signIns);
  all.blocked = Math.max(all.blocked, blocked);
}

const rows: string[][] = [];
const ratios: [string, number][] = [];

function report(name: string, phase: Phase, idle: number): void {
  const { median, p95, max } = summary(phase.calls);
  rows.push([
    name,
    ...[String(phase.calls.length), String(phase.failed.length), ms(median), ms(p95), ms(max)],
    ...[`${(p95 / idle).toFixed(1)}×`, ms(summary(phase.signIns).p95), ms(phase.blocked)],
  ]);
  console.log(rows.at(-1)?.join('  '));
  for (const text of new Set(phase.failed)) console.log(`    failed: ${text.slice(0, 160)}`);
}

/** The same calls before an attack and during it, in a web process of its own, so that nothing of an earlier attack is under way. */
async function measureRound(build: string, name: Attack['name']): Promise<[Phase, Phase]> {
  await environment.sql`delete from rate_limits`;
  const web = await environment.startWeb(build);
  try {
    const [neighbour, operator] = [new Person(web.url, () => {}), new Person(web.url, () => {})];
    await neighbour.signIn(environment.people.neighbour, PASSWORD);
    await operator.signIn(environment.people.operator, PASSWORD);
    const login = await fetch(`${web.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: environment.people.attacker, password: PASSWORD }),
    });
    const { access_token: token } = (await login.json()) as { access_token: string };
    const people = { neighbour, operator };
    // Everything has been loaded and read once.
    await observe(web.url, people, 3);
    const idle = await observe(web.url, people);
    const attacked = await runUnderAttack({ name, url: web.url, token, workloads, policies }, () =>
      observe(web.url, people),
    );
    return [idle, attacked];
  } finally {
    await web.stop();
  }
}

async function measure(build: string, name: Attack['name']): Promise<void> {
  const [idle, attacked]: [Phase, Phase] = [createPhase(), createPhase()];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [i, phase] of (await measureRound(build, name)).entries()) addPhase(i === 0 ? idle : attacked, phase);
  }
  const { p95 } = summary(idle.calls);
  report(`${build} idle`, idle, p95);
  report(`${build} ${name}`, attacked, p95);
  ratios.push([name, summary(attacked.calls).p95 / p95]);
}

try {
  for (const build of values.builds.split(',')) {
    ratios.length = 0;
    for (const name of ATTACKS) await measure(build, name);
  }
  printTable(['', 'light calls', 'failed', 'median', 'p95', 'max', 'p95 : idle', 'sign-in p95', 'longest block'], rows);
  for (const [name, ratio] of ratios) expectBar(`p95 under ${name} at most twice the idle one`, ratio <= 2);
} finally {
  await environment.stop();
}

import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Person } from './person';
import { PASSWORD, startServiceWorld } from './service-world';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * SIGTERM for web while it is busy: no request that it has accepted may fail. Each client sends one request after the other
 * over a kept connection; web is asked to end in the middle, again and again.
 *
 *   npx tsx bench/shutdown.ts [--rounds 5] [--clients 32]
 *
 * A request whose connection was refused was never accepted. One that was begun to be answered and broken off counts, and so
 * does every answer that is no success. What was closed before any byte of an answer is printed without a bar: the kernel takes
 * connections before the process does, and resets those that come in the very moment of closing. Needs a production build.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, clients: { type: 'string', default: '32' } },
});
const world = await startServiceWorld({ users: 1, agents: 20, redisUrl: null, backoffMs: 20 });

type Outcome = 'answered' | 'refused' | 'closed before an answer' | 'broken off' | `status ${number}`;

/** One request on a connection of its own, so that "accepted" means: the connection stood before the signal. */
function ask(token: string, path: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const one = request(
      `${world.url}${path}`,
      { agent: false, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        response.on('error', () => resolve('broken off'));
        response.on('end', () => {
          if (!response.complete) resolve('broken off');
          else resolve(response.statusCode === 200 ? 'answered' : `status ${response.statusCode ?? 0}`);
        });
        response.resume();
      },
    );
    one.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'closed before an answer'),
    );
    one.end();
  });
}

const PATHS = [
  '/api/v1/dashboard',
  '/api/v1/workloads?limit=200',
  '/api/v1/flows?limit=100',
  '/api/v1/agents?limit=200',
];

try {
  const person = new Person(world.url, () => {});
  await person.signIn(world.emails[0] ?? '', PASSWORD);
  const { access_token: token } = await fetch(`${world.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: world.emails[0], password: PASSWORD }),
  }).then((response) => response.json() as Promise<{ access_token: string }>);

  const outcomes = new Map<Outcome, number>();
  const ended: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    let open = true;
    const clients = Array.from({ length: Number(values.clients) }, async (_, n) => {
      while (open) {
        const outcome = await ask(token, PATHS[n % PATHS.length] ?? '');
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome !== 'answered') await delay(20);
      }
    });
    await delay(1_500);
    const pid = world.processes.web.pid() ?? 0;
    const started = performance.now();
    process.kill(pid, 'SIGTERM');
    while (world.processes.web.pid() === pid) await delay(10);
    ended.push(performance.now() - started);
    while (!(await fetch(`${world.url}/api/v1/health/ready`).catch(() => null))?.ok) await delay(50);
    open = false;
    await Promise.all(clients);
  }
  printTable(
    ['outcome', 'requests'],
    [...outcomes].map(([name, count]) => [name, String(count)]),
  );
  const { median, max } = summary(ended);
  console.log(`web ended within ${ms(median)} (longest ${ms(max)})\n`);
  const failed = [...outcomes].filter(([name]) => name === 'broken off' || name.startsWith('status'));
  const count = failed.reduce((total, [, n]) => total + n, 0);
  expectBar(`no accepted request failed (${count})`, count === 0);
} finally {
  await world.stop();
}
process.exit();

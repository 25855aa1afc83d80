import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '@fabric/simulator/random';
import { runAgents } from './node-agents';
import { PAGES, type Page } from './pages';
import { type Call, Person } from './person';
import { PASSWORD } from './service-environment';

/*
 * The people and the agents of packages/bench/load.ts, in a process of their own, so that their work does not count as
 * the service's. Signs everyone in, prints "ready", starts on "go", and hands over what it measured every second.
 */
type Plan = { url: string; emails: string[]; tokens: string[]; seconds: number; intervalMs: number; flows: number };

/** People stay on a page for about this long. */
const STAY_MS = 60_000;

type Visitor = { person: Person; permissions: readonly string[]; number: number };

const plan: Plan = JSON.parse(process.argv[2] ?? '{}');
let measured: Call[] = [];
let events = 0;
const onCall = (call: Call) => void measured.push(call);

function choose(pages: readonly Page[], random: () => number): Page | undefined {
  let left = random() * pages.reduce((total, page) => total + page.weight, 0);
  return pages.find((page) => {
    left -= page.weight;
    return left < 0;
  });
}

/** What a person does depends on their number only: two runs are asked for the same pages. */
async function browse({ person, permissions, number }: Visitor, signal: AbortSignal): Promise<void> {
  const random = createRandom(number);
  const pages = PAGES.filter(({ needs }) => permissions.includes(needs));
  // Not everyone at the same moment.
  await delay(random() * 10_000, undefined, { signal });
  while (!signal.aborted) {
    const visit = choose(pages, random)?.visit(person, random);
    if (!visit) return;
    const until = performance.now() + STAY_MS * (0.5 + random());
    await visit.open();
    while (performance.now() < until && !signal.aborted) {
      await delay(visit.every_ms ?? until - performance.now(), undefined, { signal });
      await visit.poll();
    }
  }
}

const people: Visitor[] = [];
for (let at = 0; at < plan.emails.length; at += 4) {
  const some = plan.emails.slice(at, at + 4).map(async (email, i) => {
    const person = new Person(plan.url, onCall);
    people.push({ person, permissions: await person.signIn(email, PASSWORD), number: at + i });
  });
  await Promise.all(some);
}

process.on('message', async () => {
  const end = new AbortController();
  // Everyone listens to it.
  setMaxListeners(0, end.signal);
  const report = setInterval(() => {
    process.send?.({ calls: measured, events });
    measured = [];
  }, 1_000);
  const stopped = () => {};
  const work = [
    runAgents({ ...plan, onCall }, end.signal),
    ...people.flatMap((visitor) => [
      browse(visitor, end.signal).catch(stopped),
      visitor.person.listen(end.signal, () => {
        events += 1;
      }),
    ]),
  ];
  await delay(plan.seconds * 1000);
  end.abort();
  await Promise.race([Promise.all(work), delay(35_000)]);
  clearInterval(report);
  process.send?.({ calls: measured, events, done: true }, () => process.exit(0));
});
process.send?.({ ready: people.filter(({ permissions }) => permissions.length > 0).length });

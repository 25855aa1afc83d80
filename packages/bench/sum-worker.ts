import { setTimeout as delay } from 'node:timers/promises';
import { closeDb } from '@/server/db/client';
import { sumTraffic } from '@/server/traffic/flows/upkeep';

// The job `traffic.sum` every ten seconds in a process of its own, as in the worker. Reports the duration of each run;
// ends on a message from its parent.
const ending = new AbortController();
process.on('message', () => ending.abort());
while (!ending.signal.aborted) {
  const started = performance.now();
  const { hours, done } = await sumTraffic();
  process.send?.({ ms: performance.now() - started, hours, done });
  await delay(10_000, undefined, { signal: ending.signal }).catch(() => {});
}
await closeDb();
process.disconnect();

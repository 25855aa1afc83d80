import { setTimeout as delay } from 'node:timers/promises';
import { logger } from '../lib/logger';
import { processState } from '../lib/process-state';
import { CLOSE_MS, type JobQueue, queueBackend } from './backend';
import type { JobName } from './definitions';

const state = processState(() => ({ open: new Map<JobName, JobQueue>() }));

/** The queue of a job, one per process and name. */
export function getQueue(name: JobName): JobQueue {
  const present = state.open.get(name);
  if (present) return present;
  const queue = queueBackend.queue(name);
  // The operation that failed reports its own error; without a listener the event would end the process.
  queue.on('error', (error) => logger.warn({ err: error, job: name }, 'queue error'));
  // One that could not reach the store when it was made never tries again: the next use makes another one.
  queue.waitUntilReady().catch(() => {
    if (state.open.get(name) === queue) state.open.delete(name);
    void queue.close().catch(() => {});
  });
  state.open.set(name, queue);
  return queue;
}

/** Closes this process's queues and the connections below them, within seconds: also when the store does not respond, or a worker still runs. */
export async function closeQueues(): Promise<void> {
  const queues = [...state.open.values()];
  state.open.clear();
  const closed = Promise.allSettled(queues.map((queue) => queue.close()));
  await Promise.race([closed, delay(CLOSE_MS, undefined, { ref: false })]);
  await queueBackend.close();
}

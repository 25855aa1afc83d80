import { UnrecoverableError } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '@/test/until';
import { newId } from '../lib/ids';
import { queueBackend } from './backend';
import { clusterSync, JOBS } from './definitions';
import { enqueue } from './enqueue';
import { jobsOverview } from './overview';
import { closeQueues, getQueue } from './queues';
import { ensureSchedules } from './schedules';

describe('jobsOverview', () => {
  beforeAll(() => queueBackend.prepare());
  afterAll(() => closeQueues());

  it('counts the same as the package does for each queue, in every state, with its workers', async () => {
    const queue = getQueue('cluster.sync');
    const counts = async () => ({
      counts: await queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed'),
      workers: await queue.getWorkersCount(),
    });
    for (const delay of [0, 0, 0, 0, 60_000]) await queue.add('cluster.sync', {}, { delay });
    const worker = queueBackend.worker('cluster.sync', async () => {}, { autorun: false });
    const named = queueBackend.worker('cluster.sync', async () => {}, { autorun: false, name: 'second' });
    await Promise.all([worker.waitUntilReady(), named.waitUntilReady()]);
    const [done, failed] = [await worker.getNextJob('one'), await worker.getNextJob('two')];
    await done?.moveToCompleted(undefined, 'one', false);
    await failed?.moveToFailed(new UnrecoverableError('gone'), 'two');
    await worker.getNextJob('three');
    expect(await counts()).toEqual({
      counts: { waiting: 1, active: 1, delayed: 1, completed: 1, failed: 1 },
      workers: 2,
    });
    const { queues } = await jobsOverview();
    expect(queues[0]).toMatchObject({ ...(await counts()).counts, workers: 2 });
    expect(queues[1]).toMatchObject({ waiting: 0, failed: 0, workers: 0 });
    await Promise.all([worker.close(), named.close()]);
    // PostgreSQL ends their sessions a moment after they have ended.
    await until('no worker is connected', async () => (await queue.getWorkersCount()) === 0);
    await queue.obliterate({ force: true });
  });

  it('lists every queue, also before anything ran', async () => {
    const { backend, queues, recent_failures } = await jobsOverview();
    expect(backend).toBe('postgres');
    expect(queues.map((queue) => queue.name)).toEqual(Object.keys(JOBS));
    expect(queues[0]).toEqual({
      name: 'cluster.sync',
      waiting: 0,
      active: 0,
      delayed: 0,
      completed: 0,
      failed: 0,
      workers: 0,
      every_seconds: null,
      next_run_at: null,
    });
    expect(recent_failures).toEqual([]);
  });

  it('counts waiting jobs and shows when schedules run next', async () => {
    await enqueue(clusterSync, { cluster_id: newId() });
    await enqueue(clusterSync, { cluster_id: newId() });
    await ensureSchedules();
    const { queues } = await jobsOverview();
    const [sync, prune] = ['cluster.sync', 'maintenance.prune'].map((name) =>
      queues.find((item) => item.name === name),
    );
    expect(sync).toMatchObject({ waiting: 2, next_run_at: null });
    expect(prune).toMatchObject({ every_seconds: 3600 });
    expect(Math.abs(Date.parse(prune?.next_run_at ?? '') - Date.now())).toBeLessThan(3_600_000 + 5_000);
  });

  it('gives the newest failures of all queues first, and no more than asked for', async () => {
    const queue = getQueue('cluster.sync');
    await queue.obliterate({ force: true });
    const ids = [newId(), newId(), newId()];
    for (const cluster_id of ids) {
      await enqueue(clusterSync, { cluster_id });
      const worker = queueBackend.worker('cluster.sync', async () => {}, { autorun: false });
      const job = await worker.getNextJob('token');
      await job?.moveToFailed(new UnrecoverableError('The cluster does not answer.'), 'token');
      await worker.close();
    }
    const { recent_failures } = await jobsOverview(2);
    expect(recent_failures.map((failure) => failure.payload)).toEqual([{ cluster_id: ids[2] }, { cluster_id: ids[1] }]);
    expect(recent_failures[0]).toMatchObject({ name: 'cluster.sync', reason: 'The cluster does not answer.' });
  });
});

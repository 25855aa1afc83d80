import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { newId } from '@/server/lib/ids';
import { bundled } from '@/test/bundle';
import { startFreshProcess } from '@/test/fresh-process';
import { overrideConstant } from '@/test/override-constant';
import { redisUrl } from '@/test/redis';
import { until } from '@/test/until';
import { idleProcessors } from './idle-processors.fixture';
import type { JobContext, JobProcessors } from './processors';
import type { WorkerRuntime } from './runtime';

const FAST = { lockDurationMs: 1_000, stalledIntervalMs: 300, graceMs: 100, scheduleCheckMs: 200 };
const program = bundled('workers/hanging-worker.fixture.ts');

/** The process holds the backend it chose; each backend gets a process that has just started. */
async function load() {
  await startFreshProcess();
  const [runtime, definitions, enqueue, schedules, overview, queues, backend, errors, metrics] = await Promise.all([
    import('./runtime'),
    import('@/server/jobs/definitions'),
    import('@/server/jobs/enqueue'),
    import('@/server/jobs/schedules'),
    import('@/server/jobs/overview'),
    import('@/server/jobs/queues'),
    import('@/server/jobs/backend'),
    import('@/server/lib/errors'),
    import('@/server/lib/metrics'),
  ]);
  const jobs = { ...definitions, ...enqueue, ...schedules, ...overview, ...queues, ...backend };
  return { ...runtime, ...jobs, ...errors, ...metrics };
}

describe.each(['postgres', 'redis'] as const)('jobs on %s', (kind) => {
  describe.skipIf(kind === 'redis' && inject('redisServerUrl') === null)('with a real server', () => {
    let m: Awaited<ReturnType<typeof load>>;
    let runtimes: WorkerRuntime[] = [];
    let children: ChildProcess[] = [];
    let sync: (clusterId: string, context: JobContext) => Promise<void>;
    let scheduled = 0;
    let onceDone: () => void;

    const processors: JobProcessors = {
      ...idleProcessors,
      'cluster.sync': ({ cluster_id }, context) => sync(cluster_id, context),
      'sync.schedule': async () => {
        scheduled += 1;
      },
    };
    const startWorkers = async () => {
      const runtime = await m.startWorkers(processors, FAST);
      runtimes.push(runtime);
      return runtime;
    };
    const findQueue = async (name: string) => (await m.jobsOverview()).queues.find((queue) => queue.name === name);

    beforeAll(async () => {
      vi.stubEnv('REDIS_URL', kind === 'redis' ? redisUrl() : '');
      m = await load();
      onceDone = overrideConstant(m.JOBS['cluster.sync'], { backoffMs: 50 });
      expect(m.queueBackend.kind).toBe(kind);
      await m.queueBackend.prepare();
    });
    beforeEach(async () => {
      scheduled = 0;
      for (const name of Object.keys(m.JOBS) as (keyof typeof m.JOBS)[])
        await m.getQueue(name).obliterate({ force: true });
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      children = [];
      await Promise.all(runtimes.map((runtime) => runtime.close()));
      runtimes = [];
    });
    afterAll(async () => {
      onceDone();
      await m.closeQueues();
      vi.unstubAllEnvs();
    });

    it('exports the runs of each job before the first one ends', async () => {
      await startWorkers();
      const lines = (await m.metricsText()).split('\n');
      const expected = Object.keys(m.JOBS).flatMap((name) =>
        ['ok', 'failed'].map((result) => `fabric_job_duration_seconds_count{name="${name}",result="${result}"} `),
      );
      expect(expected.filter((start) => !lines.some((line) => line.startsWith(start)))).toEqual([]);
    });

    it('runs a job once per key while it waits, and once more when enqueued while it runs', async () => {
      const [first, second] = [newId(), newId()];
      const runs: string[] = [];
      const open: (() => void)[] = [];
      sync = (id) => {
        runs.push(id);
        return new Promise((resolve) => open.push(resolve));
      };
      for (let i = 0; i < 5; i++) await m.enqueue(m.clusterSync, { cluster_id: first });
      await m.enqueue(m.clusterSync, { cluster_id: second });
      expect(await findQueue('cluster.sync')).toMatchObject({ waiting: 2, active: 0 });
      await startWorkers();
      await until('both run', () => runs.length === 2);
      for (let i = 0; i < 5; i++) await m.enqueue(m.clusterSync, { cluster_id: first });
      await delay(100);
      expect(runs).toEqual([first, second]);
      for (const finish of open.splice(0)) finish();
      await until('the one behind runs', () => runs.length === 3);
      expect(runs[2]).toBe(first);
      for (const finish of open.splice(0)) finish();
      await until('all done', async () => (await findQueue('cluster.sync'))?.completed === 3);
      await m.enqueue(m.clusterSync, { cluster_id: first });
      await until('a later one runs again', () => runs.length === 4);
      for (const finish of open.splice(0)) finish();
    });

    it('retries with growing pauses and then reports why it failed', async () => {
      const times: number[] = [];
      sync = async () => {
        times.push(Date.now());
        throw new m.AppError('upstream', 'The cluster does not answer. Check its address.');
      };
      await startWorkers();
      const id = newId();
      await m.enqueue(m.clusterSync, { cluster_id: id });
      await until('failed', async () => (await findQueue('cluster.sync'))?.failed === 1);
      expect(times).toHaveLength(3);
      const [a = 0, b = 0, c = 0] = times;
      expect(b - a).toBeGreaterThanOrEqual(45);
      expect(c - b).toBeGreaterThanOrEqual(90);
      expect((await m.jobsOverview()).recent_failures).toMatchObject([
        {
          name: 'cluster.sync',
          payload: { cluster_id: id },
          reason: 'The cluster does not answer. Check its address.',
          attempts: 3,
        },
      ]);
      const runs = times.length;
      await m.enqueue(m.clusterSync, { cluster_id: id });
      await until('a failed job does not block its key', () => times.length > runs);
    });

    it('does not try again what cannot succeed, and keeps unknown messages out of the queue', async () => {
      let runs = 0;
      sync = async () => {
        runs += 1;
        throw new m.AppError('not_found', 'Cluster not found.');
      };
      await startWorkers();
      await m.enqueue(m.clusterSync, { cluster_id: newId() });
      await until('failed', async () => (await findQueue('cluster.sync'))?.failed === 1);
      expect(runs).toBe(1);
      sync = async () => {
        throw new Error('password hunter2 refused');
      };
      await m.enqueue(m.clusterSync, { cluster_id: newId() });
      await until('failed', async () => (await findQueue('cluster.sync'))?.failed === 2);
      expect(JSON.stringify(await m.jobsOverview())).not.toContain('hunter2');
    });

    it('refuses a payload that is not an identity', async () => {
      await expect(m.enqueue(m.clusterSync, { cluster_id: 'all' })).rejects.toThrow(/UUID/i);
    });

    it('takes over the job of a worker that was killed', async () => {
      const id = newId();
      await m.enqueue(m.clusterSync, { cluster_id: id });
      const child = spawn(process.execPath, [program(), JSON.stringify(FAST)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const found = await new Promise<string>((resolve) => child.stdout?.once('data', (data) => resolve(String(data))));
      expect(found).toContain(id);
      child.kill('SIGKILL');
      const runs: string[] = [];
      sync = async (cluster) => {
        runs.push(cluster);
      };
      await startWorkers();
      await until('taken over', () => runs.length === 1);
      expect(runs).toEqual([id]);
      await until('done', async () => (await findQueue('cluster.sync'))?.completed === 1);
      await m.enqueue(m.clusterSync, { cluster_id: id });
      await until('its key is free again', () => runs.length === 2);
    });

    it('puts a running job back when the worker ends, without using up a try', async () => {
      const id = newId();
      let started = 0;
      sync = (_, { signal }) => {
        started += 1;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      };
      const first = await startWorkers();
      await m.enqueue(m.clusterSync, { cluster_id: id });
      await until('started', () => started === 1);
      await first.close();
      expect(await findQueue('cluster.sync')).toMatchObject({ waiting: 1, active: 0, failed: 0 });
      let attempts = -1;
      sync = async () => {
        attempts = (await m.getQueue('cluster.sync').getActive())[0]?.attemptsMade ?? -1;
      };
      await startWorkers();
      await until('done', async () => (await findQueue('cluster.sync'))?.completed === 1);
      expect(attempts).toBe(0);
    });

    it('keeps its schedules over a restart, runs them, and restores them when the queue was lost', async () => {
      const undo = overrideConstant(m.JOBS['sync.schedule'], { everyMs: 300 });
      onTestFinished(undo);
      const first = await startWorkers();
      await until('it ran twice', () => scheduled >= 2);
      await first.close();
      const overview = await findQueue('sync.schedule');
      expect(overview?.every_seconds).toBe(0.3);
      expect(overview?.next_run_at).not.toBeNull();
      expect(await findQueue('maintenance.prune')).toMatchObject({ every_seconds: 3600 });

      scheduled = 0;
      await startWorkers();
      await until('it runs after a restart', () => scheduled >= 2);
      if (kind === 'redis') {
        const client = new Redis(redisUrl());
        await client.flushall();
        client.disconnect();
      } else {
        for (const name of Object.keys(m.JOBS) as (keyof typeof m.JOBS)[])
          await m.getQueue(name).obliterate({ force: true });
      }
      scheduled = 0;
      await until('it runs after the loss', () => scheduled >= 2);
      expect(await findQueue('maintenance.prune')).toMatchObject({ every_seconds: 3600 });
    });

    it('leaves a schedule alone that is as it should be', async () => {
      expect(await m.ensureSchedules()).toEqual([
        'sync.schedule',
        'ipam.schedule',
        'ipam.findings',
        'directory.check',
        'maintenance.prune',
        'telemetry.retain',
        'traffic.sum',
        'flows.resolve',
        'flows.confirm',
        'agents.watch',
        'coverage.count',
        'hygiene.check',
        'policy_tests.evaluate',
        'change.revalidate',
        'firewall.schedule',
        'deployment.schedule',
        'change.schedule',
        'change.start',
        'policies.expire',
        'notification.evaluate',
        'notification.schedule',
        'forwarding.schedule',
      ]);
      expect(await m.ensureSchedules()).toEqual([]);
      const before = await findQueue('sync.schedule');
      await m.ensureSchedules();
      expect(await findQueue('sync.schedule')).toEqual(before);
    });

    it.each([
      ['that is closing', true],
      ['that runs', false],
    ])('closes its queues and connections while a worker %s has a job that does not end', async (_, closes) => {
      let finish: (() => void) | undefined;
      sync = () =>
        new Promise((resolve) => {
          finish = resolve;
        });
      const worker = await m.startWorkers(processors, { ...FAST, lateMs: 300 });
      runtimes.push(worker);
      await m.enqueue(m.clusterSync, { cluster_id: newId() });
      await until('started', () => finish);
      if (closes) await worker.close();
      await m.closeQueues();
      finish?.();
      await worker.close();
      m = await load();
      // A worker has a connection of its own to Redis, which ends with it.
      if (kind === 'postgres') await until('no worker', async () => (await findQueue('cluster.sync'))?.workers === 0);
    });

    it('counts the worker processes that are connected', async () => {
      expect((await findQueue('cluster.sync'))?.workers).toBe(0);
      await startWorkers();
      await until('one worker', async () => (await findQueue('cluster.sync'))?.workers === 1);
    });
  });
});

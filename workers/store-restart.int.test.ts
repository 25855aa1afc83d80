import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, inject, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { newId } from '@/server/lib/ids';
import { startFreshProcess } from '@/test/fresh-process';
import { overrideConstant } from '@/test/override-constant';
import { startRedisServer } from '@/test/redis-server';
import { until } from '@/test/until';
import { idleProcessors } from './idle-processors.fixture';
import type { JobProcessors } from './processors';
import type { WorkerRuntime } from './runtime';

const FAST = { lockDurationMs: 1_000, stalledIntervalMs: 300, graceMs: 100, scheduleCheckMs: 200 };

async function load(variables: Record<string, string>) {
  await startFreshProcess(variables);
  const [runtime, definitions, enqueue, queues, prepare] = await Promise.all([
    import('./runtime'),
    import('@/server/jobs/definitions'),
    import('@/server/jobs/enqueue'),
    import('@/server/jobs/queues'),
    import('@/runtime/prepare-stores'),
  ]);
  return { ...runtime, ...definitions, ...enqueue, ...queues, ...prepare };
}

type Modules = Awaited<ReturnType<typeof load>>;

/** One worker with a job that runs, while `restart` takes the store away, and what has to work afterwards. */
async function survive(m: Modules, restart: () => Promise<void>, setRuntime: (runtime: WorkerRuntime) => void) {
  const runs: string[] = [];
  let scheduled = 0;
  // A job that is taken over runs once more beside the others: each has an end of its own.
  const running = new Set<() => void>();
  const finish = () => {
    for (const end of running) end();
  };
  const processors: JobProcessors = {
    ...idleProcessors,
    'cluster.sync': ({ cluster_id }, { signal }) => {
      runs.push(cluster_id);
      return new Promise<void>((resolve) => {
        running.add(resolve);
        signal.addEventListener('abort', () => resolve());
      });
    },
    'sync.schedule': async () => {
      scheduled += 1;
    },
  };
  onTestFinished(overrideConstant(m.JOBS['sync.schedule'], { everyMs: 300 }));
  setRuntime(await m.startWorkers(processors, FAST));
  const [before, after] = [newId(), newId()];
  await m.enqueue(m.clusterSync, { cluster_id: before });
  await until('the job runs', () => runs.length === 1);
  await restart();
  finish();
  await until('a job of afterwards is taken', () => {
    if (!runs.includes(after)) void m.enqueue(m.clusterSync, { cluster_id: after }).catch(() => {});
    finish();
    return runs.includes(after);
  });
  scheduled = 0;
  await until('schedules go on', () => scheduled >= 2);
  finish();
}

describe('a worker whose store is restarted in the middle of a job', () => {
  let runtime: WorkerRuntime | undefined;
  let m: Modules | undefined;
  let stopStore: () => Promise<void>;
  const setRuntime = (made: WorkerRuntime) => {
    runtime = made;
  };
  afterEach(async () => {
    await runtime?.close();
    await m?.closeQueues();
    await stopStore();
    vi.unstubAllEnvs();
  });

  it('continues after kill -9 of PostgreSQL', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fabric-restart-'));
    const database = await startEmbeddedDatabase(directory, () => {});
    stopStore = async () => {
      await database.stop();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    };
    m = await load({ DATABASE_URL: database.url, REDIS_URL: '' });
    await m.prepareStores({ DATABASE_URL: database.url });
    const restart = async () => {
      const old = database.pid();
      process.kill(old, 'SIGKILL');
      await until('it is back', () => database.pid() !== old);
    };
    await survive(m, restart, setRuntime);
  });

  it.skipIf(inject('redisServerUrl') === null)(
    'continues after kill -9 of Redis, with everything in it lost',
    async () => {
      let redis = await startRedisServer();
      stopStore = () => redis.stop();
      m = await load({ REDIS_URL: redis.url });
      const restart = async () => {
        await redis.stop();
        await delay(500);
        redis = await startRedisServer(Number(new URL(redis.url).port));
      };
      await survive(m, restart, setRuntime);
    },
  );
});

import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { createTestDatabase, dropTestDatabase } from '@/test/database';
import { runStatements } from '@/test/database-server';
import { startFreshProcess } from '@/test/fresh-process';
import { redisUrl } from '@/test/redis';

async function load(variables: Record<string, string>) {
  await startFreshProcess(variables);
  const [health, backend, queues, client] = await Promise.all([
    import('./health'),
    import('../jobs/backend'),
    import('../jobs/queues'),
    import('../db/client'),
  ]);
  return { ...health, ...backend, ...queues, ...client };
}

describe('readiness', () => {
  let m: Awaited<ReturnType<typeof load>>;
  afterEach(async () => {
    await m.closeQueues();
    await m.closeDb();
    vi.unstubAllEnvs();
  });

  it('returns ok when database, migrations and queue work; a missing worker is only reported', async () => {
    const url = await createTestDatabase();
    m = await load({ DATABASE_URL: url, REDIS_URL: '' });
    await m.queueBackend.prepare();
    expect(await m.readiness()).toEqual({
      status: 'ok',
      checks: {
        database: { status: 'ok' },
        migrations: { status: 'ok' },
        queue: { status: 'ok' },
        secret_key: { status: 'ok' },
        worker: { status: 'failed', detail: 'no worker is connected; jobs are waiting' },
      },
    });
    await runStatements(url, ['delete from drizzle.__drizzle_migrations where id > 1']);
    expect(await m.readiness()).toMatchObject({ status: 'failed', checks: { migrations: { status: 'failed' } } });
    await runStatements(url, ['drop schema drizzle cascade']);
    expect(await m.readiness()).toMatchObject({ status: 'failed', checks: { migrations: { status: 'failed' } } });
    await dropTestDatabase(url);
  });

  it('fails without naming hosts when nothing answers', async () => {
    m = await load({
      DATABASE_URL: 'postgres://nobody:hidden-word@127.0.0.1:9/none',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    const result = await m.readiness();
    expect(result).toMatchObject({
      status: 'failed',
      checks: { database: { status: 'failed' }, migrations: { status: 'unknown' }, queue: { status: 'failed' } },
    });
    expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|hidden-word|nobody/);
  });

  it('fails when no session could be signed', async () => {
    const url = await createTestDatabase();
    m = await load({ DATABASE_URL: url, REDIS_URL: '', FABRIC_SECRET_KEY: '' });
    await m.queueBackend.prepare();
    const result = await m.readiness();
    expect(result).toMatchObject({
      status: 'failed',
      checks: { database: { status: 'ok' }, queue: { status: 'ok' }, secret_key: { status: 'failed' } },
    });
    expect(result.checks.secret_key.detail).toMatch(/^FABRIC_SECRET_KEY is not set/);
    await m.closeDb();
    await dropTestDatabase(url);
  });

  it.skipIf(inject('redisServerUrl') === null)('asks Redis when that holds the queues', async () => {
    const url = await createTestDatabase();
    m = await load({ DATABASE_URL: url, REDIS_URL: redisUrl() });
    expect(await m.readiness()).toMatchObject({ status: 'ok', checks: { queue: { status: 'ok' } } });
    await m.closeDb();
    await dropTestDatabase(url);
  });
});

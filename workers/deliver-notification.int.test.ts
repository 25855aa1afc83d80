import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { startWebhookReceiver } from '@/server/notifications/testing/webhook-receiver.fixture';
import { startFreshProcess } from '@/test/fresh-process';
import { redisUrl } from '@/test/redis';
import { idleProcessors } from './idle-processors.fixture';
import type { WorkerRuntime } from './runtime';

vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

/** The process holds the backend it chose; each backend gets a process that has just started. */
async function load() {
  await startFreshProcess();
  const [runtime, definitions, enqueue, queues, backend, ...rest] = await Promise.all([
    import('./runtime'),
    import('@/server/jobs/definitions'),
    import('@/server/jobs/enqueue'),
    import('@/server/jobs/queues'),
    import('@/server/jobs/backend'),
    import('./processors'),
    import('@/test/factories'),
    import('@/test/request'),
    import('@/server/db/client'),
  ]);
  const [table, factories, request, client] = rest;
  return {
    ...runtime,
    ...definitions,
    ...enqueue,
    ...queues,
    ...backend,
    ...table,
    ...factories,
    ...request,
    ...client,
  };
}

describe.each(['postgres', 'redis'] as const)('notifications by jobs on %s', (kind) => {
  describe.skipIf(kind === 'redis' && inject('redisServerUrl') === null)('with a real server', () => {
    let m: Awaited<ReturnType<typeof load>>;
    let runtime: WorkerRuntime | undefined;
    let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;

    beforeAll(async () => {
      vi.stubEnv('REDIS_URL', kind === 'redis' ? redisUrl() : '');
      m = await load();
      expect(m.queueBackend.kind).toBe(kind);
      await m.queueBackend.prepare();
      for (const job of [m.notificationDeliver, m.notificationEvaluate, m.notificationSchedule])
        await m.getQueue(job.name).obliterate({ force: true });
      receiver = await startWebhookReceiver();
    });
    afterAll(async () => {
      await runtime?.close();
      await m.closeQueues();
      await receiver.close();
      await m.closeDb();
    });

    it('finds a failed sync, notifies about it once, and sends what a lost queue left behind', async () => {
      const headers = await m.bearer(await m.makeUser('super_admin', undefined, { email: `${kind}@example.org` }));
      const post = async (path: string, body?: unknown) => {
        const response = await m.call(path, { method: 'POST', headers, body });
        expect(response.ok, path).toBe(true);
        return (await response.json()) as { id: string };
      };
      const channel = await post('/notification-channels', {
        kind: 'webhook',
        name: `chat ${kind}`,
        url: receiver.url,
      });
      await post('/notification-rules', {
        name: `syncs ${kind}`,
        conditions: ['sync_failed'],
        open_after_minutes: 0,
        channel_ids: [channel.id],
      });
      const cluster = await m.makeCluster({ name: kind, sync_status: 'failed', last_sync_error: 'No answer.' });
      // The job of this one is lost with its queue.
      await post(`/notification-channels/${channel.id}/test`);
      await m.getQueue(m.notificationDeliver.name).obliterate({ force: true });

      runtime = await m.startWorkers({
        ...idleProcessors,
        'notification.deliver': m.processors['notification.deliver'],
        'notification.evaluate': m.processors['notification.evaluate'],
        'notification.schedule': m.processors['notification.schedule'],
      });
      for (let round = 0; round < 3; round++) await m.enqueue(m.notificationEvaluate, {});
      await m.enqueue(m.notificationSchedule, {});
      await expect.poll(() => receiver.received.map(({ body }) => body.event).sort()).toEqual(['opened', 'test']);
      const found = receiver.received.find(({ body }) => body.event === 'opened');
      expect(found?.body.incidents).toMatchObject([{ object_id: cluster.id, detail: 'No answer.' }]);
      await m.sqlClient()`update notification_rules set enabled = false`;
      await m.sqlClient()`delete from clusters where id = ${cluster.id}`;
    });
  });
});

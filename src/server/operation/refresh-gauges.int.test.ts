import { afterAll, describe, expect, it, vi } from 'vitest';
import { prepareStores } from '@/runtime/prepare-stores';
import { queueBackend } from '@/server/jobs/backend';
import { clusterSync } from '@/server/jobs/definitions';
import { enqueue } from '@/server/jobs/enqueue';
import { closeQueues, getQueue } from '@/server/jobs/queues';
import { env } from '@/server/lib/env';
import { newId } from '@/server/lib/ids';
import { metricsText } from '@/server/lib/metrics';
import { makeAgent, makeCluster, makeNode } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { readFleetFacts } from './queries/database';

const metrics = async () =>
  (await call('/metrics', { from: '127.0.0.1', headers: { 'x-fabric-host': 'localhost' } })).text();

describe('gauges', () => {
  afterAll(() => closeQueues());

  it('show current values, and disappear when there is nothing to count', async () => {
    const clock = fakeClock();
    try {
      const unlabelled = /^fabric_(workers|schedules_overdue|flow_outbox_\w+|flow_move_rows|flow_refused_reports) /m;
      // A worker exports these without reading them.
      expect(await metricsText()).not.toMatch(unlabelled);
      await prepareStores({ DATABASE_URL: env().DATABASE_URL ?? '' });
      expect(queueBackend.kind).toBe('postgres');
      await makeAgent(await makeNode(await makeCluster({ sync_status: 'failed' })));
      // Each retry is queued and runs for some minutes; until it has succeeded, the last sync failed.
      await makeCluster({ sync_status: 'running', last_sync_error: 'The cluster does not answer.' });
      await enqueue(clusterSync, { cluster_id: newId() });
      const text = await metrics();
      expect(text).toContain('fabric_clusters{sync_status="failed"} 2');
      expect(text).toContain('fabric_agents{status="pending"} 1');
      expect(text).toContain('fabric_queue_jobs{queue="cluster.sync",state="waiting"} 1');
      expect(text).toContain('fabric_workers 0');
      expect(text).not.toMatch(/^fabric_flow_\w+ /m);
      expect(text).toContain('fabric_gauges_known{part="fleet"} 1');
      expect(text).toContain('fabric_gauges_known{part="queues"} 1');
      expect(await readFleetFacts()).toMatchObject({ clusters: 2, failed: 2 });
      await makeCluster({ sync_status: 'ok' });
      await makeCluster({ sync_status: 'queued' });
      // Fresh enough: frequent requests cost nothing.
      expect(await metrics()).not.toContain('sync_status="ok"');
      clock.advance(6);
      const later = await metrics();
      expect(later).toContain('fabric_clusters{sync_status="ok"} 1');
      expect(later).toContain('fabric_clusters{sync_status="queued"} 1');
      expect(later).toContain('fabric_clusters{sync_status="failed"} 2');
      // Planned by a clock that was ahead: nothing would run until then. The gauges are read again although they are of later.
      const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 30 * 86_400_000);
      await getQueue('change.schedule').upsertJobScheduler('change.schedule', { every: 60_000 });
      ahead.mockRestore();
      clock.advance(-3600);
      expect(await metrics()).toContain('fabric_schedules_overdue 1');
    } finally {
      clock.restore();
    }
  });
});

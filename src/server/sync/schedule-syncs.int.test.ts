import { and, eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { db } from '@/server/db/client';
import { clusters } from '@/server/db/schema/clusters';
import { auditRecords, syncRuns } from '@/server/db/schema/operations';
import { queueBackend } from '@/server/jobs/backend';
import { closeQueues, getQueue } from '@/server/jobs/queues';
import { auditTrail } from '@/test/audit-trail';
import { fakeClock } from '@/test/fake-clock';
import { scheduleDiscovery } from '../addresses/discovery/request-discovery';
import { storedSettings, updateSettings } from '../settings/settings';
import { createCluster } from './clusters';
import { scheduleSyncs } from './request-sync';

vi.stubEnv('REDIS_URL', '');
const write = systemScope('cluster:write', 'test');
let serial = 0;
let time: ReturnType<typeof fakeClock>;

const makeCluster = () => {
  serial += 1;
  return createCluster(write, {
    name: `cluster ${serial}`,
    api_url: 'https://pve.example.org:8006',
    api_token: 'a@pve!b=c',
    tls_fingerprint: null,
    rule_placement: 'above',
  });
};
const waiting = async () =>
  (await getQueue('cluster.sync').getWaiting()).map((job) => (job.data as { cluster_id: string }).cluster_id);
const listRuns = (clusterId: string) => db.select().from(syncRuns).where(eq(syncRuns.cluster_id, clusterId));
const settings = (changes: object) => updateSettings(systemScope('*', 'test'), changes);

beforeAll(() => queueBackend.prepare());
beforeEach(async () => {
  await getQueue('cluster.sync').obliterate({ force: true });
  await db.delete(clusters).where(eq(clusters.sync_status, clusters.sync_status));
  time = fakeClock();
});
afterEach(() => time.restore());
afterAll(() => closeQueues());

describe('automatic syncs', () => {
  it('start for every cluster when the interval is over, and not before', async () => {
    const made = [await makeCluster(), await makeCluster()];
    await settings({ auto_node_sync_enabled: true, auto_node_sync_interval_minutes: 30 });
    await scheduleSyncs();
    const ids = made.map((cluster) => cluster.id).sort();
    expect((await waiting()).sort()).toEqual(ids);
    for (const id of ids)
      expect(await listRuns(id)).toMatchObject([{ status: 'queued', trigger: 'auto', requested_by: null }]);
    // Queued is not synced.
    expect(await storedSettings()).toMatchObject({ last_node_auto_sync_at: null });

    await db
      .update(syncRuns)
      .set({ status: 'ok', finished_at: new Date().toISOString() })
      .where(eq(syncRuns.kind, 'inventory'));
    await getQueue('cluster.sync').obliterate({ force: true });
    time.advance(29 * 60);
    await scheduleSyncs();
    expect(await waiting()).toEqual([]);
    time.advance(60);
    await scheduleSyncs();
    expect((await waiting()).sort()).toEqual(ids);
  });

  it('do nothing when they are switched off, and leave a sync alone that is under way', async () => {
    const cluster = await makeCluster();
    time.advance(86_400);
    await settings({ auto_node_sync_enabled: false });
    await scheduleSyncs();
    expect(await listRuns(cluster.id)).toEqual([]);
    await db
      .insert(syncRuns)
      .values({ cluster_id: cluster.id, kind: 'inventory', status: 'queued', trigger: 'manual' });
    await settings({ auto_node_sync_enabled: true });
    await scheduleSyncs();
    expect(await listRuns(cluster.id)).toMatchObject([{ trigger: 'manual', status: 'queued' }]);
  });

  it('start when the last one was scheduled by a clock that was put back since', async () => {
    const cluster = await makeCluster();
    await settings({ auto_node_sync_enabled: true, auto_node_sync_interval_minutes: 30 });
    time.advance(30 * 86_400);
    await scheduleSyncs();
    await db.delete(syncRuns).where(eq(syncRuns.cluster_id, cluster.id));
    time.advance(-30 * 86_400);
    await scheduleSyncs();
    expect(await listRuns(cluster.id)).toHaveLength(1);
  });

  it('skip a cluster without a token', async () => {
    const cluster = await makeCluster();
    await db
      .update(clusters)
      .set({ api_token_encrypted: null, api_token_key_id: null })
      .where(eq(clusters.id, cluster.id));
    time.advance(2 * 86_400);
    await settings({ auto_node_sync_enabled: true });
    await scheduleSyncs();
    expect(await listRuns(cluster.id)).toEqual([]);
  });

  it('start once when several schedulers are due at the same time', async () => {
    const cluster = await makeCluster();
    time.advance(3 * 86_400);
    await settings({ auto_node_sync_enabled: true });
    await Promise.all([scheduleSyncs(), scheduleSyncs(), scheduleSyncs()]);
    expect(await listRuns(cluster.id)).toHaveLength(1);
    expect(await waiting()).toEqual([cluster.id]);
  });
});

describe('sync runs without a worker', () => {
  const insertRun = async (clusterId: string, values: Partial<typeof syncRuns.$inferInsert>) => {
    const [row] = await db
      .insert(syncRuns)
      .values({ cluster_id: clusterId, kind: 'inventory', status: 'running', trigger: 'manual', ...values })
      .returning();
    return row?.id ?? '';
  };
  beforeEach(async () => {
    await settings({ auto_node_sync_enabled: false });
  });
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

  it('get a job again: those waiting without one, and those whose worker stopped reporting', async () => {
    const [lost, silent, fresh, alive] = [
      await makeCluster(),
      await makeCluster(),
      await makeCluster(),
      await makeCluster(),
    ];
    await insertRun(lost.id, { status: 'queued', created_at: ago(31) });
    await insertRun(silent.id, { lease_owner: 'x', lease_at: ago(31), attempts: 2 });
    await insertRun(fresh.id, { status: 'queued' });
    await insertRun(alive.id, { lease_owner: 'x', lease_at: ago(5), attempts: 3 });
    await scheduleSyncs();
    await scheduleSyncs();
    expect((await waiting()).sort()).toEqual([lost.id, silent.id].sort());
  });

  it.each([
    { kind: 'inventory', schedule: scheduleSyncs, action: 'cluster.sync_failed', status: 'failed', what: 'sync' },
    { kind: 'ipam', schedule: scheduleDiscovery, action: 'ipam.discovery_failed', status: 'never', what: 'discovery' },
  ] as const)('fail after three attempts: $kind', async ({ kind, schedule, action, status, what }) => {
    await settings({ auto_node_sync_enabled: false, auto_ipam_sync_enabled: false });
    const cluster = await makeCluster();
    const id = await insertRun(cluster.id, { kind, lease_owner: 'x', lease_at: ago(31), attempts: 3 });
    await schedule();
    expect(await waiting()).toEqual([]);
    const message = `The worker crashed 3 times during this ${what}.`;
    const remedy = expect.stringMatching(/Then start the (sync|discovery) again\.$/);
    expect(await listRuns(cluster.id)).toMatchObject([
      { id, status: 'failed', errors: [{ code: 'worker_died', message, remedy }] },
    ]);
    const [row] = await db.select().from(clusters).where(eq(clusters.id, cluster.id));
    expect(row?.sync_status).toBe(status);
    expect(await auditTrail(and(eq(auditRecords.object_id, cluster.id), eq(auditRecords.action, action)))).toHaveLength(
      1,
    );
  });
});

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { systemSettings } from '@/server/db/schema/operations';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import {
  AUTO_SYNC_KEY,
  findScheduledAt,
  RUNTIME_KEY,
  recordAutoSync,
  recordSchedule,
  storedSettings,
} from './settings';

let root: Record<string, string>;
beforeAll(async () => {
  root = await bearer(await makeUser('super_admin'));
});
beforeEach(() => sqlClient()`delete from system_settings where key in (${RUNTIME_KEY}, ${AUTO_SYNC_KEY})`);

const read = async () => (await call('/settings', { headers: root })).json();
const patch = (body: unknown, headers = {}) =>
  call('/settings', { method: 'PATCH', body, headers: { ...root, ...headers } });

describe('settings', () => {
  it('come into being with their defaults on first use, once, however many ask', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, read));
    expect(answers[0]).toMatchObject({
      flow_retention_hours: 24,
      auto_node_sync_enabled: true,
      auto_node_sync_interval_minutes: 15,
      auto_ipam_sync_enabled: true,
      auto_ipam_sync_interval_minutes: 60,
      last_node_auto_sync_at: null,
      last_ipam_auto_sync_at: null,
      version: 1,
    });
    expect(new Set(answers.map((a) => JSON.stringify(a))).size).toBe(1);
    expect((await db.select().from(systemSettings)).filter((s) => s.key === RUNTIME_KEY)).toHaveLength(1);
  });

  it('change field by field, count versions and leave an audit record with before and after', async () => {
    const response = await patch({ flow_retention_hours: 48 });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      flow_retention_hours: 48,
      auto_node_sync_interval_minutes: 15,
      version: 2,
    });
    expect(await read()).toMatchObject({ flow_retention_hours: 48, version: 2 });
    const last = (await auditTrail()).at(-1);
    expect(last).toMatchObject({
      action: 'settings.updated',
      actor_kind: 'user',
      before: { flow_retention_hours: 24 },
      after: { flow_retention_hours: 48 },
    });
  });

  it('write and record nothing when nothing changes', async () => {
    await read();
    const records = (await auditTrail()).length;
    expect(await (await patch({ flow_retention_hours: 24 })).json()).toMatchObject({ version: 1 });
    expect(await (await patch({})).json()).toMatchObject({ version: 1 });
    expect(await auditTrail()).toHaveLength(records);
  });

  it('refuse a stale version, in the body or in If-Match', async () => {
    await patch({ flow_retention_hours: 2 });
    for (const answer of [
      await patch({ flow_retention_hours: 3, version: 1 }),
      await patch({ flow_retention_hours: 3 }, { 'if-match': '"1"' }),
    ]) {
      expect(answer.status).toBe(409);
      expect(await answer.json()).toMatchObject({ code: 'version_conflict', version: 2 });
    }
    expect((await patch({ flow_retention_hours: 3 }, { 'if-match': 'garbage' })).status).toBe(400);
    expect((await patch({ flow_retention_hours: 3 }, { 'if-match': 'W/"2"' })).status).toBe(200);
  });

  it('keep both of two simultaneous changes of different fields', async () => {
    await Promise.all([
      patch({ flow_retention_hours: 100 }),
      patch({ auto_node_sync_enabled: false }),
      patch({ auto_ipam_sync_interval_minutes: 77 }),
    ]);
    expect(await read()).toMatchObject({
      flow_retention_hours: 100,
      auto_node_sync_enabled: false,
      auto_ipam_sync_interval_minutes: 77,
      version: 4,
    });
  });

  it('name each wrong field', async () => {
    const response = await patch({
      flow_retention_hours: 0,
      auto_node_sync_interval_minutes: 4,
      last_ipam_auto_sync_at: null,
    });
    expect(response.status).toBe(400);
    const fields = (await response.json()).errors.map((e: { field: string }) => e.field);
    expect(fields.sort()).toEqual([
      'auto_node_sync_interval_minutes',
      'flow_retention_hours',
      'last_ipam_auto_sync_at',
    ]);
  });

  it('show when an automatic run last succeeded, not when one was queued, without a new version', async () => {
    const clock = fakeClock(new Date('2026-05-01T10:00:00Z'));
    try {
      await recordSchedule(systemScope('cluster:sync', 'test'), 'node');
      expect(await read()).toMatchObject({ last_node_auto_sync_at: null });
      await recordAutoSync(db, 'node', '2026-05-01T10:00:00.000Z');
      await recordAutoSync(db, 'ipam', '2026-05-01T10:01:00.000Z');
      expect(await findScheduledAt('node')).toBe('2026-05-01T10:00:00.000Z');
      expect(await findScheduledAt('ipam')).toBe(null);
    } finally {
      clock.restore();
    }
    expect(await read()).toMatchObject({
      last_node_auto_sync_at: '2026-05-01T10:00:00.000Z',
      last_ipam_auto_sync_at: '2026-05-01T10:01:00.000Z',
      version: 1,
    });
  });

  it('get defaults for fields that an older version did not store', async () => {
    await db.insert(systemSettings).values({ key: RUNTIME_KEY, value: { flow_retention_hours: 7 } });
    expect(await storedSettings()).toMatchObject({
      flow_retention_hours: 7,
      auto_ipam_sync_interval_minutes: 60,
    });
  });

  it('can be read by those with settings:read and changed by super administrators only', async () => {
    const admin = await bearer(await makeUser('admin'));
    expect((await call('/settings', { headers: admin })).status).toBe(200);
    expect((await call('/settings', { method: 'PATCH', body: {}, headers: admin })).status).toBe(403);
    const viewer = await bearer(await makeUser('viewer'));
    expect((await call('/settings', { headers: viewer })).status).toBe(403);
    expect((await call('/settings')).status).toBe(401);
  });
});

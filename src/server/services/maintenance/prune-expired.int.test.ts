import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { db } from '../../db/client';
import { rateLimits, refreshTokens, users } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { syncRuns } from '../../db/schema/operations';
import { clock } from '../../lib/clock';
import { newId } from '../../lib/ids';
import { pruneExpired } from './prune-expired';

const realNow = clock.now;
const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();

describe('pruneExpired', () => {
  afterEach(() => {
    clock.now = realNow;
  });

  it('removes what expired more than a day ago and leaves the rest', async () => {
    clock.now = () => NOW;
    const [user] = await db.insert(users).values({ email: 'a@example.org', password_hash: 'x' }).returning();
    const token = (name: string, expires: string) => ({
      family_id: newId(),
      user_id: user?.id ?? '',
      token_hash: name,
      expires_at: expires,
    });
    await db
      .insert(refreshTokens)
      .values([token('old', daysAgo(2)), token('yesterday', daysAgo(0.5)), token('live', daysAgo(-1))]);
    await db.insert(rateLimits).values([
      { key: 'old', window_start: daysAgo(1.1), hits: 9 },
      { key: 'live', window_start: daysAgo(0.1), hits: 9 },
    ]);
    expect(await pruneExpired()).toEqual({ refresh_tokens: 1, rate_limits: 1, sync_runs: 0 });
    expect((await db.select().from(refreshTokens)).map((row) => row.token_hash).sort()).toEqual(['live', 'yesterday']);
    expect((await db.select().from(rateLimits)).map((row) => row.key)).toEqual(['live']);
    expect(await pruneExpired()).toEqual({ refresh_tokens: 0, rate_limits: 0, sync_runs: 0 });
  });

  it('keeps the newest twenty runs of each cluster and kind, young ones, and unfinished ones', async () => {
    clock.now = () => NOW;
    const [cluster] = await db
      .insert(clusters)
      .values({ name: 'c', api_url: 'https://pve.example.org:8006' })
      .returning();
    const run = (kind: 'inventory' | 'ipam', days: number, status: 'ok' | 'queued' = 'ok') => ({
      cluster_id: cluster?.id ?? '',
      kind,
      status,
      trigger: 'auto' as const,
      created_at: daysAgo(days),
      finished_at: status === 'ok' ? daysAgo(days) : null,
    });
    await db
      .insert(syncRuns)
      .values([
        ...Array.from({ length: 25 }, (_, i) => run('inventory', 31 + i)),
        ...Array.from({ length: 15 }, (_, i) => run('ipam', 31 + i)),
        run('inventory', 1),
        run('inventory', 90, 'queued'),
      ]);
    expect((await pruneExpired()).sync_runs).toBe(6);
    const left = await db.select().from(syncRuns).where(eq(syncRuns.kind, 'inventory'));
    expect(left.filter((row) => row.status === 'ok')).toHaveLength(20);
    expect(left.filter((row) => row.status === 'queued')).toHaveLength(1);
    expect(left.some((row) => row.created_at === daysAgo(1))).toBe(true);
    expect(await db.select().from(syncRuns).where(eq(syncRuns.kind, 'ipam'))).toHaveLength(15);
  });
});

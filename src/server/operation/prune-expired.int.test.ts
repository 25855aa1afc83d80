import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { db } from '../db/client';
import { users } from '../db/schema/access';
import { clusters } from '../db/schema/clusters';
import { deploymentGuests } from '../db/schema/deployments';
import { forwardingDestinations, forwardingExports } from '../db/schema/forwarding';
import { ipamImports } from '../db/schema/ipam';
import { notificationChannels } from '../db/schema/notifications';
import { syncRuns } from '../db/schema/operations';
import { deployments } from '../db/schema/policies';
import { passkeyChallenges, providerSessions, rateLimits, refreshTokens, signInChallenges } from '../db/schema/sign-in';
import { clock } from '../lib/clock';
import { newId } from '../lib/ids';
import { pruneExpired } from './retention';

const realNow = clock.now;
const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString();

const NOTHING = {
  refresh_tokens: 0,
  provider_sessions: 0,
  sign_in_challenges: 0,
  passkey_challenges: 0,
  rate_limits: 0,
  sync_runs: 0,
  deployments: 0,
  audit_records: 0,
  address_sightings: 0,
  ipam_imports: 0,
  impacts: 0,
  suggestions: 0,
  history: 0,
  notifications: 0,
  notification_incidents: 0,
  webhook_secrets: 0,
  forwarding_exports: 0,
};

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
    const session = (family_id: string, created_at: string) => ({
      ...{ family_id, user_id: user?.id ?? '', issuer: 'x', created_at },
      ...{ id_token_encrypted: 'x', secret_key_id: 'x' },
    });
    const [open] = await db.select().from(refreshTokens).where(eq(refreshTokens.token_hash, 'live'));
    const waiting = newId();
    await db
      .insert(providerSessions)
      .values([
        session(open?.family_id ?? '', daysAgo(9)),
        session(newId(), daysAgo(9)),
        session(waiting, daysAgo(0.1)),
      ]);
    const challenge = (token_hash: string, expires_at: string) => ({
      user_id: user?.id ?? '',
      token_hash,
      method: 'password' as const,
      expires_at,
    });
    await db.insert(signInChallenges).values([challenge('old', daysAgo(2)), challenge('live', daysAgo(-1))]);
    const key = (purpose: 'add' | 'prove', expires_at: string) => ({
      ...{ user_id: user?.id ?? '', family_id: waiting, purpose, challenge: 'x', expires_at },
    });
    await db.insert(passkeyChallenges).values([key('add', daysAgo(2)), key('prove', daysAgo(0.5))]);
    await db.insert(rateLimits).values([
      { key: 'old', window_start: daysAgo(1.1), hits: 9 },
      { key: 'live', window_start: daysAgo(0.1), hits: 9 },
    ]);
    const channel = (name: string, previous_secret_until: string) => ({
      ...{ name, kind: 'webhook' as const, url_origin: 'https://example.org', url_encrypted: 'x', secret_key_id: 'x' },
      ...{ signing_secret_encrypted: 'x', previous_secret_encrypted: name, previous_secret_until },
    });
    await db.insert(notificationChannels).values([channel('over', daysAgo(0)), channel('valid', daysAgo(-1))]);
    const destination_id = newId();
    await db.insert(forwardingDestinations).values({
      ...{ id: destination_id, name: 'd', kind: 'ipfix', streams: ['conversations'], max_wait_hours: 1 },
      ...{ host: '10.0.0.1', port: 4739, max_message_bytes: 1400 },
    });
    // Flows are kept for a day: what was sent of a conversation is needed for two.
    const sent = (exported_at: string) => ({
      ...{ destination_id, conversation_id: newId(), flow_key: newId(), exported_at },
      ...{ low_bytes: 1, low_packets: 1, high_bytes: 1, high_packets: 1 },
      ...{ first_seen_at: exported_at, last_seen_at: exported_at },
    });
    await db.insert(forwardingExports).values([sent(daysAgo(2.1)), sent(daysAgo(1.9))]);
    expect(await pruneExpired()).toEqual({
      ...NOTHING,
      forwarding_exports: 1,
      ...{ refresh_tokens: 1, provider_sessions: 1, sign_in_challenges: 1, rate_limits: 1, webhook_secrets: 1 },
      passkey_challenges: 1,
    });
    const sessions = (await db.select().from(providerSessions)).map(({ family_id }) => family_id);
    expect(new Set(sessions)).toEqual(new Set([open?.family_id, waiting]));
    const kept = (await db.select().from(notificationChannels)).map((row) => row.previous_secret_encrypted);
    expect(new Set(kept)).toEqual(new Set(['valid', null]));
    expect((await db.select().from(refreshTokens)).map((row) => row.token_hash).sort()).toEqual(['live', 'yesterday']);
    expect((await db.select().from(rateLimits)).map((row) => row.key)).toEqual(['live']);
    expect(await pruneExpired()).toEqual(NOTHING);
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

  it('keeps the newest twenty deployments of each policy on a cluster, young ones, and unfinished ones', async () => {
    clock.now = () => NOW;
    const [cluster] = await db.insert(clusters).values({ name: 'd', api_url: 'https://pve2.example.org' }).returning();
    const deployed = (policy_id: string, days: number, status: 'ok' | 'running' = 'ok') => ({
      operation_id: newId(),
      policy_id,
      policy_name: 'web',
      policy_version: 1,
      cluster_id: cluster?.id ?? '',
      kind: 'apply' as const,
      trigger: 'apply' as const,
      status,
      created_at: daysAgo(days),
      finished_at: status === 'ok' ? daysAgo(days) : null,
    });
    const [many, few] = [newId(), newId()];
    const old = Array.from({ length: 22 }, (_, i) => deployed(many, 401 + i));
    const rows = await db
      .insert(deployments)
      .values([...old, deployed(many, 1), deployed(many, 500, 'running'), deployed(few, 900)])
      .returning();
    const guest = rows.find(({ policy_id, created_at }) => policy_id === many && created_at === daysAgo(422));
    const result = { deployment_id: guest?.id ?? '', workload_id: newId(), vmid: 1, name: 'w', status: 'ok' as const };
    await db.insert(deploymentGuests).values(result);
    expect(await pruneExpired()).toEqual({ ...NOTHING, deployments: 3 });
    const left = await db.select().from(deployments).where(eq(deployments.policy_id, many));
    expect(left.filter(({ status }) => status === 'ok')).toHaveLength(20);
    expect(left.filter(({ status }) => status === 'running')).toHaveLength(1);
    expect(await db.select().from(deployments).where(eq(deployments.policy_id, few))).toHaveLength(1);
    expect(await db.select().from(deploymentGuests)).toEqual([]);
  });

  it('forgets files that were imported long ago', async () => {
    clock.now = () => NOW;
    const file = (name: string, days: number | null) => ({
      kind: 'addresses' as const,
      mode: 'atomic' as const,
      file_name: name,
      content: 'address\n',
      sha256: name,
      status: days === null ? ('queued' as const) : ('ok' as const),
      requested_by_name: 'a@example.org',
      finished_at: days === null ? null : daysAgo(days),
    });
    await db.insert(ipamImports).values([file('old', 91), file('young', 89), file('waiting', null)]);
    expect(await pruneExpired()).toEqual({ ...NOTHING, ipam_imports: 1 });
    expect((await db.select().from(ipamImports)).map((row) => row.file_name).sort()).toEqual(['waiting', 'young']);
  });
});

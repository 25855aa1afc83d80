import { setTimeout as delay } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { users } from '@/server/db/schema/access';
import { newId } from '@/server/lib/ids';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { until } from '@/test/until';
import type { Session } from '../auth/scope';
import { closeEventHub, publishEvent } from './event-hub';
import { BEATS_PER_RESYNC, MAX_STREAMS_PER_USER, openEventStream } from './open-event-stream';

const clusterId = newId();
const changed = { type: 'cluster.changed', cluster_id: clusterId } as const;
let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops) await stop();
  stops = [];
});
afterAll(() => closeEventHub());

/** Collects what a stream sends. */
function follow(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const got = { text: '', ended: false };
  const done = (async () => {
    for (;;) {
      const { done: end, value } = await reader.read();
      if (end) break;
      got.text += decoder.decode(value, { stream: true });
    }
    got.ended = true;
  })();
  stops.push(async () => {
    await reader.cancel().catch(() => undefined);
    await done.catch(() => undefined);
  });
  return {
    get events() {
      return [...got.text.matchAll(/^event: (.*)\ndata: (.*)\n\n/gm)].map(([, type, data]) => ({
        type,
        data: JSON.parse(data ?? ''),
      }));
    },
    get comments() {
      return [...got.text.matchAll(/^: (.*)$/gm)].map(([, comment]) => comment);
    },
    get ended() {
      return got.ended;
    },
    stop: () => reader.cancel(),
  };
}

async function open(headers: Record<string, string>, signal?: AbortSignal) {
  const response = await call('/events', { headers, signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  expect(response.headers.get('cache-control')).toContain('no-transform');
  if (!response.body) throw new Error('no body');
  return follow(response.body);
}

describe('live events', () => {
  let admin: Record<string, string>;
  beforeAll(async () => {
    admin = await bearer(await makeUser('admin'));
  });

  it('arrive when the transaction commits, and not when it fails', async () => {
    const stream = await open(admin);
    await until('open', () => stream.comments.includes('open'));
    await db
      .transaction(async (tx) => {
        await publishEvent(tx, { type: 'inventory.changed', cluster_id: clusterId });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await db.transaction(async (tx) => {
      await publishEvent(tx, changed);
      await delay(50);
      expect(stream.events).toEqual([]);
    });
    await until('the event', () => stream.events.length > 0);
    expect(stream.events).toEqual([{ type: 'cluster.changed', data: changed }]);
  });

  it('tell each user only what they may know', async () => {
    const tenant = await makeTenant();
    const streams = {
      viewer: await open(await bearer(await makeUser('viewer'))),
      tenant: await open(await bearer(await makeUser('viewer', tenant))),
      withoutRoles: await open(await bearer(await makeUser())),
    };
    await publishEvent(db, { type: 'sync_run.changed', cluster_id: clusterId, run_id: newId() });
    await publishEvent(db, { type: 'inventory.changed', cluster_id: clusterId });
    await publishEvent(db, changed);
    await until('all', () => streams.viewer.events.length === 3);
    expect(streams.viewer.events.map((event) => event.type)).toEqual([
      'sync_run.changed',
      'inventory.changed',
      'cluster.changed',
    ]);
    expect(streams.tenant.events).toEqual([]);
    expect(streams.withoutRoles.events).toEqual([]);
    expect((await call('/events')).status).toBe(401);
  });

  it('end when the client goes, and free its place', async () => {
    const headers = await bearer(await makeUser('admin'));
    const gone = new AbortController();
    const streams = [await open(headers, gone.signal)];
    while (streams.length < MAX_STREAMS_PER_USER) streams.push(await open(headers));
    const refused = await call('/events', { headers });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    gone.abort();
    await until('ended', () => streams[0]?.ended === true);
    streams.push(await open(headers));
    await streams[1]?.stop();
    await open(headers);
  });

  it('send a comment as a heartbeat, and end when the session does', async () => {
    const user = await makeUser('admin');
    const session: Session = {
      user: { id: user.id, email: user.email, name: '' },
      family_id: newId(),
      grants: [{ role: 'admin', permissions: ['cluster:read'], tenant_id: null, project_id: null }],
      origin: { request_id: 'x', source_address: null },
    };
    let current: Session | null = session;
    const stream = follow(
      await openEventStream(session, {
        signal: new AbortController().signal,
        currentSession: async () => current,
        heartbeatMs: 20,
      }),
    );
    await until('beats', () => stream.comments.filter((comment) => comment === 'alive').length >= 2);
    // An unassigned role takes effect from the next heartbeat on.
    current = { ...session, grants: [] };
    await delay(60);
    await publishEvent(db, changed);
    await delay(60);
    expect(stream.events).toEqual([]);
    current = null;
    await until('ended', () => stream.ended);
  });

  it('tell a tenant to read again at fixed times, whether something changed or not', async () => {
    const tenant = await makeTenant();
    const session: Session = {
      user: { id: (await makeUser('viewer', tenant)).id, email: '', name: '' },
      family_id: newId(),
      grants: [{ role: 'viewer', permissions: ['workload:read'], tenant_id: tenant.id, project_id: null }],
      origin: { request_id: 'x', source_address: null },
    };
    const stream = follow(
      await openEventStream(session, {
        signal: new AbortController().signal,
        currentSession: async () => session,
        heartbeatMs: 20,
      }),
    );
    await publishEvent(db, { type: 'inventory.changed', cluster_id: clusterId });
    await until('twice', () => stream.events.length >= 2);
    const alive = stream.comments.filter((comment) => comment === 'alive').length;
    expect(stream.events.length).toBe(Math.floor(alive / BEATS_PER_RESYNC));
    expect(new Set(stream.events.map(({ type }) => type))).toEqual(new Set(['resync']));
  });

  it('end for a user who is deactivated', async () => {
    const user = await makeUser('admin');
    const headers = await bearer(user);
    const { readSession } = await import('../access/sign-in/read-session');
    const request = new Request('http://fabric.test/', { headers });
    const origin = { request_id: 'x', source_address: null };
    const session = await readSession(request, origin);
    if (!session) throw new Error('no session');
    const stream = follow(
      await openEventStream(session, {
        signal: new AbortController().signal,
        currentSession: () => readSession(request, origin),
        heartbeatMs: 20,
      }),
    );
    await until('beats', () => stream.comments.includes('alive'));
    await db.update(users).set({ active: false }).where(eq(users.id, user.id));
    await until('ended', () => stream.ended);
  });

  it('end for a client that does not read', async () => {
    const response = await call('/events', { headers: admin });
    for (let i = 0; i < 300; i++) await publishEvent(db, { type: 'cluster.changed', cluster_id: newId() });
    await delay(200);
    const stream = follow(response.body as ReadableStream<Uint8Array>);
    await until('ended', () => stream.ended);
    expect(stream.events.length).toBeLessThan(300);
  });

  it('go on after the database dropped the connection, and say that some may be lost', async () => {
    const stream = await open(admin);
    await until('open', () => stream.comments.includes('open'));
    await sqlClient()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and query ilike 'listen%'`;
    await until('a resync', () => stream.events.some((event) => event.type === 'resync'));
    await publishEvent(db, changed);
    await until('the event', () => stream.events.some((event) => event.type === 'cluster.changed'));
  });
});

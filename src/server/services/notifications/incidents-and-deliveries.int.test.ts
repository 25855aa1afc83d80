import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Findings } from '@/domain/notifications/advance-incidents';
import type { Fact } from '@/domain/notifications/condition';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import type { NotificationIncident } from '@/domain/notifications/incident';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { notificationDeliver } from '@/server/jobs/definitions';
import { closeQueues, queueOf } from '@/server/jobs/queues';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { startSmtpReceiver } from '@/server/providers/notifications/smtp-receiver.fixture';
import { pruneExpired } from '@/server/services/maintenance/prune-expired';
import { bearer, makeTwoTenants, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { deliverNotification } from './deliver-notification';
import { evaluateRules } from './evaluate-rules';
import { scheduleDeliveries } from './start-deliveries';
import { startWebhookReceiver } from './testing/webhook-receiver.fixture';

vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');

const sql = sqlClient();
let time: ReturnType<typeof fakeClock>;
const MINUTE = 60;
const signal = new AbortController().signal;
let root: { id: string };
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let channel: { id: string; signing_secret: string };
let rule: { id: string };

const fact = (key: string, more: Partial<Fact> = {}): Fact => ({
  condition: 'sync_failed',
  key,
  object_kind: 'cluster',
  object_id: key,
  object_name: `cluster ${key.slice(-2)}`,
  detail: 'The API does not answer.',
  ...more,
});
let facts: Fact[] = [];
let unreadable: Findings['unreadable'] = new Set();
/** One round of the schedule. */
const look = () => evaluateRules(async () => ({ facts, unreadable, unknown: new Set() }));
const lookFor = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    time.advance(MINUTE);
    await look();
  }
};

const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  // Signed in anew each time: the clock goes faster than tokens live.
  const response = await call(path, { method, headers: await bearer(root), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text ? JSON.parse(text) : null) as T;
};
const items = async <T>(path: string) => (await api<{ items: T[] }>('GET', path)).items;
const incidents = (query = '') => items<NotificationIncident>(`/notification-incidents?rule_id=${rule.id}${query}`);
const deliveries = (query = '') => items<NotificationDelivery>(`/notification-deliveries${query}`);
/** Every delivery that is due gets its try. */
const deliverDue = async () => {
  const rows = await sql<
    { id: string }[]
  >`select id from notification_deliveries where status in ('queued', 'sending')`;
  for (const { id } of rows) await deliverNotification(id, { signal });
};

beforeAll(async () => {
  await queueBackend.prepare();
  root = await makeUser('super_admin');
});
afterAll(() => closeQueues());
beforeEach(async () => {
  time = fakeClock();
  facts = [];
  unreadable = new Set();
  receiver = await startWebhookReceiver();
  channel = await api('POST', '/notification-channels', { kind: 'webhook', name: `c ${newId()}`, url: receiver.url });
  rule = await api('POST', '/notification-rules', {
    name: `r ${newId()}`,
    conditions: ['sync_failed', 'agent_silent'],
    open_after_minutes: 5,
    close_after_minutes: 3,
    channel_ids: [channel.id],
  });
});
afterEach(async () => {
  time.restore();
  await receiver.close();
  await sql`delete from notifications`;
  await sql`delete from notification_rules`;
  await sql`delete from notification_channels`;
  await queueOf(notificationDeliver.name).drain(true);
});

describe('incidents', () => {
  it('open after their time, are told once, and once more when they are over', async () => {
    facts = [fact(newId())];
    await lookFor(5);
    expect(await incidents()).toMatchObject([{ status: 'pending', opened_at: null }]);
    expect(await deliveries()).toEqual([]);
    await lookFor(10);
    expect(await incidents()).toMatchObject([{ status: 'open', clear_since: null, flaps: 0 }]);
    expect(await deliveries()).toMatchObject([{ event: 'opened', status: 'queued', attempts: 0 }]);
    facts = [];
    await lookFor(10);
    expect(await incidents()).toMatchObject([{ status: 'closed' }]);
    expect((await deliveries()).map(({ event }) => event)).toEqual(['closed', 'opened']);
    await lookFor(10);
    expect(await deliveries()).toHaveLength(2);
  });

  it('are written only when something changes', async () => {
    facts = [fact(newId()), fact(newId())];
    await lookFor(6);
    const versions = () => sql`select xmin::text, id from notification_incidents order by id`;
    const before = await versions();
    await lookFor(30);
    expect(await versions()).toEqual(before);
  });

  it('of one moment are told in one notice, with the number of all', async () => {
    facts = Array.from({ length: 70 }, () => fact(newId()));
    await lookFor(6);
    await deliverDue();
    expect(receiver.received).toHaveLength(1);
    const body = receiver.received[0]?.body ?? {};
    expect(body).toMatchObject({ event: 'opened', condition: 'sync_failed', incidents_total: 70 });
    expect(body.title).toBe('Syncs of 70 clusters failed');
    expect(body.incidents).toHaveLength(50);
    expect(await incidents('&status=open&limit=500')).toHaveLength(70);
  });

  it('that flap are one', async () => {
    const flapping = fact(newId());
    for (let round = 0; round < 20; round++) {
      facts = round % 2 === 0 ? [flapping] : [];
      await lookFor(1);
    }
    expect((await deliveries()).map(({ event }) => event)).toEqual(['opened']);
    expect((await incidents())[0]?.flaps).toBeGreaterThan(5);
  });

  it('stay as they are while nobody can look, and over a restart', async () => {
    facts = [fact(newId())];
    await lookFor(6);
    facts = [];
    unreadable = new Set(['sync_failed']);
    await lookFor(30);
    expect(await incidents()).toMatchObject([{ status: 'open', clear_since: null }]);
    // The service was down for hours; it is over by then.
    time.advance(10 * 3600);
    unreadable = new Set();
    await look();
    expect(await incidents()).toMatchObject([{ status: 'open' }]);
    await lookFor(3);
    expect(await incidents()).toMatchObject([{ status: 'closed' }]);
    expect(await deliveries()).toHaveLength(2);
  });

  it('are told once when two schedulers look at the same time', async () => {
    facts = [fact(newId())];
    await lookFor(4);
    time.advance(MINUTE * 2);
    await Promise.all(Array.from({ length: 8 }, look));
    expect(await deliveries()).toHaveLength(1);
    expect(await incidents()).toHaveLength(1);
  });

  it('end without a notice when the rule is switched off, and their log outlives the rule', async () => {
    facts = [fact(newId())];
    await lookFor(6);
    await api('PATCH', `/notification-rules/${rule.id}`, { enabled: false });
    expect(await incidents()).toMatchObject([{ status: 'closed' }]);
    await lookFor(5);
    expect(await deliveries()).toHaveLength(1);
    await api('DELETE', `/notification-rules/${rule.id}`);
    expect(await incidents()).toEqual([]);
    expect(await deliveries()).toMatchObject([{ event: 'opened', rule_name: expect.stringMatching(/^r /) }]);
  });

  it('end without a notice when the rule looks at something else', async () => {
    facts = [fact(newId()), fact(newId(), { condition: 'agent_silent', object_kind: 'agent' })];
    await lookFor(6);
    await api('PATCH', `/notification-rules/${rule.id}`, { conditions: ['agent_silent'] });
    expect((await incidents()).map(({ condition, status }) => `${condition} ${status}`).sort()).toEqual([
      'agent_silent open',
      'sync_failed closed',
    ]);
    expect(await deliveries()).toHaveLength(2);
  });

  it('close without a notice when the rule tells no recovery', async () => {
    await api('PATCH', `/notification-rules/${rule.id}`, { notify_recovery: false });
    facts = [fact(newId())];
    await lookFor(6);
    facts = [];
    await lookFor(5);
    expect(await incidents()).toMatchObject([{ status: 'closed' }]);
    expect(await deliveries()).toHaveLength(1);
  });

  it('go with what they told after 90 days', async () => {
    facts = [fact(newId())];
    await lookFor(6);
    facts = [];
    await lookFor(5);
    expect(await pruneExpired()).toMatchObject({ notifications: 0, notification_incidents: 0 });
    time.advance(91 * 86_400);
    expect(await pruneExpired()).toMatchObject({ notifications: 2, notification_incidents: 1 });
    expect(await sql`select 1 from notification_deliveries`).toHaveLength(0);
  });
});

describe('deliveries to a webhook', () => {
  const open = async () => {
    facts = [fact(newId())];
    await lookFor(6);
    const [delivery] = await deliveries();
    if (!delivery) throw new Error('nothing is to be delivered');
    return delivery;
  };
  const now = async (id: string) => api<NotificationDelivery>('GET', `/notification-deliveries/${id}`);

  it('are signed so that the receiver can tell, and say what it is about', async () => {
    const { id } = await open();
    await deliverDue();
    expect(await now(id)).toMatchObject({ status: 'sent', attempts: 1, response_status: 204, error: null });
    const [{ headers, text, body } = { headers: {} as Record<string, string>, text: '', body: {} }] = receiver.received;
    const timestamp = String(headers['fabric-timestamp']);
    const expected = createHmac('sha256', channel.signing_secret).update(`${timestamp}.${text}`).digest('hex');
    expect(headers['fabric-signature']).toBe(`v1=${expected}`);
    expect(headers['fabric-delivery']).toBe(id);
    expect(body).toMatchObject({
      event: 'opened',
      rule: { id: rule.id },
      url: null,
      tenant_id: null,
      incidents: [{ object_kind: 'cluster', detail: 'The API does not answer.', closed_at: null }],
    });
  });

  it('are tried again with growing pauses, each with the same id, and given up at last', async () => {
    receiver.status(500);
    const { id } = await open();
    const pauses = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      await deliverDue();
      const delivery = await now(id);
      expect(delivery).toMatchObject({ attempts: attempt, response_status: 500, error: 'The receiver answered 500.' });
      if (delivery.next_attempt_at === null) break;
      // Too early: nothing happens.
      await deliverDue();
      expect(receiver.received).toHaveLength(attempt);
      const [row] = await sql<{ s: number }[]>`select round(extract(epoch from ${delivery.next_attempt_at}::timestamptz
        - ${clock.now().toISOString()}::timestamptz))::int as s`;
      pauses.push(row?.s);
      time.advance(row?.s ?? 0);
    }
    expect(pauses).toEqual([30, 60, 120, 300, 600, 1800, 3600]);
    expect(await now(id)).toMatchObject({ status: 'failed', attempts: 8 });
    expect(new Set(receiver.received.map(({ headers }) => headers['fabric-delivery']))).toEqual(new Set([id]));
  });

  it('arrive when the receiver is well again, and can be tried once more by hand', async () => {
    receiver.status(404);
    const { id } = await open();
    await deliverDue();
    expect(await now(id)).toMatchObject({ status: 'failed', attempts: 1, response_status: 404 });
    receiver.status(200);
    const again = await api<NotificationDelivery>('POST', `/notification-deliveries/${id}/retry`);
    expect(again).toMatchObject({ status: 'queued', attempts: 0, error: null });
    await deliverDue();
    expect(await now(id)).toMatchObject({ status: 'sent', response_status: 200 });
    await expect(api('POST', `/notification-deliveries/${id}/retry`)).rejects.toThrow('422');
  });

  it('wait as long as the receiver asks', async () => {
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '900' }).end());
    const { id } = await open();
    await deliverDue();
    const { next_attempt_at } = await now(id);
    expect(Math.round((Date.parse(next_attempt_at ?? '') - clock.now().getTime()) / 1000)).toBe(900);
  });

  it('are sent once however many workers try at the same time', async () => {
    const { id } = await open();
    receiver.answer((response) => setTimeout(() => response.writeHead(204).end(), 100));
    await Promise.all(Array.from({ length: 8 }, () => deliverNotification(id, { signal })));
    expect(receiver.received).toHaveLength(1);
  });

  it('are taken over when their worker died, and put back when it ends', async () => {
    const { id } = await open();
    await sql`update notification_deliveries set status = 'sending', attempts = 1, lease_owner = ${newId()},
      lease_at = ${clock.now().toISOString()} where id = ${id}`;
    await deliverNotification(id, { signal });
    expect(receiver.received).toHaveLength(0);
    time.advance(121);
    const ending = new AbortController();
    receiver.answer(() => ending.abort(new Error('the worker ends')));
    await expect(deliverNotification(id, { signal: ending.signal })).rejects.toThrow('the worker ends');
    expect(await now(id)).toMatchObject({ status: 'queued', attempts: 2, error: null });
    receiver.status(204);
    await deliverNotification(id, { signal });
    expect(await now(id)).toMatchObject({ status: 'sent', attempts: 3 });
  });

  it('are found by the schedule when their job was lost', async () => {
    const { id } = await open();
    const queue = queueOf(notificationDeliver.name);
    expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([{ delivery_id: id }]);
    await queue.drain(true);
    await queue.obliterate({ force: true });
    await scheduleDeliveries();
    expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([{ delivery_id: id }]);
  });

  it('end when their channel is gone, off, or cannot be decrypted any more', async () => {
    const first = await open();
    await sql`update notification_channels set secret_key_id = '0000000000000000'`;
    await deliverDue();
    expect(await now(first.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('FABRIC_SECRET_KEY'),
    });
    const second = await open();
    await api('PATCH', `/notification-channels/${channel.id}`, { enabled: false });
    await deliverDue();
    expect(await now(second.id)).toMatchObject({ status: 'failed', error: 'The channel is switched off.' });
    await api('PATCH', `/notification-channels/${channel.id}`, { enabled: true });
    const third = await open();
    await api('PATCH', `/notification-rules/${rule.id}`, { channel_ids: [] });
    await api('DELETE', `/notification-channels/${channel.id}`);
    await deliverDue();
    expect(await now(third.id)).toMatchObject({
      status: 'failed',
      channel_id: null,
      error: 'The channel was deleted.',
    });
    expect(receiver.received).toHaveLength(0);
  });

  it('of a tenant do not reach into private networks', async () => {
    vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');
    const { ours } = await makeTwoTenants('admin');
    const send = async (url: string) => {
      const made = await call('/notification-channels', {
        headers: ours.headers,
        body: { kind: 'webhook', name: newId(), url },
      });
      const { id } = (await made.json()) as { id: string };
      const tested = await call(`/notification-channels/${id}/test`, { method: 'POST', headers: ours.headers });
      const delivery = (await tested.json()) as NotificationDelivery;
      await deliverNotification(delivery.id, { signal });
      return now(delivery.id);
    };
    expect(await send('http://10.0.0.1:9/')).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringContaining('may not be connected to (private network)'),
    });
    expect(await send(receiver.url)).toMatchObject({ status: 'sent' });
  });
});

describe('deliveries by e-mail', () => {
  it('need a mail server, and then go to all recipients with a link', async () => {
    const smtp = await startSmtpReceiver({ disabledCommands: ['STARTTLS'] });
    try {
      const mail = await api<{ id: string }>('POST', '/notification-channels', {
        kind: 'email',
        name: 'mail',
        recipients: ['ops@example.org', 'night@example.org'],
      });
      const first = await api<NotificationDelivery>('POST', `/notification-channels/${mail.id}/test`);
      await deliverNotification(first.id, { signal });
      const [failed] = await deliveries(`?channel_id=${mail.id}`);
      expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('No mail server is set up') });
      await api('PATCH', '/settings/notifications', {
        public_url: 'https://fabric.example.org',
        smtp_host: '127.0.0.1',
        smtp_port: smtp.port,
        smtp_security: 'none',
        from_address: 'fabric@example.org',
      });
      await api('POST', `/notification-deliveries/${first.id}/retry`);
      await deliverNotification(first.id, { signal });
      const [sent] = await deliveries(`?channel_id=${mail.id}`);
      expect(sent).toMatchObject({ status: 'sent', response_status: 250 });
      expect(smtp.mails).toMatchObject([{ to: ['ops@example.org', 'night@example.org'] }]);
      expect(smtp.mails[0]?.raw).toMatch(
        /Subject: \[Fabric\] Test notification[\s\S]*https:\/\/fabric\.example\.org\/notifications/,
      );
    } finally {
      await smtp.close();
    }
  });
});

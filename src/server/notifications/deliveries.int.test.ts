import { createHmac } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { CHANNEL_TEMPLATES } from '@/domain/choices';
import type { PayloadPreview } from '@/domain/notifications/channel';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import { sqlClient } from '@/server/db/client';
import { auditRecords } from '@/server/db/schema/operations';
import { notificationDeliver } from '@/server/jobs/definitions';
import { getQueue } from '@/server/jobs/queues';
import { clock } from '@/server/lib/clock';
import { env } from '@/server/lib/env';
import { newId } from '@/server/lib/ids';
import { auditTrail } from '@/test/audit-trail';
import { bearer, makeTwoTenants } from '@/test/factories';
import { call } from '@/test/request';
import { sealWebhook } from './channel-secrets';
import { deliverNotification } from './deliver-notification';
import { scheduleDeliveries } from './deliveries';
import { fact, notificationLab, signal } from './testing/notification-lab.fixture';
import { startWebhookReceiver } from './testing/webhook-receiver.fixture';

const SAMPLE_ID = '00000000-0000-4000-8000-000000000001';

const lab = notificationLab();
const sql = sqlClient();

describe('deliveries to a webhook', () => {
  const open = async () => {
    lab.facts = [fact(newId())];
    await lab.lookFor(6);
    const [delivery] = await lab.deliveries();
    if (!delivery) throw new Error('nothing is to be delivered');
    return delivery;
  };
  const now = async (id: string) => lab.api<NotificationDelivery>('GET', `/notification-deliveries/${id}`);

  it('have a signature that the receiver can verify, and name their subject', async () => {
    const { id } = await open();
    await lab.deliverDue();
    expect(await now(id)).toMatchObject({ status: 'sent', attempts: 1, response_status: 204, error: null });
    const [{ headers, text, body } = { headers: {} as Record<string, string>, text: '', body: {} }] =
      lab.receiver.received;
    const timestamp = String(headers['fabric-timestamp']);
    const expected = createHmac('sha256', lab.channel.signing_secret).update(`${timestamp}.${text}`).digest('hex');
    expect(headers['fabric-signature']).toBe(`v1=${expected}`);
    expect(headers['fabric-delivery']).toBe(id);
    expect(body).toMatchObject({
      event: 'opened',
      rule: { id: lab.rule.id },
      url: null,
      tenant_id: null,
      incidents: [{ object_kind: 'cluster', detail: 'The API does not answer.', closed_at: null }],
    });
  });

  it('arrive when a clock that was ahead is put back', async () => {
    lab.time.advance(12 * 3600);
    const { id } = await open();
    lab.time.advance(-12 * 3600);
    await lab.deliverDue();
    expect(await now(id)).toMatchObject({ status: 'sent' });
  });

  it('have a second signature of the old secret until its grace period ends or is ended early', async () => {
    const path = `/notification-channels/${lab.channel.id}`;
    type Channel = { signing_secret: string; previous_secret_until: string | null };
    const signatures = async () => {
      const { id } = await lab.api<NotificationDelivery>('POST', `${path}/test`);
      await deliverNotification(id, { signal });
      const { headers, text } = lab.receiver.received.at(-1) ?? { headers: {} as Record<string, string>, text: '' };
      const by = (secret: string) =>
        `v1=${createHmac('sha256', secret).update(`${headers['fabric-timestamp']}.${text}`).digest('hex')}`;
      return { present: headers['fabric-signature'], previous: headers['fabric-signature-previous'], by };
    };
    const first = lab.channel.signing_secret;
    expect((await signatures()).previous).toBeUndefined();

    const { signing_secret: second, previous_secret_until: until } = await lab.api<Channel>(
      'POST',
      `${path}/rotate-secret`,
    );
    expect(Date.parse(until ?? '') - clock.now().getTime()).toBe(24 * 3_600_000);
    const both = await signatures();
    expect(both).toMatchObject({ present: both.by(second), previous: both.by(first) });
    // Another URL keeps both.
    await lab.api('PATCH', path, { url: lab.receiver.url });
    lab.time.advance(24 * 3600 - 1);
    expect((await signatures()).previous).toBeDefined();
    lab.time.advance(1);
    expect((await signatures()).previous).toBeUndefined();
    expect((await lab.api<Channel>('GET', path)).previous_secret_until).toBeNull();

    const third = await lab.api<Channel>('POST', `${path}/rotate-secret`, { grace_hours: 168 });
    const fourth = await lab.api<Channel>('POST', `${path}/rotate-secret`, { grace_hours: 168 });
    const twice = await signatures();
    expect(twice).toMatchObject({
      present: twice.by(fourth.signing_secret),
      previous: twice.by(third.signing_secret),
    });
    expect((await lab.api<Channel>('POST', `${path}/end-previous-secret`)).previous_secret_until).toBeNull();
    expect((await signatures()).previous).toBeUndefined();
    // Nothing is left to end: nothing is recorded.
    await lab.api('POST', `${path}/end-previous-secret`);
    const trail = await auditTrail(eq(auditRecords.object_id, lab.channel.id));
    expect(trail.map(({ action }) => action).filter((action) => !action.endsWith('tested'))).toEqual([
      'notification_channel.created',
      'notification_channel.secret_rotated',
      'notification_channel.updated',
      'notification_channel.secret_rotated',
      'notification_channel.secret_rotated',
      'notification_channel.previous_secret_ended',
    ]);

    expect(
      (await lab.api<Channel>('POST', `${path}/rotate-secret`, { grace_hours: 0 })).previous_secret_until,
    ).toBeNull();
    expect((await signatures()).previous).toBeUndefined();
    for (const grace_hours of [-1, 169, 1.5, '24'])
      await expect(lab.api('POST', `${path}/rotate-secret`, { grace_hours })).rejects.toThrow('400');
  });

  it('retry with growing delays and the same id, and fail after the last attempt', async () => {
    lab.receiver.status(500);
    const { id } = await open();
    const pauses = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      await lab.deliverDue();
      const delivery = await now(id);
      expect(delivery).toMatchObject({
        attempts: attempt,
        response_status: 500,
        error: 'The receiver returned status 500.',
      });
      if (delivery.next_attempt_at === null) break;
      // Too early: nothing happens.
      await lab.deliverDue();
      expect(lab.receiver.received).toHaveLength(attempt);
      const [row] = await sql<{ s: number }[]>`select round(extract(epoch from ${delivery.next_attempt_at}::timestamptz
        - ${clock.now().toISOString()}::timestamptz))::int as s`;
      pauses.push(row?.s);
      lab.time.advance(row?.s ?? 0);
    }
    expect(pauses).toEqual([30, 60, 120, 300, 600, 1800, 3600]);
    expect(await now(id)).toMatchObject({ status: 'failed', attempts: 8 });
    expect(new Set(lab.receiver.received.map(({ headers }) => headers['fabric-delivery']))).toEqual(new Set([id]));
  });

  it('arrive when the receiver works again, and can be retried manually', async () => {
    lab.receiver.status(404);
    const { id } = await open();
    await lab.deliverDue();
    expect(await now(id)).toMatchObject({ status: 'failed', attempts: 1, response_status: 404 });
    lab.receiver.status(200);
    const again = await lab.api<NotificationDelivery>('POST', `/notification-deliveries/${id}/retry`);
    expect(again).toMatchObject({ status: 'queued', attempts: 0, error: null });
    await lab.deliverDue();
    expect(await now(id)).toMatchObject({ status: 'sent', response_status: 200 });
    await expect(lab.api('POST', `/notification-deliveries/${id}/retry`)).rejects.toThrow('422');
  });

  it('wait as long as the receiver asks', async () => {
    lab.receiver.answer((response) => response.writeHead(429, { 'retry-after': '900' }).end());
    const { id } = await open();
    await lab.deliverDue();
    const { next_attempt_at } = await now(id);
    expect(Math.round((Date.parse(next_attempt_at ?? '') - clock.now().getTime()) / 1000)).toBe(900);
  });

  it('arrive once however many workers send at the same time', async () => {
    const { id } = await open();
    lab.receiver.answer((response) => setTimeout(() => response.writeHead(204).end(), 100));
    await Promise.all(Array.from({ length: 8 }, () => deliverNotification(id, { signal })));
    expect(lab.receiver.received).toHaveLength(1);
  });

  it('move to another worker when theirs died, and return to the queue when it stops', async () => {
    const { id } = await open();
    await sql`update notification_deliveries set status = 'sending', attempts = 1, lease_owner = ${newId()},
      lease_at = ${clock.now().toISOString()} where id = ${id}`;
    await deliverNotification(id, { signal });
    expect(lab.receiver.received).toHaveLength(0);
    lab.time.advance(121);
    const ending = new AbortController();
    lab.receiver.answer(() => ending.abort(new Error('the worker is stopping')));
    await expect(deliverNotification(id, { signal: ending.signal })).rejects.toThrow('the worker is stopping');
    expect(await now(id)).toMatchObject({ status: 'queued', attempts: 2, error: null });
    lab.receiver.status(204);
    await deliverNotification(id, { signal });
    expect(await now(id)).toMatchObject({ status: 'sent', attempts: 3 });
  });

  it('start from the schedule when their job was lost', async () => {
    const { id } = await open();
    const queue = getQueue(notificationDeliver.name);
    expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([{ delivery_id: id }]);
    await queue.drain(true);
    await queue.obliterate({ force: true });
    await scheduleDeliveries();
    expect((await queue.getWaiting()).map(({ data }) => data)).toEqual([{ delivery_id: id }]);
  });

  it('end when their channel is gone, off, or cannot be decrypted any more', async () => {
    const first = await open();
    await sql`update notification_channels set secret_key_id = '0000000000000000'`;
    await lab.deliverDue();
    expect(await now(first.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('FABRIC_SECRET_KEY'),
    });
    const second = await open();
    await lab.api('PATCH', `/notification-channels/${lab.channel.id}`, { enabled: false });
    await lab.deliverDue();
    expect(await now(second.id)).toMatchObject({ status: 'failed', error: 'The channel is turned off.' });
    await lab.api('PATCH', `/notification-channels/${lab.channel.id}`, { enabled: true });
    const third = await open();
    await lab.api('PATCH', `/notification-rules/${lab.rule.id}`, { channel_ids: [] });
    await lab.api('DELETE', `/notification-channels/${lab.channel.id}`);
    await lab.deliverDue();
    expect(await now(third.id)).toMatchObject({
      status: 'failed',
      channel_id: null,
      error: 'The channel was deleted.',
    });
    expect(lab.receiver.received).toHaveLength(0);
  });

  it.each(CHANNEL_TEMPLATES)('send what the preview shows: %s', async (template) => {
    const routing = template === 'pagerduty' ? { routing_key: 'R0123456789ABCDEF' } : {};
    const path = `/notification-channels/${lab.channel.id}`;
    await lab.api('PATCH', path, { name: 'Example', template, time_zone: 'Asia/Tokyo', ...routing });
    const preview = await lab.api<PayloadPreview>(
      'GET',
      `/notification-payload-preview?template=${template}&time_zone=Asia/Tokyo&event=test`,
    );
    const { id, notification_id } = await lab.api<NotificationDelivery>('POST', `${path}/test`);
    await deliverNotification(id, { signal });
    expect(await now(id)).toMatchObject({ status: 'sent' });
    // The fake clock does not advance: the messages differ by the id of the notification and the key alone.
    const shown = (text: string) =>
      text
        .replaceAll(notification_id, 'ID')
        .replaceAll(SAMPLE_ID, 'ID')
        .replaceAll('R0123456789ABCDEF', 'INTEGRATION-KEY');
    expect(lab.receiver.received.map(({ text }) => shown(text))).toEqual(preview.bodies.map(shown));
    expect(preview.bodies.join()).toContain('Asia/Tokyo');
    expect(lab.receiver.received.map(({ headers }) => headers['content-type'])).toContain(preview.content_type);
  });

  it('reach only the URL of the channel in a test, not a redirect target', async () => {
    const other = await startWebhookReceiver();
    try {
      await lab.api('POST', '/notification-channels', { kind: 'webhook', name: `o ${newId()}`, url: other.url });
      lab.receiver.answer((response) => response.writeHead(307, { location: other.url }).end());
      await lab.api('POST', `/notification-channels/${lab.channel.id}/test`);
      await lab.deliverDue();
      expect(lab.receiver.received).toHaveLength(1);
      expect(other.received).toEqual([]);
      const [delivery] = await lab.deliveries();
      expect(delivery).toMatchObject({ status: 'failed', response_status: 307, channel_id: lab.channel.id });
    } finally {
      await other.close();
    }
  });

  it('do not send the stored key of a receiver to another one', async () => {
    const path = `/notification-channels/${lab.channel.id}`;
    const patch = async (body: object) =>
      (await call(path, { method: 'PATCH', headers: await bearer(lab.root), body })).status;
    expect(await patch({ template: 'pagerduty' })).toBe(422);
    expect(await patch({ template: 'pagerduty', routing_key: 'R0123456789ABCDEF' })).toBe(200);
    expect(await patch({ url: `${lab.receiver.url}&again` })).toBe(200);
    expect(await patch({ url: 'https://198.51.100.1/' })).toBe(422);
    expect(await patch({ url: 'https://198.51.100.1/', routing_key: 'R0123456789ABCDEF' })).toBe(200);
    expect(await patch({ template: 'slack' })).toBe(200);
    expect(await patch({ template: 'pagerduty' })).toBe(422);
    const read = await lab.api('GET', path);
    expect(JSON.stringify(read)).not.toContain('R0123456789ABCDEF');
  });

  it('cannot reach private networks for a tenant', async () => {
    const { ours } = await makeTwoTenants('admin');
    const send = async (url: string) => {
      const made = await call('/notification-channels', {
        headers: ours.headers,
        body: { kind: 'webhook', name: newId(), url: 'https://hooks.example.org/' },
      });
      const { id } = (await made.json()) as { id: string };
      // Stored before such a URL was refused, or before the rules changed.
      const { url_encrypted, signing_secret_encrypted } = sealWebhook(id, { url, secret: 'whsec_x', previous: null });
      await sql`update notification_channels set url_encrypted = ${url_encrypted},
        signing_secret_encrypted = ${signing_secret_encrypted} where id = ${id}`;
      const tested = await call(`/notification-channels/${id}/test`, { method: 'POST', headers: ours.headers });
      const delivery = (await tested.json()) as NotificationDelivery;
      await deliverNotification(delivery.id, { signal });
      return now(delivery.id);
    };
    expect(await send('http://10.0.0.1:9/')).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringContaining('is not an allowed target (private network)'),
    });
    expect(await send(lab.receiver.url)).toMatchObject({ status: 'sent' });
    // Not even which address a name of the inside has.
    const allowed = env().FABRIC_ALLOW_PRIVATE_TARGETS;
    env().FABRIC_ALLOW_PRIVATE_TARGETS = [];
    const { error } = await send('http://localhost:9/').finally(() => {
      env().FABRIC_ALLOW_PRIVATE_TARGETS = allowed;
    });
    expect(error).toMatch(/^localhost has no allowed address/);
  });
});

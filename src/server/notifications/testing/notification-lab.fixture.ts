import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import type { Findings } from '@/domain/notifications/advance-incidents';
import type { Fact } from '@/domain/notifications/condition';
import type { NotificationDelivery } from '@/domain/notifications/delivery';
import type { NotificationIncident } from '@/domain/notifications/incident';
import { sqlClient } from '@/server/db/client';
import { queueBackend } from '@/server/jobs/backend';
import { notificationDeliver } from '@/server/jobs/definitions';
import { closeQueues, getQueue } from '@/server/jobs/queues';
import { newId } from '@/server/lib/ids';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { call } from '@/test/request';
import { deliverNotification } from '../deliver-notification';
import { evaluateRules } from '../evaluate-rules';
import { startWebhookReceiver } from './webhook-receiver.fixture';

/** Seconds. */
export const MINUTE = 60;
/** Nothing ends the worker. */
export const signal = new AbortController().signal;

export const fact = (key: string, more: Partial<Fact> = {}): Fact => ({
  condition: 'sync_failed',
  key,
  object_kind: 'cluster',
  // Objects with an id must exist, or their incidents end.
  object_id: null,
  object_name: `cluster ${key.slice(-2)}`,
  detail: 'The API does not answer.',
  ...more,
});

/** A rule that checks `facts`, a webhook it notifies, and a clock that tests control; created for each test. */
class NotificationLab {
  root!: { id: string };
  time!: ReturnType<typeof fakeClock>;
  receiver!: Awaited<ReturnType<typeof startWebhookReceiver>>;
  channel!: { id: string; signing_secret: string };
  rule!: { id: string };
  facts: Fact[] = [];
  unreadable: Findings['unreadable'] = new Set();
  /** One round of the schedule. */
  look = () => evaluateRules(async () => ({ facts: this.facts, unreadable: this.unreadable, unknown: new Set() }));
  async lookFor(minutes: number) {
    for (let minute = 0; minute < minutes; minute++) {
      this.time.advance(MINUTE);
      await this.look();
    }
  }
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    // Signed in again each time: the clock advances past the lifetime of tokens.
    const response = await call(path, { method, headers: await bearer(this.root), body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  }
  private items = async <T>(path: string) => (await this.api<{ items: T[] }>('GET', path)).items;
  incidents = (query = '') =>
    this.items<NotificationIncident>(`/notification-incidents?rule_id=${this.rule.id}${query}`);
  deliveries = (query = '') => this.items<NotificationDelivery>(`/notification-deliveries${query}`);
  /** Every delivery that is due gets its try. */
  async deliverDue() {
    const rows = await sqlClient()<
      { id: string }[]
    >`select id from notification_deliveries where status in ('queued', 'sending')`;
    for (const { id } of rows) await deliverNotification(id, { signal });
  }
}

/** Makes the lab for the tests of a file, and takes back what they set up. */
export function notificationLab(): NotificationLab {
  // Before anything reads the environment: that happens once.
  vi.stubEnv('FABRIC_ALLOW_PRIVATE_TARGETS', '127.0.0.0/8');
  const lab = new NotificationLab();
  beforeAll(async () => {
    await queueBackend.prepare();
    lab.root = await makeUser('super_admin');
  });
  afterAll(() => closeQueues());
  beforeEach(async () => {
    lab.time = fakeClock();
    lab.facts = [];
    lab.unreadable = new Set();
    lab.receiver = await startWebhookReceiver();
    lab.channel = await lab.api('POST', '/notification-channels', {
      kind: 'webhook',
      name: `c ${newId()}`,
      url: lab.receiver.url,
    });
    lab.rule = await lab.api('POST', '/notification-rules', {
      name: `r ${newId()}`,
      conditions: ['sync_failed', 'agent_silent'],
      open_after_minutes: 5,
      close_after_minutes: 3,
      channel_ids: [lab.channel.id],
    });
  });
  afterEach(async () => {
    lab.time.restore();
    await lab.receiver.close();
    await sqlClient()`delete from rate_limits`;
    await sqlClient()`delete from notifications`;
    await sqlClient()`delete from notification_rules`;
    await sqlClient()`delete from notification_channels`;
    await getQueue(notificationDeliver.name).drain(true);
  });
  return lab;
}

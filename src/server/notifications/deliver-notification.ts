import { setTimeout as delay } from 'node:timers/promises';
import { formatNoticeMail } from '@/domain/notifications/notice-body';
import type { NotificationItem } from '@/domain/notifications/notification';
import { getIncidentsPerStep, renderPayloads, splitNotice } from '@/domain/notifications/payloads';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { env } from '../lib/env';
import { newId } from '../lib/ids';
import { logger } from '../lib/logger';
import { countDelivery } from '../lib/metrics';
import { createAddressGuard } from '../providers/net/address-guard';
import { DeliveryError } from '../providers/net/delivery-error';
import { sendEmail } from '../providers/notifications/send-email';
import { sendWebhook } from '../providers/notifications/send-webhook';
import { selectChannelNotice } from './channel-notice';
import { getRoutingKey, openWebhook, withRoutingKey } from './channel-secrets';
import { type ChannelRow, findChannelRow } from './queries/notification-channels';
import {
  claimDelivery,
  type DeliveryRow,
  settleDelivery,
  storeReachedRecipients,
} from './queries/notification-deliveries';
import { findNotification, type NotificationRow } from './queries/notifications';
import { notificationChanged } from './rules';
import { readMailServer, readMessageSettings } from './settings';

/** Delays after failed attempts, in seconds; after the last one the delivery has failed. */
const RETRY_SECONDS = [30, 60, 120, 300, 600, 1800, 3600];
/** A sender that gave no sign for longer is gone: longer than any try takes. */
const LEASE_MS = 120_000;

/** For the requests of one attempt: shorter than the lease. What is left is sent in the next one. */
const MOST_SENDING_MS = 60_000;

/** Who took a delivery before this time and has not ended is gone. */
export const computeLeaseCutoff = (now: Date): string => new Date(now.getTime() - LEASE_MS).toISOString();

/** `complete` is false when incidents are left for the next attempt. */
type Sent = { status: number | null; note: string | null; complete: boolean };
/** How many incidents the receiver accepted, and whether this attempt sent it anything. */
type Progress = { items_sent: number; tried: boolean };

async function sendToWebhook(
  delivery: DeliveryRow,
  channel: ChannelRow,
  stored: NotificationRow,
  progress: Progress,
  signal: AbortSignal,
): Promise<Sent> {
  const { url, secret, previous } = openWebhook(channel);
  const settings = await readMessageSettings(db, channel);
  const rendering = { template: channel.template, routing_key: getRoutingKey(url), ...settings };
  const notice = await selectChannelNotice(delivery, stored, getIncidentsPerStep(channel.template));
  const positions = new Map(stored.items.map((item, position) => [item.incident_id, position]));
  const getPosition = (item: NotificationItem | undefined) => (item && positions.get(item.incident_id)) ?? 0;
  const items = notice.items.filter((item) => getPosition(item) >= progress.items_sent);
  let status: number | null = null;
  const began = clock.now().getTime();
  const post = async (body: string) => {
    status = await sendWebhook({
      url: new URL(withRoutingKey(url, null)),
      secret,
      previous_secret: previous?.secret ?? null,
      body,
      delivery_id: delivery.id,
      timestamp: Math.floor(clock.now().getTime() / 1000),
      // Tenant users are only guests in the network that this service runs in.
      guard: createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS, { publicOnly: channel.tenant_id !== null }),
      discreet: channel.tenant_id !== null,
      signal,
    });
  };
  // Several steps only where the receiver recognizes repeated ones: after a crash all are sent again.
  for (const step of splitNotice({ ...notice, items }, channel.template)) {
    if (clock.now().getTime() - began > MOST_SENDING_MS) return { status, note: null, complete: false };
    progress.items_sent = getPosition(step.items[0]);
    progress.tried = true;
    for (const body of renderPayloads(step, rendering)) await post(body);
    progress.items_sent = getPosition(step.items.at(-1)) + 1;
  }
  return { status, note: null, complete: true };
}

async function sendByMail(
  delivery: DeliveryRow,
  channel: ChannelRow,
  stored: NotificationRow,
  progress: Progress,
): Promise<Sent> {
  const notice = await selectChannelNotice(delivery, stored, getIncidentsPerStep(channel.template));
  const to = channel.recipients.filter((recipient) => !delivery.reached.includes(recipient));
  // Those that it did not reach were removed from the channel.
  if (to.length === 0) return { status: null, note: null, complete: true };
  const { server, from } = await readMailServer(db);
  const { public_url, time_zone } = await readMessageSettings(db, channel);
  progress.tried = true;
  const refused = await sendEmail(server, {
    from,
    to,
    ...formatNoticeMail(notice, public_url, time_zone),
    delivery_id: delivery.id,
  });
  const missing = refused.map(({ recipient }) => recipient);
  const later = refused.find(({ status }) => status !== null && status < 500);
  if (!later) {
    const note = missing.length === 0 ? null : `The server rejected ${missing.join(', ')}.`;
    return { status: 250, note, complete: true };
  }
  // Only a further attempt for these can end the delivery.
  const reached = to.filter((recipient) => !missing.includes(recipient));
  await storeReachedRecipients(db, delivery, [...delivery.reached, ...reached]);
  throw new DeliveryError(`The server did not take the mail for ${missing.join(', ')}.`, {
    retry: true,
    status: later.status ?? undefined,
  });
}

async function send(delivery: DeliveryRow, progress: Progress, signal: AbortSignal): Promise<Sent> {
  const notice = await findNotification(db, delivery.notification_id);
  const channel = delivery.channel_id === null ? null : await findChannelRow(db, delivery.channel_id);
  if (!notice || !channel) throw new DeliveryError('The channel was deleted.', { retry: false });
  if (!channel.enabled) throw new DeliveryError('The channel is turned off.', { retry: false });
  if (channel.kind === 'webhook') return sendToWebhook(delivery, channel, notice, progress, signal);
  // A mail cannot be taken back half-way: the worker waits for it no longer than its grace.
  return Promise.race([
    sendByMail(delivery, channel, notice, progress),
    delay(LEASE_MS, undefined, { signal, ref: false }).then(
      () => Promise.reject(new DeliveryError('The mail server did not complete the delivery.', { retry: true })),
      () => Promise.reject(signal.reason),
    ),
  ]);
}

type Outcome = Parameters<typeof settleDelivery>[2];

/** Attempts since the receiver last accepted something, without those that ended before anything was sent. */
function countAttempts({ attempts, items_sent }: DeliveryRow, progress: Progress, error: DeliveryError): number {
  if (progress.items_sent > items_sent) return 1;
  return progress.tried || error.retry ? attempts : attempts - 1;
}

/** The state of a delivery after a failed attempt: due again, or failed. */
function toFailureOutcome(delivery: DeliveryRow, progress: Progress, error: DeliveryError, now: Date): Outcome {
  const attempts = countAttempts(delivery, progress, error);
  const seconds = RETRY_SECONDS[attempts - 1];
  const { items_sent } = progress;
  const reported = { attempts, items_sent, response_status: error.status, error: error.message.slice(0, 500) };
  if (!error.retry || seconds === undefined)
    return { ...reported, status: 'failed', next_attempt_at: null, finished_at: now.toISOString() };
  const wait = Math.max(seconds, error.retryAfterSeconds ?? 0);
  const next_attempt_at = new Date(now.getTime() + wait * 1000).toISOString();
  return { ...reported, status: 'queued', next_attempt_at, finished_at: null };
}

async function settle(delivery: DeliveryRow, outcome: Outcome): Promise<void> {
  await db.transaction(async (tx) => {
    if (await settleDelivery(tx, delivery, outcome)) await notificationChanged(tx, delivery.tenant_id);
  });
  const { status } = outcome;
  countDelivery(delivery.channel_kind, status === 'sent' || status === 'failed' ? status : 'retried');
}

/**
 * One try of a delivery that is due; otherwise nothing. A failure is an outcome, stored with the time of the next try. A worker
 * that ends in the middle leaves it to another one, so a notice arrives at least once, and twice only after a crash: the
 * receiver knows it by its delivery id.
 * @throws the reason of `signal` when it aborts, and database errors
 */
export async function deliverNotification(id: string, { signal }: { signal: AbortSignal }): Promise<void> {
  const now = clock.now();
  const delivery = await claimDelivery(db, id, newId(), now.toISOString(), computeLeaseCutoff(now));
  if (!delivery) return;
  const { attempts } = delivery;
  const progress: Progress = { items_sent: delivery.items_sent, tried: false };
  try {
    const { status, note, complete } = await send(delivery, progress, signal);
    const at = clock.now().toISOString();
    const { items_sent } = progress;
    const answer = { items_sent, response_status: status, error: note };
    await settle(
      delivery,
      complete
        ? { ...answer, status: 'sent', attempts, next_attempt_at: null, finished_at: at }
        : { ...answer, status: 'queued', attempts: 0, next_attempt_at: at, finished_at: null },
    );
  } catch (error) {
    if (signal.aborted) {
      const due = { status: 'queued', next_attempt_at: clock.now().toISOString(), finished_at: null } as const;
      const { items_sent } = progress;
      await settle(delivery, { ...due, attempts, items_sent, response_status: null, error: null });
      throw signal.reason;
    }
    if (!(error instanceof DeliveryError))
      logger.error({ err: error, delivery_id: id }, 'delivery failed unexpectedly');
    const known =
      error instanceof DeliveryError
        ? error
        : new DeliveryError('Unexpected error. See the worker log.', { retry: true, cause: error });
    await settle(delivery, toFailureOutcome(delivery, progress, known, clock.now()));
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { formatNoticeMail } from '@/domain/notifications/notice-body';
import { renderPayloads } from '@/domain/notifications/payloads';
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

/** For all requests of one delivery: shorter than the lease. */
const MOST_SENDING_MS = 60_000;

/** Who took a delivery before this time and has not ended is gone. */
export const computeLeaseCutoff = (now: Date): string => new Date(now.getTime() - LEASE_MS).toISOString();

type Sent = { status: number | null; note: string | null };

async function sendToWebhook(
  delivery: DeliveryRow,
  channel: ChannelRow,
  notice: NotificationRow,
  signal: AbortSignal,
): Promise<Sent> {
  const { url, secret, previous } = openWebhook(channel);
  const settings = await readMessageSettings(db, channel);
  const rendering = { template: channel.template, routing_key: getRoutingKey(url), ...settings };
  let status: number | null = null;
  const began = clock.now().getTime();
  // Several requests only where the receiver recognizes repeated ones: after a failure all are sent again.
  for (const body of renderPayloads(notice, rendering)) {
    if (clock.now().getTime() - began > MOST_SENDING_MS)
      throw new DeliveryError('The receiver is too slow for the number of incidents.', { retry: true });
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
  }
  return { status, note: null };
}

async function sendByMail(delivery: DeliveryRow, channel: ChannelRow, notice: NotificationRow): Promise<Sent> {
  const to = channel.recipients.filter((recipient) => !delivery.reached.includes(recipient));
  // Those that it did not reach were removed from the channel.
  if (to.length === 0) return { status: null, note: null };
  const { server, from } = await readMailServer(db);
  const { public_url, time_zone } = await readMessageSettings(db, channel);
  const refused = await sendEmail(server, {
    from,
    to,
    ...formatNoticeMail(notice, public_url, time_zone),
    delivery_id: delivery.id,
  });
  const missing = refused.map(({ recipient }) => recipient);
  const later = refused.find(({ status }) => status !== null && status < 500);
  if (!later) return { status: 250, note: missing.length === 0 ? null : `The server rejected ${missing.join(', ')}.` };
  // Only a further attempt for these can end the delivery.
  const reached = to.filter((recipient) => !missing.includes(recipient));
  await storeReachedRecipients(db, delivery, [...delivery.reached, ...reached]);
  throw new DeliveryError(`The server did not take the mail for ${missing.join(', ')}.`, {
    retry: true,
    status: later.status ?? undefined,
  });
}

async function send(delivery: DeliveryRow, signal: AbortSignal): Promise<Sent> {
  const notice = await findNotification(db, delivery.notification_id);
  const channel = delivery.channel_id === null ? null : await findChannelRow(db, delivery.channel_id);
  if (!notice || !channel) throw new DeliveryError('The channel was deleted.', { retry: false });
  if (!channel.enabled) throw new DeliveryError('The channel is turned off.', { retry: false });
  if (channel.kind === 'webhook') return sendToWebhook(delivery, channel, notice, signal);
  // A mail cannot be taken back half-way: the worker waits for it no longer than its grace.
  return Promise.race([
    sendByMail(delivery, channel, notice),
    delay(LEASE_MS, undefined, { signal, ref: false }).then(
      () => Promise.reject(new DeliveryError('The mail server did not complete the delivery.', { retry: true })),
      () => Promise.reject(signal.reason),
    ),
  ]);
}

type Outcome = Parameters<typeof settleDelivery>[2];

/** The state of a delivery after a failed attempt: due again, or failed. */
function toFailureOutcome({ attempts }: DeliveryRow, error: DeliveryError, now: Date): Outcome {
  const seconds = RETRY_SECONDS[attempts - 1];
  const reported = { response_status: error.status, error: error.message.slice(0, 500) };
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
  try {
    const { status, note } = await send(delivery, signal);
    const finished_at = clock.now().toISOString();
    await settle(delivery, {
      status: 'sent',
      next_attempt_at: null,
      response_status: status,
      error: note,
      finished_at,
    });
  } catch (error) {
    if (signal.aborted) {
      const due = { status: 'queued', next_attempt_at: clock.now().toISOString(), finished_at: null } as const;
      await settle(delivery, { ...due, response_status: null, error: null });
      throw signal.reason;
    }
    if (!(error instanceof DeliveryError))
      logger.error({ err: error, delivery_id: id }, 'delivery failed unexpectedly');
    const known =
      error instanceof DeliveryError
        ? error
        : new DeliveryError('Unexpected error. See the worker log.', { retry: true, cause: error });
    await settle(delivery, toFailureOutcome(delivery, known, clock.now()));
  }
}

import type {
  CreatedNotificationChannel,
  NotificationChannel,
  NotificationChannelInput,
  NotificationChannelUpdate,
} from '@/domain/notifications/channel';
import { findRoutingKeyError } from '@/domain/notifications/channel';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../lib/refusals';
import { assertAllowedHttpTarget } from '../settings/assert-allowed-target';
import { chooseTenant } from '../tenancy/choose-owner';
import {
  getRoutingKey,
  newSigningSecret,
  openWebhook,
  sealWebhook,
  type WebhookSecrets,
  withRoutingKey,
} from './channel-secrets';
import * as repository from './queries/notification-channels';
import { listChannelConditions } from './queries/notification-rules';
import { assertMaySubscribe, notificationChanged } from './rules';

export const noSuchChannel = () => notFound('notification channel');
const wrongKind = (field: string, message: string) =>
  new AppError('refused', message, { errors: [{ field, message }] });

/** Tenant users are only guests in the network that this service runs in. @throws AppError `refused` */
const assertAllowedUrl = (url: string, tenant_id: string | null) =>
  assertAllowedHttpTarget('url', new URL(url), { publicOnly: tenant_id !== null });

type Audited = Pick<
  repository.ChannelRow,
  'name' | 'kind' | 'enabled' | 'template' | 'time_zone' | 'url_origin' | 'recipients'
>;
const audited = ({ name, kind, enabled, template, time_zone, url_origin, recipients }: Audited) =>
  kind === 'webhook'
    ? { name, kind, enabled, time_zone, template, url_origin }
    : { name, kind, enabled, time_zone, recipients };

/** A channel that was just written. */
export async function storedChannel(tx: Tx, id: string): Promise<NotificationChannel> {
  const channel = await repository.findChannel(tx, 'all', id);
  if (!channel) throw new Error('expected the stored channel to exist');
  return channel;
}

/** @throws AppError `not_found` */
export async function readChannel(scope: Scope<'notification:read'>, id: string): Promise<NotificationChannel> {
  const channel = await repository.findChannel(db, scope.tenants, id);
  if (!channel) throw noSuchChannel();
  return channel;
}

/**
 * Adds a channel. The signing secret of a webhook is answered this once and never again.
 * @throws AppError `conflict` when the name is taken, `malformed` without a tenant of the caller's, `refused` for a URL
 * that no connection may be made to
 */
export function createChannel(
  scope: Scope<'notification:write'>,
  input: NotificationChannelInput,
): Promise<CreatedNotificationChannel> {
  const id = newId();
  const secret = input.kind === 'webhook' ? newSigningSecret() : null;
  return db.transaction(async (tx) => {
    const tenant_id = await chooseTenant(tx, scope.tenants, input.tenant_id);
    if (await repository.channelNameTaken(tx, tenant_id, input.name)) throw nameTaken('channel', input.name);
    if (input.kind === 'webhook') await assertAllowedUrl(input.url, tenant_id);
    const { name, kind, enabled, time_zone = null } = input;
    const target =
      input.kind === 'webhook'
        ? {
            template: input.template,
            ...sealWebhook(id, {
              url: withRoutingKey(input.url, input.routing_key ?? null),
              secret: secret ?? '',
              previous: null,
            }),
          }
        : { recipients: input.recipients };
    await repository.insertChannel(tx, { id, tenant_id, name, kind, enabled, time_zone, ...target });
    const channel = await storedChannel(tx, id);
    await notificationChanged(tx, tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.created',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: name,
      tenant_id,
      after: audited(channel),
    });
    return { ...channel, signing_secret: secret };
  });
}

/** What an update of a webhook writes besides name and switch: where it leads, and what is sent there. */
async function newWebhook(
  row: repository.ChannelRow,
  { url, template = row.template, routing_key }: NotificationChannelUpdate,
): Promise<Partial<repository.ChannelRow>> {
  const format = changedFields(row, { template });
  if (url === undefined && routing_key === undefined && Object.keys(format).length === 0) return {};
  const before = openOrCreateSecrets(row);
  const target = url ?? before.url;
  if (target === null)
    throw new AppError('refused', 'The URL can no longer be decrypted. Enter the URL again.', {
      errors: [{ field: 'url', message: 'Enter the URL again.' }],
    });
  if (url !== undefined) await assertAllowedUrl(url, row.tenant_id);
  // A key belongs to its receiver: the stored one is not sent to another server.
  const kept = before.url !== null && new URL(target).origin === row.url_origin && row.template === 'pagerduty';
  const stored = kept && template === 'pagerduty' ? getRoutingKey(before.url ?? '') : null;
  const key = routing_key ?? stored;
  const message = findRoutingKeyError(template, key);
  if (message !== null) throw wrongKind('routing_key', message);
  return { ...format, ...sealWebhook(row.id, { ...before, url: withRoutingKey(target, key) }) };
}

/** What an update writes besides name and switch. @throws AppError `refused` for a field of the other kind */
async function newTarget(
  row: repository.ChannelRow,
  input: NotificationChannelUpdate,
): Promise<Partial<repository.ChannelRow>> {
  const { url, recipients, template, routing_key } = input;
  if (row.kind === 'webhook') {
    if (recipients !== undefined) throw wrongKind('recipients', 'A webhook has no recipients: omit this field.');
    return newWebhook(row, input);
  }
  if (url !== undefined) throw wrongKind('url', 'An email channel has no URL: omit this field.');
  if (template !== undefined) throw wrongKind('template', 'An email channel has no template: omit this field.');
  if (routing_key !== undefined)
    throw wrongKind('routing_key', 'An email channel has no integration key: omit this field.');
  return recipients === undefined ? {} : changedFields(row, { recipients });
}

/** The secrets as they are; a new one when they can no longer be read, which is fixed by entering the URL. */
function openOrCreateSecrets(row: repository.ChannelRow): Omit<WebhookSecrets, 'url'> & { url: string | null } {
  try {
    return openWebhook(row);
  } catch {
    return { url: null, secret: newSigningSecret(), previous: null };
  }
}

/**
 * Changes a channel; omitted fields stay. A new address requires permission to read everything that the channel
 * reports, and what it did not deliver yet.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is in use, `refused` for a field of the
 * other kind, `forbidden`
 */
export function updateChannel(
  scope: Scope<'notification:write'>,
  id: string,
  input: NotificationChannelUpdate,
): Promise<NotificationChannel> {
  return db.transaction(async (tx) => {
    const row = await repository.lockChannel(tx, scope.tenants, id);
    if (!row) throw noSuchChannel();
    assertVersion('channel', row.version, input.version);
    const { name, enabled, time_zone } = input;
    const target = await newTarget(row, input);
    const changes = { ...changedFields(row, { name, enabled, time_zone }), ...target };
    if (Object.keys(changes).length === 0) return storedChannel(tx, id);
    if (Object.keys(target).length > 0 || changes.enabled)
      await assertMaySubscribe(tx, scope.actor, row.tenant_id, await listChannelConditions(tx, id));
    if (changes.name !== undefined && (await repository.channelNameTaken(tx, row.tenant_id, changes.name)))
      throw nameTaken('channel', changes.name);
    await repository.updateChannel(tx, id, changes);
    const channel = await storedChannel(tx, id);
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.updated',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: channel.name,
      tenant_id: row.tenant_id,
      before: audited(row),
      after: { ...audited(channel), ...(input.url !== undefined && { url_changed: true }) },
    });
    return channel;
  });
}

/**
 * Deletes a channel that no rule uses; its log stays.
 * @throws AppError `not_found`, `conflict` while rules use it
 */
export function deleteChannel(scope: Scope<'notification:write'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await repository.lockChannel(tx, scope.tenants, id, 'update');
    if (!row) throw noSuchChannel();
    assertVersion('channel', row.version, version);
    const { rules_total } = await storedChannel(tx, id);
    if (rules_total > 0) {
      throw new AppError(
        'conflict',
        `This channel is used by rules (${rules_total}). Remove the channel from these rules first.`,
        {
          extra: { rules_total },
        },
      );
    }
    await repository.deleteChannelRow(tx, id);
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.deleted',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: audited(row),
    });
  });
}

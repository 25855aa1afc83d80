import type { Page } from '@/domain/list';
import type {
  CreatedNotificationChannel,
  NotificationChannel,
  NotificationChannelInput,
  NotificationChannelListInput,
  NotificationChannelUpdate,
} from '@/domain/notifications/channel';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { AppError } from '../lib/errors';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../lib/refusals';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { chooseTenant } from '../tenancy/choose-owner';
import { newSigningSecret, openWebhook, sealWebhook, type WebhookSecrets } from './channel-secrets';
import * as repository from './queries/notification-channels';
import { listChannelConditions } from './queries/notification-rules';
import { assertMayBeTold, notificationChanged } from './rules';

export const noSuchChannel = () => notFound('notification channel');
const wrongKind = (field: string, message: string) =>
  new AppError('refused', message, { errors: [{ field, message }] });

/** People of a tenant are guests in the network that this service stands in. @throws AppError `refused` */
const assertAllowedUrl = (url: string, tenant_id: string | null) =>
  assertAllowedTarget('url', new URL(url).hostname, { publicOnly: tenant_id !== null });

type Audited = Pick<repository.ChannelRow, 'name' | 'kind' | 'enabled' | 'url_origin' | 'recipients'>;
const audited = ({ name, kind, enabled, url_origin, recipients }: Audited) =>
  kind === 'webhook' ? { name, kind, enabled, url_origin } : { name, kind, enabled, recipients };

/** A channel that was just written. */
export async function storedChannel(tx: Tx, id: string): Promise<NotificationChannel> {
  const channel = await repository.findChannel(tx, 'all', id);
  if (!channel) throw new Error('expected the stored channel to exist');
  return channel;
}

/** One page of the channels within reach. */
export function listChannels(
  scope: Scope<'notification:read'>,
  input: NotificationChannelListInput,
): Promise<Page<NotificationChannel>> {
  return repository.listChannels(scope.tenants, input);
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
    if (input.kind === 'webhook') assertAllowedUrl(input.url, tenant_id);
    const { name, kind, enabled } = input;
    const target =
      input.kind === 'webhook'
        ? sealWebhook(id, { url: input.url, secret: secret ?? '', previous: null })
        : { recipients: input.recipients };
    await repository.insertChannel(tx, { id, tenant_id, name, kind, enabled, ...target });
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

/** What an update writes besides name and switch. @throws AppError `refused` for a field of the other kind */
function newTarget(
  row: repository.ChannelRow,
  { url, recipients }: NotificationChannelUpdate,
): Partial<repository.ChannelRow> {
  if (row.kind === 'webhook') {
    if (recipients !== undefined) throw wrongKind('recipients', 'A webhook has no recipients: omit this field.');
    if (url === undefined) return {};
    assertAllowedUrl(url, row.tenant_id);
    return sealWebhook(row.id, { ...openOrNew(row), url });
  }
  if (url !== undefined) throw wrongKind('url', 'An e-mail channel has no URL: omit this field.');
  return recipients === undefined ? {} : changedFields(row, { recipients });
}

/** The secrets as they are; a new one when they cannot be read any more, which an entered URL mends. */
function openOrNew(row: repository.ChannelRow): Pick<WebhookSecrets, 'secret' | 'previous'> {
  try {
    return openWebhook(row);
  } catch {
    return { secret: newSigningSecret(), previous: null };
  }
}

/**
 * Changes a channel; what is left out stays. Another address needs the right to read all that it is told of.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken, `refused` for a field of the other
 * kind, `forbidden`
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
    const { name, enabled } = input;
    const target = newTarget(row, input);
    const changes = { ...changedFields(row, { name, enabled }), ...target };
    if (Object.keys(changes).length === 0) return storedChannel(tx, id);
    if (Object.keys(target).length > 0 || changes.enabled)
      await assertMayBeTold(tx, scope.actor, row.tenant_id, await listChannelConditions(tx, id));
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
export function deleteChannel(scope: Scope<'notification:write'>, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await repository.lockChannel(tx, scope.tenants, id, 'update');
    if (!row) throw noSuchChannel();
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

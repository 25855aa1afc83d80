import type {
  CreatedNotificationChannel,
  NotificationChannel,
  RotateSecretInput,
} from '@/domain/notifications/channel';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { newSigningSecret, openWebhook, sealWebhook, type WebhookSecrets } from './channel-secrets';
import { noSuchChannel, storedChannel } from './channels';
import { type ChannelRow, lockChannel, updateChannel } from './queries/notification-channels';
import { listChannelConditions } from './queries/notification-rules';
import { assertMaySubscribe, notificationChanged } from './rules';

async function lockWebhook(tx: Tx, scope: Scope<'notification:write'>, id: string): Promise<ChannelRow> {
  const row = await lockChannel(tx, scope.tenants, id);
  if (!row) throw noSuchChannel();
  if (row.kind !== 'webhook') throw new AppError('refused', 'Only webhooks are signed.');
  return row;
}

function openSecrets(row: ChannelRow): WebhookSecrets {
  try {
    return openWebhook(row);
  } catch (cause) {
    throw new AppError('refused', 'The URL can no longer be decrypted. Enter the URL again first.', { cause });
  }
}

/**
 * Gives a webhook another signing secret. The one before signs deliveries as well for `grace_hours`; one from an earlier
 * rotation ends.
 * @throws AppError `not_found`, `refused` for email
 */
export function rotateSigningSecret(
  scope: Scope<'notification:write'>,
  id: string,
  { grace_hours }: RotateSecretInput,
): Promise<CreatedNotificationChannel> {
  return db.transaction(async (tx) => {
    const row = await lockWebhook(tx, scope, id);
    await assertMaySubscribe(tx, scope.actor, row.tenant_id, await listChannelConditions(tx, id));
    const before = openSecrets(row);
    const secret = newSigningSecret();
    const until = new Date(clock.now().getTime() + grace_hours * 3_600_000).toISOString();
    const previous = grace_hours > 0 ? { secret: before.secret, until } : null;
    await updateChannel(tx, id, sealWebhook(id, { url: before.url, secret, previous }));
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.secret_rotated',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      after: { previous_secret_until: previous?.until ?? null },
    });
    return { ...(await storedChannel(tx, id)), signing_secret: secret };
  });
}

/**
 * Ends the secret before the last rotation now: deliveries are signed with the present one only. Without such a secret nothing
 * happens.
 * @throws AppError `not_found`, `refused` for email
 */
export function endPreviousSecret(scope: Scope<'notification:write'>, id: string): Promise<NotificationChannel> {
  return db.transaction(async (tx) => {
    const row = await lockWebhook(tx, scope, id);
    const { previous_secret_until: until } = row;
    const valid = until !== null && Date.parse(until) > clock.now().getTime();
    if (!valid) return storedChannel(tx, id);
    await updateChannel(tx, id, { previous_secret_encrypted: null, previous_secret_until: null });
    await notificationChanged(tx, row.tenant_id);
    await recordAudit(tx, scope, {
      action: 'notification_channel.previous_secret_ended',
      object_kind: 'notification_channel',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: { previous_secret_until: until },
      after: { previous_secret_until: null },
    });
    return storedChannel(tx, id);
  });
}

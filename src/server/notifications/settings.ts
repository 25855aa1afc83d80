import { ownTimeZone } from '@/domain/notifications/local-time';
import {
  DEFAULT_NOTIFICATION_CHOICES,
  NotificationChoices,
  type NotificationSettings,
  type NotificationSettingsUpdate,
} from '@/domain/notifications/settings';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Executor } from '../db/client';
import { clock } from '../lib/clock';
import { seal, unseal } from '../lib/crypto';
import { env } from '../lib/env';
import { AppError } from '../lib/errors';
import { assertVersion } from '../lib/refusals';
import { createAddressGuard } from '../providers/net/address-guard';
import { DeliveryError } from '../providers/net/delivery-error';
import type { SmtpServer } from '../providers/notifications/send-email';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { findSetting, insertSetting, lockSetting, updateSetting } from '../settings/queries/settings';
import { findNotificationSecret, storeNotificationSecret } from './queries/notification-channels';

/** `system_settings.key` of what an administrator chose; the password is kept beside it. */
export const NOTIFICATION_SETTINGS_KEY = 'notifications';
/** What an encrypted setting is bound to. */
export const notificationSecretContext = (id: string) => `notification_secret:${id}`;

/** A row written by an older version lacks the newer fields: they are at their default. */
export const StoredNotificationChoices = NotificationChoices.partial().transform((stored) => ({
  ...DEFAULT_NOTIFICATION_CHOICES,
  ...stored,
}));

async function storedRow(executor: Executor) {
  let row = await findSetting(executor, NOTIFICATION_SETTINGS_KEY);
  if (!row) {
    const at = clock.now().toISOString();
    await insertSetting(executor, NOTIFICATION_SETTINGS_KEY, DEFAULT_NOTIFICATION_CHOICES, at);
    row = await findSetting(executor, NOTIFICATION_SETTINGS_KEY);
  }
  if (!row) throw new Error('cannot store the notification settings');
  return row;
}

/** The settings as they are shown; created with their defaults when there are none yet. */
export async function storedNotificationSettings(executor: Executor = db): Promise<NotificationSettings> {
  const row = await storedRow(executor);
  const password = await findNotificationSecret(executor, 'smtp_password');
  return {
    ...StoredNotificationChoices.parse(row.value),
    smtp_password_set: password !== null,
    version: row.version,
    updated_at: row.updated_at,
  };
}

async function readCredentials(executor: Executor, user: string | null): Promise<SmtpServer['credentials']> {
  if (user === null) return null;
  const password = await findNotificationSecret(executor, 'smtp_password');
  if (password === null)
    throw new DeliveryError('The mail server has a user name but no password. Enter the password.', { retry: false });
  try {
    return { user, password: unseal(password, notificationSecretContext('smtp_password')) };
  } catch (cause) {
    throw new DeliveryError(
      'The password of the mail server cannot be decrypted with the current FABRIC_SECRET_KEY. Enter the password again.',
      { retry: false, cause },
    );
  }
}

/** The mail server as it is set up. @throws DeliveryError when it is not */
export async function readMailServer(executor: Executor): Promise<{ server: SmtpServer; from: string }> {
  const stored = StoredNotificationChoices.parse((await storedRow(executor)).value);
  const { smtp_host: host, smtp_port: port, smtp_security: security, from_address: from } = stored;
  if (host === null || from === null) {
    throw new DeliveryError(
      'No mail server is configured. A super administrator can configure one on this page, under Email.',
      {
        retry: false,
      },
    );
  }
  const credentials = await readCredentials(executor, stored.smtp_username);
  const guard = createAddressGuard(env().FABRIC_ALLOW_PRIVATE_TARGETS);
  return { server: { host, port, security, credentials, guard }, from };
}

/** What messages of a channel have in common: the address of links, and the time zone of the channel or of the installation. */
export async function readMessageSettings(
  executor: Executor,
  channel: { time_zone: string | null },
): Promise<{ public_url: string | null; time_zone: string }> {
  const { public_url, time_zone } = StoredNotificationChoices.parse((await storedRow(executor)).value);
  return { public_url, time_zone: channel.time_zone ?? time_zone ?? ownTimeZone() };
}

/**
 * Changes the settings; fields that are left out stay. A password belongs to its server: another host needs it again.
 * @throws AppError `version_conflict`; `refused` when a host comes without the password, or may not be connected to
 */
export function updateNotificationSettings(
  scope: Scope<'*'>,
  { version, smtp_password, ...changes }: NotificationSettingsUpdate,
): Promise<NotificationSettings> {
  return db.transaction(async (tx) => {
    await storedNotificationSettings(tx);
    const row = await lockSetting(tx, NOTIFICATION_SETTINGS_KEY);
    if (!row) throw new Error('cannot store the notification settings');
    assertVersion('settings', row.version, version);
    const before = StoredNotificationChoices.parse(row.value);
    const { smtp_password_set } = await storedNotificationSettings(tx);
    const after = NotificationChoices.parse({ ...before, ...changes });
    if (after.smtp_host !== null && after.smtp_host !== before.smtp_host)
      assertAllowedTarget('smtp_host', after.smtp_host);
    const elsewhere = after.smtp_host !== before.smtp_host || after.smtp_port !== before.smtp_port;
    if (elsewhere && smtp_password_set && smtp_password === undefined) {
      const message = 'Enter the password again: the stored one is not sent to another server.';
      throw new AppError('refused', message, { errors: [{ field: 'smtp_password', message }] });
    }
    if (smtp_password === undefined && JSON.stringify(before) === JSON.stringify(after))
      return storedNotificationSettings(tx);
    const at = clock.now().toISOString();
    await updateSetting(tx, NOTIFICATION_SETTINGS_KEY, after, at);
    if (smtp_password !== undefined) {
      const sealed = smtp_password === null ? null : seal(smtp_password, notificationSecretContext('smtp_password'));
      await storeNotificationSecret(tx, 'smtp_password', sealed, at);
    }
    await recordAudit(tx, scope, {
      action: 'settings.notifications_updated',
      object_kind: 'settings',
      object_id: NOTIFICATION_SETTINGS_KEY,
      object_name: 'Notification settings',
      before,
      after: { ...after, ...(smtp_password !== undefined && { has_new_smtp_password: smtp_password !== null }) },
    });
    return storedNotificationSettings(tx);
  });
}

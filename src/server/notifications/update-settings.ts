import {
  NotificationChoices,
  type NotificationSettings,
  type NotificationSettingsUpdate,
} from '@/domain/notifications/settings';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db } from '../db/client';
import { clock } from '../lib/clock';
import { seal } from '../lib/crypto';
import { AppError } from '../lib/errors';
import { assertVersion } from '../lib/refusals';
import { assertAllowedTarget } from '../settings/assert-allowed-target';
import { lockSetting, updateSetting } from '../settings/queries/settings';
import { storeNotificationSecret } from './queries/notification-secrets';
import {
  NOTIFICATION_SETTINGS_KEY,
  notificationSecretContext,
  StoredNotificationChoices,
  storedNotificationSettings,
} from './stored-settings';

/** The settings of notifications; on first use they come into being with their defaults. */
export function readNotificationSettings(_scope: Scope<'settings:read'>): Promise<NotificationSettings> {
  return storedNotificationSettings(db);
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
    if (!row) throw new Error('the settings of notifications cannot be stored');
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

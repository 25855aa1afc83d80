import { expect, it } from 'vitest';
import { DEFAULT_NOTIFICATION_CHOICES, NotificationSettingsUpdate } from '@/domain/notifications/settings';
import { toMailUpdate, toMailValues } from './mail-settings-values';

const stored = {
  ...DEFAULT_NOTIFICATION_CHOICES,
  smtp_host: 'mail.example.org',
  smtp_username: 'fabric',
  smtp_password_set: true,
  version: 4,
  updated_at: '2026-01-01T00:00:00.000Z',
};

it('leaves the password alone unless one was entered', () => {
  const update = NotificationSettingsUpdate.parse(toMailUpdate(toMailValues(stored), stored));
  expect(update).not.toHaveProperty('smtp_password');
  expect(update).toMatchObject({ smtp_host: 'mail.example.org', public_url: null, version: 4 });
  expect(toMailUpdate({ ...toMailValues(stored), smtp_password: 'new' }, stored)).toMatchObject({
    smtp_password: 'new',
  });
});

it('takes the password away with the user name', () => {
  const values = { ...toMailValues(stored), smtp_username: ' ' };
  expect(toMailUpdate(values, stored)).toMatchObject({ smtp_username: null, smtp_password: null });
  expect(toMailUpdate(values, { ...stored, smtp_password_set: false })).not.toHaveProperty('smtp_password');
});

import { expect } from '@playwright/test';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Settings = { flow_retention_hours: number; version: number };

test('settings are validated in the field, saved, and do not overwrite changes by another user', async ({
  adminPage: page,
  api,
}) => {
  await page.goto('/settings');
  const retention = page.getByRole('textbox', { name: 'Flow retention' });
  const save = page.getByRole('button', { name: 'Save settings' });
  await expect(save).toHaveAttribute('aria-disabled', 'true');
  await typeInto(retention, '0');
  await retention.blur();
  await save.click();
  await expect(page.getByText('At least 1 hour.')).toBeVisible();
  await typeInto(retention, '48');
  await save.click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  expect((await api<Settings>('GET', '/settings')).flow_retention_hours).toBe(48);

  await typeInto(retention, '1.5');
  await save.click();
  await expect(page.getByText('A whole number of hours.')).toBeVisible();
  await expect(retention).toHaveValue('1.5');
  await typeInto(retention, '72');
  await api('PATCH', '/settings', { flow_retention_hours: 96 });
  // The user returns to the tab after a while, so that the settings are read again.
  const read = page.waitForResponse(/settings\.get/);
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 60_000;
    window.dispatchEvent(new Event('visibilitychange'));
  });
  await (await read).finished();
  await expect(retention).toHaveValue('72');
  await save.click();
  await expect(page.getByText('Settings changed by another user')).toBeVisible();
  expect((await api<Settings>('GET', '/settings')).flow_retention_hours).toBe(96);
  await page.getByRole('button', { name: 'Load current settings' }).click();
  await expect(retention).toHaveValue('96');
  await api('PATCH', '/settings', { flow_retention_hours: 24 });
});

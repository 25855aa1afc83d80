import { expect } from '@playwright/test';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('finds anything by search in at most 2 clicks', async ({ task: { page, clicks }, api }) => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const look = async (text: string) => {
    await page.keyboard.press('Control+k');
    await typeInto(page.getByRole('combobox', { name: 'Search everything' }), text);
    // Pressed before there are results: it waits for them.
    await page.keyboard.press('Enter');
  };
  await look('web-03');
  await expect(heading('web-03')).toBeVisible();
  const { items } = await api<{ items: { id: string }[] }>('GET', '/workloads?q=pg-01');
  const { interfaces } = await api<{ interfaces: { mac: string }[] }>('GET', `/workloads/${items[0]?.id}`);
  await look((interfaces[0]?.mac ?? '').replaceAll(':', '-'));
  await expect(heading('pg-01')).toBeVisible();
  await look('applications postgres');
  await expect(heading('Applications reach PostgreSQL')).toBeVisible();
  await look('flow retention');
  await expect(
    page.getByRole('spinbutton', { name: 'Flow retention' }).or(page.getByLabel('Flow retention')),
  ).toBeVisible();
  await look('polcies');
  await expect(heading('Policies')).toBeVisible();
  await look('test web-03 → pg-01:5432');
  await expect(heading('pg-01')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Source address' })).toHaveValue(/\d/);
  await expect(page.getByLabel('Destination port')).toHaveValue('5432');
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('walks lists and pages by keys, until single-key shortcuts are off', async ({ task: { page, clicks } }) => {
  const row = page.getByRole('grid', { name: 'Workloads' }).locator('tr[data-row-id]');
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await expect(row.nth(2)).toBeVisible();
  await page.keyboard.press('j');
  await expect(row.nth(0)).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(row.nth(1)).toBeFocused();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog).toContainText('Next row');
  await dialog.getByRole('checkbox', { name: 'Single-key shortcuts' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('j');
  await expect(row.nth(2)).not.toBeFocused();
  await page.keyboard.press('?');
  await expect(dialog).toBeHidden();
  expect(clicks()).toBe(0);
});

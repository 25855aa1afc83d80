import { expect } from '@playwright/test';
import { chooseFilter } from '../fixtures/filters';
import { test } from '../fixtures/test';

test('a change is found by its kind and shown before and after; the trail proves itself', async ({
  adminPage: page,
  api,
}) => {
  await api('PATCH', '/settings', { auto_node_sync_interval_minutes: 45 });
  await api('PATCH', '/settings', { auto_node_sync_interval_minutes: 15 });
  await page.goto('/audit');
  const grid = page.getByRole('grid', { name: 'Audit records' });
  // Rows come from the browser's own query: from then on the page answers clicks.
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
  await chooseFilter(page, 'Action', ['Settings']);
  await expect(page).toHaveURL(/action=settings/);
  await expect(grid.getByRole('row').nth(1)).toContainText('Settings: updated');
  await expect(grid).not.toContainText('Signed in');
  await grid.getByRole('row').nth(1).click();
  const drawer = page.getByRole('dialog', { name: 'Settings: updated' });
  const change = drawer.getByRole('row').filter({ hasText: 'Minutes between syncs' });
  await expect(change.getByRole('deletion')).toHaveText('45');
  await expect(change.getByRole('insertion')).toHaveText('15');
  await drawer.getByRole('button', { name: /^All records by/ }).click();
  await expect(page).toHaveURL(/actor_id=/);
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Verify trail' }).click();
  await expect(page.getByText('Audit trail intact')).toBeVisible();
});

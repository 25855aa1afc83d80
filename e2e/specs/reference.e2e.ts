import { expect } from '@playwright/test';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('a call is found, sent with one’s own session, and taken along as a program', async ({ adminPage: page }) => {
  await page.goto('/reference');
  await typeInto(page.getByRole('searchbox', { name: 'Search operations' }), 'get tenants');
  // The list moves when the search takes effect; a click before that falls between two rows.
  await expect(page).toHaveURL(/q=get\+tenants/);
  await page.getByRole('button', { name: 'GET /tenants', exact: true }).click();
  await expect(page).toHaveURL(/call=getTenants/);
  await typeInto(page.getByRole('textbox', { name: 'limit' }), '1');
  await expect(page.getByRole('region', { name: 'Code sample' })).toContainText('/api/v1/tenants?limit=1');
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('"items"');
  await typeInto(page.getByRole('textbox', { name: 'limit' }), '0');
  await page.getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('"malformed"');
  await page.getByRole('radio', { name: 'Python' }).click();
  await expect(page.getByRole('region', { name: 'Code sample' })).toContainText('requests.request');
});

test('a call that changes data asks for confirmation first', async ({ adminPage: page, api }) => {
  await page.goto('/reference?call=postTenants');
  await typeInto(page.getByRole('textbox', { name: 'Body' }), '{"name": "Made by hand"}');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Send request' }).click();
  await expect(page.getByRole('region', { name: 'Response' })).toContainText('"Made by hand"');
  const { items } = await api<{ items: { id: string }[] }>('GET', '/tenants?q=Made by hand');
  expect(items).toHaveLength(1);
  await api('DELETE', `/tenants/${items[0]?.id}`);
});

test('the copied command of a page is a shell command', async ({ adminPage: page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/workloads?q=web&status=running');
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain('"Authorization: Bearer $FABRIC_TOKEN"');
  expect(copied).toContain("/api/v1/workloads?q=web&status=running'");
  await page.goto('/policies/new');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toHaveCount(0);
});

import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

test('reserves a free address in at most 4 clicks', async ({ task: { page, clicks }, api }) => {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Addresses' }).click();
  const prefixes = page.getByRole('treegrid', { name: 'Prefixes' });
  const row = prefixes.getByRole('row').filter({ has: page.getByRole('link', { name: '10.40.20.0/24' }) });
  await row.getByRole('button', { name: 'Reserve next free address' }).click();
  const submit = page.getByRole('button', { name: /^Allocate 10\.40\.20\.\d+$/ });
  const address = ((await submit.textContent()) ?? '').replace('Allocate ', '');
  await submit.click();
  await expect(page.getByText(`${address} added`)).toBeVisible();
  const { items } = await api<{ items: { state: string }[] }>('GET', `/ip-addresses?within=${address}/32`);
  expect(items).toMatchObject([{ state: 'reserved' }]);
  expect(clicks()).toBeLessThanOrEqual(4);
});

test('finds a stale agent and the reason in at most 2 clicks', async ({ task: { page, clicks }, api }) => {
  test.setTimeout(240_000);
  // An agent of the demo stops reporting after its start; three missing heartbeats make it stale.
  const countStale = async () => (await api<{ total: number }>('GET', '/agents?status=silent')).total;
  await expect.poll(countStale, { timeout: 180_000, intervals: [2_000] }).toBeGreaterThan(0);
  await page.reload();
  await page.getByRole('list', { name: 'Stale agents' }).getByRole('link').first().click();
  await expect(page.getByRole('main')).toContainText('Agent is stale');
  await expect(page.getByRole('main')).toContainText(/Last heartbeat .* ago/);
  await expect(page.getByRole('main')).toContainText(/The cluster reports the node as (online|offline)/);
  // What it reported last is gray and says how old it is.
  await expect(page.locator('[data-as-of]').first()).toContainText(/ago/);
  expect(clicks()).toBeLessThanOrEqual(2);
});

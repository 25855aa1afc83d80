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

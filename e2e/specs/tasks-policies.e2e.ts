import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

type Counts = { protection: Record<string, number> };

// The firewalls are read in turn.
test.beforeAll(async ({ api }) => {
  await expect
    .poll(async () => (await api<Counts>('GET', '/workload-protection')).protection.off, { timeout: 150_000 })
    .toBeGreaterThan(0);
});

test('the dashboard leads to unprotected workloads and the reason in two clicks', async ({
  task: { page, clicks },
}) => {
  const parts = page.getByRole('list', { name: 'Security posture components' });
  await parts.getByRole('link', { name: 'Enforcement' }).click();
  await expect(page).toHaveURL(/\/workloads\?.*protection=/);
  const first = page.getByRole('grid', { name: 'Workloads' }).getByRole('row').nth(1);
  await expect(first).toContainText(/firewall off|flag off|default accept|accepts everything/i);
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('a policy from a flow takes four clicks', async ({ task: { page, clicks } }) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Flows', exact: true }).click();
  const first = page.getByRole('grid', { name: 'Conversations' }).getByRole('row').nth(1);
  await first.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Create policy from this' }).click();
  await expect(page.getByText('Draft in audit mode')).toBeVisible();
  await expect(page.getByRole('radio', { name: /Audit/ })).toBeChecked();
  await page.getByRole('button', { name: 'Create policy' }).click();
  await expect(page).toHaveURL(/\/policies\/[0-9a-f-]{36}/);
  expect(clicks()).toBeLessThanOrEqual(4);
});

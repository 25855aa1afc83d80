import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';

type Counts = { protection: Record<string, number> };

// The firewalls are read in turn.
test.beforeAll(async ({ api }) => {
  await expect.poll(async () => (await api<Counts>('GET', '/workload-protection')).protection.off).toBeGreaterThan(0);
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

test('a finding shows its proof, and its fix is drafted as a change', async ({ task: { page, clicks }, api }) => {
  type Findings = { items: { subject: string }[] };
  const list = () => api<Findings>('GET', '/hygiene');
  await expect
    .poll(async () => (await list()).items.map(({ subject }) => subject))
    .toEqual(expect.arrayContaining(['backup-old', expect.stringContaining('public-web')]));
  const start = clicks();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Coverage' }).click();
  await page.getByRole('link', { name: 'Rule hygiene' }).click();
  const grid = page.getByRole('grid', { name: 'Findings' });
  await grid
    .getByRole('row')
    .filter({ hasText: 'backup-old' })
    .getByRole('gridcell', { name: 'Resolves to nothing' })
    .click();
  const drawer = page.getByRole('dialog', { name: 'Resolves to nothing' });
  await expectAccessible(page, 'a finding');
  await takePicture(page, 'hygiene-finding');
  await drawer.getByRole('button', { name: 'Draft change' }).click();
  expect(clicks() - start).toBe(4);
  await expect(page.getByRole('heading', { level: 1, name: /^Clean up / })).toBeVisible();
  await api('POST', `/changes/${page.url().split('/').at(-1)}/withdraw`);

  // What a policy says already is named, and Fabric does not edit it.
  await openPage(page, '/coverage/hygiene?kind=shadowed');
  await grid.getByRole('gridcell', { name: 'Shadowed' }).first().click();
  const shadowed = page.getByRole('dialog', { name: 'Shadowed' });
  await expect(shadowed).toContainText('Customers reach the load balancers, Rule 1');
  await expect(shadowed.getByRole('button', { name: 'Draft change' })).toBeHidden();
});

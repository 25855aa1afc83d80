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
  // One of every kind that the console has a page or a tab for.
  const first = async <T>(path: string) => {
    const { items } = await api<{ items: T[] }>('GET', path);
    if (!items[0]) throw new Error(`the demo has nothing at ${path}`);
    return items[0];
  };
  const node = await first<{ name: string }>('/nodes?limit=1');
  await look(`node ${node.name}`);
  await expect(heading(node.name)).toBeVisible();
  const subnet = await first<{ cidr: string }>('/subnets?limit=1');
  await look(subnet.cidr);
  await expect(heading(subnet.cidr)).toBeVisible();
  const { items: networks } = await api<{ items: { name: string; vlan_tag: number | null }[] }>('GET', '/networks');
  const tagged = networks.find(({ vlan_tag }) => vlan_tag !== null);
  await look(`vlan ${tagged?.vlan_tag}`);
  await expect(page).toHaveURL(/\/networks\/[0-9a-f-]{36}/);
  await expect(page.getByRole('main')).toContainText(String(tagged?.vlan_tag));
  const user = await first<{ email: string; name: string }>('/users?limit=1');
  await look(user.email);
  await expect(page.getByRole('main')).toContainText(user.email);
  await api('POST', '/account/tokens', { name: 'nightly export', permissions: ['flow:read'], expires_in_days: 1 });
  await look('nightly export');
  await expect(page.getByRole('main')).toContainText('nightly export');
  const policyTest = await api<{ name: string }>('POST', '/policy-tests', {
    ...{ name: 'backups reach storage', expect: 'allow', from: ['any'], to: ['10.0.0.0/8'], protocol: 'tcp' },
    ports: ['873'],
  });
  await look('backups storage');
  await expect(heading(policyTest.name)).toBeVisible();
  await look('deliveries');
  await expect(page.getByRole('tab', { name: 'Deliveries', selected: true })).toBeVisible();
  // A form of another page.
  await look('create group');
  await expect(page.getByRole('dialog', { name: 'Create group' })).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('walks lists and pages by keys, until single-key shortcuts are off', async ({ task: { page, clicks } }) => {
  // The tables of the dashboard are walked as lists are.
  const outside = page.getByRole('region', { name: 'Connections from outside' }).locator('tr[data-row-id]');
  await expect(outside.nth(1)).toBeVisible();
  await page.keyboard.press('j');
  await expect(outside.nth(0)).toBeFocused();
  await page.keyboard.press('j');
  await expect(outside.nth(1)).toBeFocused();
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

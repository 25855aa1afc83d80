import { expect } from '@playwright/test';
import { actAs } from '../fixtures/act-as';
import { addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { test } from '../fixtures/test';

test('a viewer sees everything readable and learns why the rest is disabled', async ({ adminPage: page }) => {
  await actAs(page, ['cluster:read', 'workload:read', 'ipam:read', 'settings:read']);
  await page.goto('/clusters');
  const add = page.getByRole('button', { name: 'Add cluster' });
  await expect(add).toHaveAttribute('aria-disabled', 'true');
  await expect(add).toHaveAccessibleDescription(/cluster:write/);
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await expect(sections.getByRole('link', { name: 'Workloads' })).toBeVisible();
  await expect(sections.getByRole('link', { name: 'Audit' })).toBeHidden();
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toBeVisible();
  await page.getByRole('grid', { name: 'Clusters' }).getByRole('link').first().click();
  for (const name of ['Check connection', 'Edit']) {
    // A cluster that cannot be read offers it in the notice, too.
    await expect(page.getByRole('button', { name }).first()).toHaveAccessibleDescription(/cluster:write/);
  }
  await expect(page.getByRole('button', { name: 'Sync now' })).toHaveAccessibleDescription(/cluster:sync/);
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await expect(page.getByRole('menuitem', { name: /Delete cluster/ })).toContainText('cluster:write');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('edit cluster');
  await expect(page.getByText('No matches')).toBeVisible();
  await page.keyboard.press('Escape');
  await openPage(page, '/audit');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('audit:read');
  await expect(page.getByRole('button', { name: 'Copy as curl' })).toBeHidden();
  await openPage(page, '/settings');
  await expect(page.getByText('Only a super administrator can do this.').first()).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Flow retention' })).toBeDisabled();
});

test('a viewer of addresses sees all of them and learns what changing one needs', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'looked-at' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '10.82.0.0/24');
  await actAs(page, ['cluster:read', 'workload:read', 'ipam:read']);
  await page.goto(`/addresses?cluster_id=${cluster.id}`);
  const tree = page.getByRole('treegrid', { name: 'Prefixes' });
  await expect(tree.getByRole('link', { name: '10.82.0.0/24' })).toBeVisible();
  for (const name of ['Import', 'Add prefix']) {
    await expect(page.getByRole('button', { name, exact: true })).toHaveAccessibleDescription(/ipam:write/);
  }
  await expect(page.getByRole('button', { name: 'Discover addresses' })).toHaveAccessibleDescription(/ipam:discover/);
  await openPage(page, `/addresses/subnets/${subnet.id}`);
  const free = page.getByRole('button', { name: '10.82.0.9, Free' });
  await free.click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('main')).toContainText('Requires the permission ipam:write');
  for (const name of ['Edit', 'Next free address']) {
    await expect(page.getByRole('button', { name, exact: true })).toHaveAccessibleDescription(/ipam:write/);
  }
  await openPage(page, '/addresses/import');
  await expect(page.getByText('You have read-only access')).toBeVisible();
});

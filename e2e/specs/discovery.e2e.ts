import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { test } from '../fixtures/test';

test('the first discovery shows the address of each workload and a remedy for guests without an answer', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'discovers' });
  await page.goto(`/clusters/${cluster.id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'discovers' })).toBeVisible();
  await page.getByRole('button', { name: 'Discover addresses' }).click();
  const drawer = page.getByRole('dialog', { name: 'Address discovery' });
  await expect(drawer).toContainText('Succeeded');
  // The agent of this guest is switched on, but does not run.
  const problem = drawer.getByRole('list', { name: 'Problems' }).getByRole('listitem').filter({ hasText: 'qemu/105' });
  await expect(problem.first()).toContainText('agent');
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();

  await openPage(page, `/addresses?cluster_id=${cluster.id}`);
  const tree = page.getByRole('treegrid', { name: 'Prefixes' });
  await expect(tree.getByRole('link', { name: '10.60.10.0/24' })).toBeVisible();
  await expect(tree).toContainText('discovered-ipam');
  await openPage(page, `/addresses?tab=addresses&cluster_id=${cluster.id}&q=10.60.10.30`);
  const grid = page.getByRole('grid', { name: 'Addresses', exact: true });
  await expect(grid.getByRole('row').nth(1)).toContainText('docker-01');
  // Addresses inside a container host are not assigned to any other workload.
  const found = await api<{ total: number }>('GET', `/ip-addresses?cluster_id=${cluster.id}&within=172.16.0.0/12`);
  expect(found.total).toBe(0);
  await grid.getByRole('link', { name: 'docker-01' }).click();
  const own = page.getByRole('grid', { name: 'IP addresses' });
  await expect(own).toContainText('10.60.10.30');
  // The network hands its addresses out by DHCP.
  await expect(own).toContainText('DHCP');

  await openPage(page, `/jobs?kind=ipam&cluster_id=${cluster.id}`);
  const runs = page.getByRole('grid', { name: 'Runs' });
  await expect(runs.getByRole('row').nth(1)).toContainText('Address discovery');
  await runs.getByRole('row').nth(1).click();
  await expect(page).toHaveURL(/[?&]run=/);
  await expect(page.getByRole('dialog', { name: 'Address discovery of discovers' })).toContainText('Succeeded');
});

test('an address on two guests is a conflict that a person decides', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'contradicts' });
  await api('POST', '/ipam/discover?wait=true', { cluster_ids: [cluster.id] });
  const [held] = (
    await api<{ items: { id: string; address: string }[] }>(
      'GET',
      `/ip-addresses?cluster_id=${cluster.id}&q=10.60.10.11`,
    )
  ).items;
  if (!held) throw new Error('the discovery did not find 10.60.10.11');
  const guests = await api<{ items: { id: string }[] }>('GET', `/workloads?cluster_id=${cluster.id}&q=app-02`);
  // Assigned to another guest manually; the next discovery sees it at its real holder.
  await api('PATCH', `/ip-addresses/${held.id}`, { workload_id: guests.items[0]?.id });
  await api('POST', '/ipam/discover?wait=true', { cluster_ids: [cluster.id] });
  await page.goto(`/addresses?tab=conflicts&cluster_id=${cluster.id}`);
  const row = page.getByRole('grid', { name: 'Conflicts' }).getByRole('row').filter({ hasText: '10.60.10.11' });
  await expect(row).toContainText('Duplicate address');
  await row.getByRole('link', { name: '10.60.10.11' }).click();
  await expect(page.getByRole('heading', { level: 1, name: '10.60.10.11' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(
    '10.60.10.11 is assigned to app-02, but app-01 also uses the address',
  );
  await page.getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve conflict' });
  await expect(dialog).toContainText('unassigned from app-02 in Fabric');
  await dialog.getByRole('radio', { name: /Assign to app-01/ }).click();
  await dialog.getByRole('button', { name: 'Resolve conflict' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Resolve' })).toBeHidden();
  await expect(page.getByRole('grid', { name: 'Assignment history' }).getByRole('row').nth(1)).toContainText('app-01');
});

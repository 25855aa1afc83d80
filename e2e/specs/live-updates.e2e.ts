import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

test('changes by another user appear without a reload', async ({ adminPage: page, api, simulator, addCluster }) => {
  await page.goto('/clusters?q=appears');
  await expect(page.getByText('No clusters match')).toBeVisible();
  const cluster = await addCluster(simulator.cluster, { name: 'appears-by-itself', sync: false });
  const row = page.getByRole('grid', { name: 'Clusters' }).getByRole('row').filter({ hasText: 'appears-by-itself' });
  await expect(row).toContainText('Never synced');
  await api('POST', `/clusters/${cluster.id}/sync`);
  await expect(row).toContainText('In sync');
  await simulator.act('create_guest', {
    vmid: 4242,
    type: 'qemu',
    node: 'pve1',
    name: 'brand-new',
    state: 'running',
    nics: [{ bridge: 'vmbr0', firewall: true }],
  });
  await page.goto(`/clusters/${cluster.id}?tab=workloads&q=brand-new`);
  await expect(page.getByText('No workloads match')).toBeVisible();
  // The list of guests of a cluster is some seconds old; sync until it includes the new one.
  await expect
    .poll(async () => {
      await api('POST', `/clusters/${cluster.id}/sync?wait=true`);
      return (await api<{ total: number }>('GET', `/workloads?cluster_id=${cluster.id}&q=brand-new`)).total;
    })
    .toBe(1);
  await expect(page.getByRole('grid', { name: 'Workloads' })).toContainText('brand-new');
  await simulator.act('destroy_guest', { vmid: 4242 });
  await api('DELETE', `/clusters/${cluster.id}`);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Not found');
});

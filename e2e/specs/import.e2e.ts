import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { test } from '../fixtures/test';

test('a CSV file is checked row by row, and only what is good is imported', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'imports' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '10.81.0.0/16');
  const good = Array.from({ length: 300 }, (_, i) => `imports,vmbr1,10.81.${i >> 8}.${i & 255},reserved,host-${i}`);
  const lines = ['cluster,network,address,state,hostname', ...good];
  lines.splice(3, 0, 'imports,vmbr1,10.81.0.999,reserved,bad-address');
  lines.splice(11, 0, 'nowhere,vmbr1,10.81.9.1,reserved,bad-cluster');
  await page.goto('/addresses/import');
  const check = page.getByRole('button', { name: 'Check rows' });
  await expect(check).toHaveAccessibleDescription(/Choose a file/);
  await page.getByLabel('CSV file').setInputFiles({
    name: 'hosts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`${lines.join('\r\n')}\r\n`),
  });
  await expect(page.getByText('302 rows')).toBeVisible();
  await check.click();
  await expect(page.getByText(/^2 rows of 302 cannot be imported/)).toBeVisible();
  const bad = page.getByRole('grid', { name: 'Rejected rows' });
  await expect(bad.getByRole('row').filter({ hasText: 'address' }).first()).toContainText('4');
  await expect(
    bad
      .getByRole('row')
      .filter({ hasText: 'nowhere' })
      .or(bad.getByRole('row').filter({ hasText: 'cluster' }))
      .first(),
  ).toContainText('12');
  await expectAccessible(page, 'the report of a check');
  expect((await api<{ total: number }>('GET', `/ip-addresses?subnet_id=${subnet.id}`)).total).toBe(0);
  const changes = page.getByRole('grid', { name: 'Changes of this import' });
  await expect(changes.getByRole('row').nth(1)).toContainText('10.81.0.0');
  await expect(changes.getByRole('row').nth(1)).toContainText('hostname: host-0');
  await page.getByRole('button', { name: 'Import 300 valid rows, skip 2' }).click();
  await expect(page.getByText(/^300 rows imported: 300 new\. 2 rows skipped/)).toBeVisible();
  expect((await api<{ total: number }>('GET', `/ip-addresses?subnet_id=${subnet.id}`)).total).toBe(300);
  await openPage(page, '/addresses?tab=imports');
  await expect(page.getByRole('grid', { name: 'Imports' }).getByRole('row').nth(1)).toContainText('hosts.csv');

  // What is exported can be imported again, and changes nothing.
  await openPage(page, `/addresses/subnets/${subnet.id}?tab=addresses`);
  await expect(page.getByRole('grid', { name: 'Addresses', exact: true }).getByRole('row').nth(1)).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await readFile(await (await download).path());
  await openPage(page, '/addresses/import');
  await page.getByLabel('CSV file').setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer: file });
  await check.click();
  await expect(page.getByText('All 300 rows are valid: 300 unchanged.')).toBeVisible();
});

import { expect } from '@playwright/test';
import { makeAddress, makePrefix, startNetbox } from '../../src/server/providers/netbox/testing/netbox-server.fixture';
import { expectAccessible } from '../fixtures/axe';
import { addSubnet, getNetwork } from '../fixtures/ipam';
import { expectListsFit, expectPageFrame } from '../fixtures/layout';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';
import { typeInto } from '../fixtures/type-into';

test('NetBox is previewed, and only what is listed or selected is imported', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const netbox = await startNetbox('read-only-token');
  netbox.prefixes = [makePrefix(1, '10.82.0.0/16', { description: 'Plan of NetBox' }), makePrefix(2, '10.9.9.9/24')];
  netbox.addresses = [
    makeAddress(1, '10.82.0.5/16', { dns_name: 'new.example.org' }),
    makeAddress(2, '10.82.0.6/16', { status: 'reserved' }),
  ];
  const cluster = await addCluster(simulator.cluster, { name: 'netbox' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '10.82.0.0/16');
  await api('POST', '/ip-addresses', { network_id: network.id, address: '10.82.0.5', hostname: 'mine.example.org' });

  await page.goto('/addresses');
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  await page.getByRole('link', { name: 'Import from NetBox' }).click();
  await page.getByRole('button', { name: 'Add NetBox source' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Add NetBox source' });
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'netbox e2e');
  await typeInto(drawer.getByRole('textbox', { name: 'URL' }), `${netbox.url}/api/`);
  await typeInto(drawer.getByLabel('API token', { exact: true }), 'read-only-token');
  await typeInto(drawer.getByRole('combobox', { name: 'Network', exact: true }), 'vmbr1');
  await page
    .getByRole('option', { name: /vmbr1.*netbox/ })
    .first()
    .click();
  await expectAccessible(page, 'the form of a NetBox source');
  await takePicture(page, 'netbox-add');
  await drawer.getByRole('button', { name: 'Add NetBox source' }).click();

  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText('Preview: 1 new, 1 changed, 0 unchanged, 1 conflict, 1 skipped.')).toBeVisible();
  const conflicts = page.getByRole('grid', { name: 'Conflicts' });
  await expect(conflicts.getByRole('row').nth(1)).toContainText('hostname: mine.example.org → new.example.org');
  await expect(page.getByText('Host bits are set. Enter 10.9.9.0/24.')).toBeVisible();
  await expectAccessible(page, 'the preview of NetBox');
  await expectListsFit(page, 'the preview of NetBox');
  await expectPageFrame(page, 'the preview of NetBox');
  for (const theme of ['light', 'dark']) {
    await setTheme(page, theme);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `netbox-${theme}-${width}`, { fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const list = () =>
    api<{ items: { address: string; hostname: string }[] }>('GET', `/ip-addresses?subnet_id=${subnet.id}`);
  expect((await list()).items).toHaveLength(1);
  await expect(page.getByRole('button', { name: 'Import 2 changes' })).toBeVisible();
  await conflicts.getByRole('row').nth(1).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Import 3 changes' }).click();
  await expect(page.getByText('Imported: 1 new, 2 changed, 0 unchanged, 1 conflict, 1 skipped.')).toBeVisible();
  expect((await list()).items).toMatchObject([
    { address: '10.82.0.5', hostname: 'new.example.org' },
    { address: '10.82.0.6', state: 'reserved' },
  ]);
  expect(netbox.problems).toEqual([]);
  await netbox.close();
});

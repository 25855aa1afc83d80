import { expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { addAddress, addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const cell = (page: Page, address: string) =>
  page
    .getByRole('grid', { name: 'Addresses in the prefix' })
    .getByRole('button', { name: new RegExp(`^${address.replaceAll('.', '\\.')},`) });

test('prefixes nest, open by key, and remember what was open', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'nested' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const outer = await addSubnet(api, network, '10.77.0.0/16', { description: 'Outer' });
  await addSubnet(api, network, '10.77.1.0/24');
  await addSubnet(api, network, '10.77.1.128/25');
  await page.goto(`/addresses?cluster_id=${cluster.id}`);
  const tree = page.getByRole('treegrid', { name: 'Prefixes' });
  const row = (name: string) => tree.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await expect(row('10.77.0.0/16')).toContainText('Outer');
  await expect(row('10.77.0.0/16')).toHaveAttribute('aria-expanded', 'false');
  await row('10.77.0.0/16').focus();
  await page.keyboard.press('ArrowRight');
  await expect(row('10.77.1.0/24')).toHaveAttribute('aria-level', '3');
  await page.keyboard.press('ArrowRight');
  await expect(row('10.77.1.0/24')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(row('10.77.1.128/25')).toHaveAttribute('aria-level', '4');
  await page.keyboard.press('ArrowLeft');
  await expect(row('10.77.1.128/25')).toBeHidden();
  await page.keyboard.press('ArrowLeft');
  await expect(row('10.77.0.0/16')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: '10.77.0.0/16' })).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Child prefixes' })).toContainText('10.77.1.0/24');
  await page.goBack();
  await expect(row('10.77.1.0/24')).toBeVisible();
  await typeInto(page.getByRole('searchbox', { name: 'Search prefixes' }), '10.77.1.200');
  const found = page.getByRole('grid', { name: 'Prefixes' });
  await expect(found.getByRole('row')).toHaveCount(4);
  await expect(found).toContainText('10.77.1.128/25');
  await api('DELETE', `/subnets/${outer.id}`);
});

test('a free address is assigned from the grid, changed, and its history kept', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'assigns' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '192.168.77.0/24', { gateway: '192.168.77.1' });
  await page.goto(`/addresses/subnets/${subnet.id}`);
  await expect(cell(page, '192.168.77.1')).toHaveAccessibleName('192.168.77.1, Gateway');
  await expect(cell(page, '192.168.77.11')).toHaveAccessibleName('192.168.77.11, Free');
  await cell(page, '192.168.77.11').click();
  const drawer = page.getByRole('dialog', { name: 'Assign 192.168.77.11' });
  await typeInto(drawer.getByRole('combobox', { name: 'Workload (optional)' }), 'db-01');
  await page.getByRole('option', { name: /^db-01/ }).click();
  await expectAccessible(page, 'the drawer that assigns an address');
  await drawer.getByRole('button', { name: 'Assign 192.168.77.11' }).click();
  await expect(drawer).toBeHidden();
  await expect(cell(page, '192.168.77.11')).toHaveAccessibleName('192.168.77.11, Active, db-01');

  // The keys move from cell to cell; Enter on a taken one leads to it.
  await cell(page, '192.168.77.10').focus();
  await page.keyboard.press('ArrowRight');
  await expect(cell(page, '192.168.77.11')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: '192.168.77.11' })).toBeVisible();
  // The only card of the guest on the network was found by itself.
  await expect(page.getByRole('main')).toContainText('net1');
  const history = page.getByRole('grid', { name: 'Assignment history' });
  await expect(history.getByRole('row')).toHaveCount(2);
  await expect(history).toContainText('Current assignment');

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const edit = page.getByRole('dialog', { name: 'Edit 192.168.77.11' });
  await typeInto(edit.getByRole('combobox', { name: 'Workload (optional)' }), 'legacy');
  await page.getByRole('option', { name: /^legacy-erp/ }).click();
  await edit.getByRole('button', { name: 'Save address' }).click();
  await expect(edit).toBeHidden();
  await expect(history.getByRole('row')).toHaveCount(3);
  await expect(history.getByRole('row').nth(1)).toContainText('legacy-erp');

  await openPage(page, `/addresses/subnets/${subnet.id}`);
  await expect(cell(page, '192.168.77.11')).toHaveAccessibleName('192.168.77.11, Active, legacy-erp');
  await page.getByRole('button', { name: 'Next free address' }).click();
  const next = page.getByRole('dialog', { name: 'Allocate next free address' });
  await next.getByRole('button', { name: 'Allocate 192.168.77.2', exact: true }).click();
  await expect(next).toBeHidden();
  await expect(cell(page, '192.168.77.2')).toHaveAccessibleName('192.168.77.2, Reserved');
});

test('two people change the same subnet: both versions are shown, and one is chosen', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'contested' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '10.78.0.0/24', { description: 'old' });
  await page.goto(`/addresses/subnets/${subnet.id}`);
  await expect(cell(page, '10.78.0.1')).toBeVisible();
  const drawer = page.getByRole('dialog', { name: 'Edit 10.78.0.0/24' });
  const description = drawer.getByRole('textbox', { name: 'Description (optional)' });
  const versions = drawer.getByRole('table', { name: 'Both versions' });
  const open = async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await expect(description).toBeVisible();
  };
  const stored = async () => (await api<{ description: string }>('GET', `/subnets/${subnet.id}`)).description;

  await open();
  await typeInto(description, 'mine');
  await api('PATCH', `/subnets/${subnet.id}`, { description: 'theirs' });
  await drawer.getByRole('button', { name: 'Save prefix' }).click();
  await expect(versions.getByRole('row').filter({ hasText: 'Description' })).toContainText('theirs');
  await expect(versions).toContainText('mine');
  await expectAccessible(page, 'two versions of a subnet');
  expect(await stored()).toBe('theirs');
  await drawer.getByRole('button', { name: 'Use their version' }).click();
  await expect(description).toHaveValue('theirs');
  await typeInto(description, 'mine after all');
  await drawer.getByRole('button', { name: 'Save prefix' }).click();
  await expect(drawer).toBeHidden();
  expect(await stored()).toBe('mine after all');

  await open();
  await typeInto(description, 'my last word');
  await api('PATCH', `/subnets/${subnet.id}`, { description: 'theirs again' });
  await drawer.getByRole('button', { name: 'Save prefix' }).click();
  await drawer.getByRole('button', { name: 'Overwrite with my version' }).click();
  await expect(drawer).toBeHidden();
  expect(await stored()).toBe('my last word');
});

test('the palette finds a pasted address, MAC address and free address', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'pasted' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  await addSubnet(api, network, '10.79.0.0/24');
  await addAddress(api, network, '10.79.0.42', { hostname: 'printer' });
  await page.goto('/clusters');
  await expect(page.getByRole('grid', { name: 'Clusters' }).getByRole('row').nth(1)).toBeVisible();
  const look = async (text: string) => {
    await page.keyboard.press('Control+k');
    await typeInto(page.getByRole('combobox', { name: 'Search everything' }), text);
  };
  await look('10.79.0.42');
  const option = page.getByRole('option', { name: /^10\.79\.0\.42/ });
  await expect(option).toContainText('printer');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: '10.79.0.42' })).toBeVisible();

  const guests = await api<{ items: { id: string }[] }>('GET', `/workloads?cluster_id=${cluster.id}&q=web-01`);
  const guest = await api<{ interfaces: { mac: string }[] }>('GET', `/workloads/${guests.items[0]?.id}`);
  await look((guest.interfaces[0]?.mac ?? '').replaceAll(':', '-').toUpperCase());
  await page
    .getByRole('option', { name: /^web-01/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'web-01' })).toBeVisible();

  const mac = guest.interfaces[0]?.mac ?? '';
  await look(mac);
  await page.getByRole('option', { name: `Whose address is ${mac}?` }).click();
  await expect(page).toHaveURL(/tab=whose/);
  const answer = page.getByRole('tabpanel', { name: 'Whose address' });
  await expect(answer.getByRole('heading', { name: 'Assigned now' })).toBeVisible();
  await expect(answer.getByRole('link', { name: 'web-01' }).first()).toBeVisible();
  await expect(answer.getByRole('region', { name: 'Observed traffic' })).toContainText('No packets from it were seen.');
  await expectAccessible(page, 'whose address it is');
  await takePicture(page, 'whose-address', { fullPage: true });

  await look('10.79.0.77');
  await page.getByRole('option', { name: /^10\.79\.0\.0\/24/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: '10.79.0.0/24' })).toBeVisible();
  await expect(cell(page, '10.79.0.77')).toBeVisible();

  await look('settings');
  await expect(page.getByRole('option', { name: /^Settings g s/ })).toBeVisible();
  await expect(page.getByRole('option', { name: /^10\.79/ })).toHaveCount(0);
});

test('addresses are changed together, all or none', async ({ adminPage: page, api, simulator, addCluster }) => {
  const cluster = await addCluster(simulator.cluster, { name: 'together' });
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  const subnet = await addSubnet(api, network, '10.80.0.0/24');
  const [first] = await Promise.all(
    ['10.80.0.1', '10.80.0.2', '10.80.0.3'].map((address) => addAddress(api, network, address)),
  );
  await page.goto(`/addresses/subnets/${subnet.id}?tab=addresses`);
  const grid = page.getByRole('grid', { name: 'Addresses', exact: true });
  await expect(grid.getByRole('row')).toHaveCount(4);
  await grid.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
  await page.getByRole('button', { name: 'Edit selected' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit 3 addresses' });
  await drawer.getByRole('checkbox', { name: 'Replace the description' }).click();
  await typeInto(drawer.getByRole('textbox', { name: 'Description (optional)' }), 'floor 2');
  await api('PATCH', `/ip-addresses/${first?.id}`, { hostname: 'meanwhile' });
  await drawer.getByRole('button', { name: 'Save 3 addresses' }).click();
  await expect(drawer.getByRole('alert')).toContainText('None of your changes were saved');
  await expect(drawer.getByRole('alert')).toContainText('10.80.0.1');
  await drawer.getByRole('button', { name: 'Cancel' }).click();
  await expect(drawer).toBeHidden();
  await expect(grid).toContainText('meanwhile');
  await page.getByRole('button', { name: 'Edit selected' }).click();
  await drawer.getByRole('checkbox', { name: 'Replace the description' }).click();
  await typeInto(drawer.getByRole('textbox', { name: 'Description (optional)' }), 'floor 2');
  await drawer.getByRole('button', { name: 'Save 3 addresses' }).click();
  await expect(drawer).toBeHidden();
  const { items } = await api<{ items: { description: string }[] }>('GET', '/ip-addresses?within=10.80.0.0/24');
  expect(items.map(({ description }) => description)).toEqual(['floor 2', 'floor 2', 'floor 2']);
});

test('a network is created manually, filled and deleted with its contents', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'by-hand' });
  await page.goto('/networks');
  await expect(page.getByRole('grid', { name: 'Networks' }).getByRole('row').nth(1)).toBeVisible();
  await page.getByRole('button', { name: 'Add network' }).click();
  const drawer = page.getByRole('dialog', { name: 'Add network' });
  await typeInto(drawer.getByRole('combobox', { name: 'Cluster' }), 'by-hand');
  await page.getByRole('option', { name: 'by-hand' }).click();
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'office-lan');
  await drawer.getByRole('button', { name: 'Add network' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'office-lan' })).toBeVisible();
  const network = await getNetwork(api, cluster.id, 'office-lan');
  await addSubnet(api, network, '10.83.0.0/24');
  await addAddress(api, network, '10.83.0.7');
  await expect(page.getByRole('grid', { name: 'Prefixes' })).toContainText('10.83.0.0/24');
  await page.getByRole('button', { name: 'Actions for office-lan' }).click();
  await page.getByRole('menuitem', { name: 'Delete network' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Also deletes 1 prefix and 1 address');
  await typeInto(dialog.getByRole('textbox'), 'office-lan');
  await dialog.getByRole('button', { name: 'Delete network and its prefixes' }).click();
  await expect(page).toHaveURL(/\/networks$/);
});

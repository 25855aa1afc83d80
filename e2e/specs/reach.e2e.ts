import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { addAddress, addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string; cluster_id: string };

test('a path is checked, who can reach a workload, and what passes between groups', async ({
  adminPage: page,
  api,
}) => {
  const { items } = await api<{ items: Item[] }>('GET', '/workloads?template=false&sort=name&limit=2');
  const [client, server] = items;
  if (!client || !server) throw new Error('the lab has too few workloads');
  const network = await getNetwork(api, server.cluster_id, 'vmbr0');
  await addSubnet(api, network, '10.66.0.0/24');
  await addAddress(api, network, '10.66.0.10', { workload_id: client.id });
  await addAddress(api, network, '10.66.0.20', { workload_id: server.id });
  const group = await api<Item>('POST', '/security-groups', { name: 'reach-servers' });
  await api('POST', `/security-groups/${group.id}/members`, { workload_id: server.id });

  await openPage(page, `/security-groups/${group.id}`);
  await page.getByRole('link', { name: 'Path check' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Reachability' })).toBeVisible();
  await expect(page.getByText('No question yet')).toBeVisible();
  await typeInto(page.getByRole('combobox', { name: 'From', exact: true }), '10.66.0.10');
  await page.getByRole('option', { name: /^10\.66\.0\.10/ }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('status').getByText(/^(Yes|No|Some|Unknown): /)).toBeVisible();
  await expect(page.getByText('Outbound at the source').first()).toBeVisible();
  await expect(page.getByText('Inbound at the destination').first()).toBeVisible();
  await takePicture(page, 'path-check');
  await expectAccessible(page, 'the path check');

  await openPage(page, `/reach?tab=workload&workload_id=${server.id}&protocol=tcp&port=22`);
  const reached = page.getByRole('grid', { name: 'Workloads and addresses outside' });
  await expect(reached.getByText('Anything outside')).toBeVisible();
  await page.getByRole('radio', { name: 'Reaches' }).click();
  await page.getByRole('radio', { name: '3 hops' }).click();
  await expect(reached).toBeVisible();

  await page.getByRole('tab', { name: 'Segment matrix' }).click();
  const matrix = page.getByRole('grid', { name: 'Segment matrix' });
  await matrix.focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const cell = page.getByRole('status').filter({ hasText: 'Anything outside' });
  await expect(cell).toBeVisible();
  await expectAccessible(page, 'the segment matrix');
  await cell.getByRole('link', { name: 'Show the rules that decide' }).click();
  await expect(page).toHaveURL(/from=/);
  await expect(page.getByRole('tab', { name: 'Path check' })).toHaveAttribute('aria-selected', 'true');
});

import { expect, type Page } from '@playwright/test';
import { actAs } from '../fixtures/act-as';
import { addAddress, addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { enrollNode, getWorkloadNode, type Placed } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';

type Item = { id: string; name: string };

const part = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });

test('the dashboard shows the state, and each figure links to its list', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'glance' });
  const within = `cluster_id=${cluster.id}`;
  const [guest] = (await api<{ items: (Item & Placed)[] }>('GET', `/workloads?${within}&status=running`)).items;
  if (!guest) throw new Error('the simulator has no guest');
  const network = await getNetwork(api, cluster.id, 'vmbr1');
  await addSubnet(api, network, '10.97.0.0/24');
  await addAddress(api, network, '10.97.0.5', { workload_id: guest.id });
  const agent = await enrollNode(api, getWorkloadNode(guest));
  const attempt = (source_ip: string, destination_port: number, values: object = {}) => ({
    source_ip,
    destination_ip: '10.97.0.5',
    destination_port,
    bytes: 6_000_000_000,
    ...values,
  });
  // The service looks at the inventory from time to time: a new address is known within some seconds.
  await expect(async () => {
    await agent.report([attempt('198.51.100.200', 6379)]);
    const { items } = await api<{ items: { destination_workload_id: string | null }[] }>(
      'GET',
      '/flows?source=198.51.100.200',
    );
    expect(items[0]?.destination_workload_id).toBe(guest.id);
  }).toPass();

  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Dashboard' }),
  ).toHaveAttribute('aria-current', 'page');
  const suspicious = page.getByRole('grid', { name: 'Suspicious traffic' });
  const row = suspicious.getByRole('row').filter({ hasText: '198.51.100.200' });

  await test.step('suspicious traffic, as it comes', async () => {
    await expect(row).toContainText('Critical');
    await expect(row).toContainText('Redis');
    await expect(row).toContainText(guest.name);
    await agent.report([attempt('198.51.100.201', 22, { decision: 'drop', state: null, collector: 'firewall_log' })]);
    const denied = suspicious.getByRole('row').filter({ hasText: '198.51.100.201' });
    await expect(denied).toContainText('Low');
    await expect(denied).toContainText('Dropped');
  });

  await test.step('traffic and top talkers are summed up within seconds', async () => {
    const talkers = part(page, 'Top talkers').getByRole('listitem').filter({ hasText: guest.name });
    await expect(talkers.first()).toBeVisible();
    await expect(page.getByRole('slider', { name: 'Traffic over time' })).toBeVisible();
  });

  await test.step('figures lead to lists', async () => {
    const posture = page.getByRole('list', { name: 'Security posture components' });
    await expect(posture.getByRole('listitem')).toHaveCount(4);
    await expect(posture).toContainText(/critical/);
    await row.getByRole('link', { name: '198.51.100.200' }).click();
    await expect(page).toHaveURL(/\/flows\?.*source=198\.51\.100\.200.*port=6379/);
    await expect(page.getByRole('grid', { name: 'Conversations' }).getByRole('row')).toHaveCount(2);
    await page.goBack();
    await posture.getByRole('link', { name: /^Enforcement/ }).click();
    await expect(page).toHaveURL(/\/workloads\?.*status=running/);
    await expect(page.getByRole('grid', { name: 'Workloads' })).toBeVisible();
    await page.goBack();
    await part(page, 'Clusters').getByRole('link', { name: 'Runs of glance' }).click();
    await expect(page).toHaveURL(/tab=runs/);
    await page.goBack();
    await expect(row).toBeVisible();
  });

  await test.step('the time is in the address of the page', async () => {
    await page.getByRole('button', { name: 'Time: Last hour' }).click();
    await page.getByRole('button', { name: 'Last 24 hours' }).click();
    await expect(page).toHaveURL(/range=24h/);
    await expect(row).toBeVisible();
    await expect(row.getByRole('link', { name: '198.51.100.200' })).toHaveAttribute('href', /range=24h/);
    await openPage(page, '/?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z');
    await page.getByRole('button', { name: 'Show last hour' }).click();
    await expect(row).toBeVisible();
  });
});

test('the dashboard for those who may see less', async ({ adminPage: page }) => {
  await actAs(page, ['flow:read', 'policy:read']);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 2, name: 'Suspicious traffic' })).toBeVisible();
  for (const name of ['Clusters', 'Operations']) {
    await expect(page.getByRole('heading', { level: 2, name })).toBeHidden();
  }
});

test('the first page of those who may not see it, and of those without a role', async ({ adminPage: page }) => {
  await actAs(page, ['cluster:read']);
  await page.goto('/');
  await expect(page).toHaveURL('/clusters');
  await page.unrouteAll();
  await actAs(page, []);
  await page.goto('/');
  await expect(page.getByText('You have no role yet')).toBeVisible();
});

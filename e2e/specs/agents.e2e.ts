import { expect } from '@playwright/test';
import { actAs } from '../fixtures/act-as';
import { openPage } from '../fixtures/open-page';
import { buildDiagnostics, enrollNode } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };

test('the list of agents shows their state, what they lack, and the remedy', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'agents-lab' });
  const nodes = (await api<{ items: Item[] }>('GET', `/nodes?cluster_id=${cluster.id}`)).items;
  const [first, second] = nodes;
  if (!first || !second) throw new Error('the simulator has too few nodes');
  const good = await enrollNode(api, first);
  await good.report([], {
    flow_diagnostics: buildDiagnostics([{ name: 'packet_capture', state: 'active', detail: 'ebpf on 3 interfaces' }]),
    firewall_status: {
      implementation: 'iptables',
      service_running: true,
      cluster_enabled: true,
      rules_loaded: true,
      guest_chains: 4,
    },
  });
  const poor = await enrollNode(api, second, '0.1.0');
  await poor.report([{ source_ip: '10.0.0.1', destination_ip: '10.0.0.2' }, { source_ip: 'nonsense' }], {
    sent_at: new Date(Date.now() - 60_000).toISOString(),
    flow_diagnostics: buildDiagnostics([
      { name: 'packet_capture', state: 'degraded', detail: 'ring on 2 interfaces', counts: { kernel_drops: 12 } },
      { name: 'firewall_log', state: 'unavailable', detail: '/var/log/pve-firewall.log does not exist' },
    ]),
  });

  await page.goto(`/agents?cluster_id=${cluster.id}`);
  const grid = page.getByRole('grid', { name: 'Agents' });
  const row = (name: string) => grid.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await expect(row(first.name)).toContainText('Reporting');
  await expect(row(second.name)).toContainText('Degraded');
  await expect(row(second.name)).toContainText('Outdated');
  await expect(row(second.name)).toContainText('Firewall log');
  await expect(row(second.name)).toContainText(/1 min behind|59.* s behind/);

  await page.getByRole('button', { name: /Outdated/ }).click();
  await expect(page).toHaveURL(/outdated=true/);
  await expect(row(first.name)).toHaveCount(0);
  await page.getByRole('button', { name: /No agent/ }).click();
  await expect(page).toHaveURL(/status=none/);
  await expect(row(second.name)).toHaveCount(0);
  await page.goBack();
  await expect(row(second.name)).toBeVisible();
  await typeInto(page.getByRole('searchbox', { name: 'Search nodes' }), 'no-such-node');
  await expect(page.getByText('No nodes match')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(row(first.name).first()).toBeVisible();

  await openPage(page, `/nodes/${second.id}`);
  await page.getByRole('main').getByRole('link', { name: 'Degraded' }).click();
  await expect(page.getByRole('heading', { level: 1, name: `Agent of ${second.name}` })).toBeVisible();
  const main = page.getByRole('main');
  await expect(main).toContainText('Agent update available');
  await expect(main).toContainText('The node was too busy to capture every packet');
  await expect(main).toContainText('The hypervisor has not logged anything yet');
  await expect(main).toContainText('Last rejections');
  await expect(main).toContainText('flow 2: source_ip');
  await page.getByRole('radio', { name: 'Table' }).click();
  await expect(page.getByRole('region', { name: 'Heartbeats per hour, table' })).toContainText('1');
  await openPage(page, `/agents/${first.id}`);
  await expect(main).toContainText('iptables (pve-firewall)');
});

test('a viewer sees agents and learns why installing is not possible', async ({
  adminPage: page,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'agents-viewed' });
  await actAs(page, ['cluster:read', 'agent:read']);
  await page.goto(`/agents?cluster_id=${cluster.id}`);
  const install = page.getByRole('button', { name: 'Install agent' }).first();
  await expect(install).toHaveAttribute('aria-disabled', 'true');
  await expect(install).toHaveAccessibleDescription(/agent:install/);
  await page.getByRole('grid', { name: 'Agents' }).getByRole('link', { name: 'pve1' }).click();
  await expect(page.getByText('No agent on this node')).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Flows' })).toHaveCount(0);
});

test('an agent of no node says so', async ({ adminPage: page }) => {
  await page.goto('/agents/0190f3a0-0000-7000-8000-00000000dead');
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Not found');
  await page.goto('/agents?status=flying&cluster_id=1%27or%271');
  await expect(page.getByRole('grid', { name: 'Agents' }).getByRole('row').nth(1)).toBeVisible();
});

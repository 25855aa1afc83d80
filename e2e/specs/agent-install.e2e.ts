import { AGENT_VERSION } from '@fabric/agent-contract/limits';
import { expect } from '@playwright/test';
import { findNamespaceProblem, startNamespacedNode } from '../fixtures/namespaced-node';
import { test } from '../fixtures/test';

type Item = { id: string; name: string; vmid: number };

test('an install command from the page brings an agent whose flows show up live', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const missing = findNamespaceProblem();
  test.skip(missing !== null, missing ?? '');
  const cluster = await addCluster(simulator.cluster, { name: 'with-agent' });
  const within = `cluster_id=${cluster.id}`;
  const [network] = (await api<{ items: Item[] }>('GET', `/networks?${within}&q=vmbr0`)).items;
  await api('POST', '/subnets', { network_id: network?.id, cidr: '10.0.0.0/24' });
  const [guest] = (await api<{ items: Item[] }>('GET', `/workloads?${within}&q=web-01`)).items;
  if (!guest) throw new Error('the simulator has no web-01');
  const node = await startNamespacedNode(guest.vmid);
  try {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/agents?${within}`);
    const row = page.getByRole('grid', { name: 'Agents' }).getByRole('row').filter({ hasText: 'pve1' });
    await expect(row).toContainText('No agent');
    await row.getByRole('button', { name: 'Install agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Install agent on pve1' });
    await expect(dialog.getByText('Waiting for the first report…')).toBeVisible();
    await expect(dialog.getByText(/Works once, for another (1 h|59 min)/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Copy install command' }).click();
    await expect(dialog.getByText('Copied')).toBeAttached();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toMatch(
      /^curl -fsSL '[^']+\/install\.sh' \| FABRIC_ENROLMENT_TOKEN='[^']+' FABRIC_NODE_NAME='pve1' sh$/,
    );

    await node.installAgent(command);
    await expect(dialog.getByText('Agent is reporting'), node.output()).toBeVisible();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect(row).not.toContainText('No agent');
    await expect(row).toContainText(AGENT_VERSION);

    await page.goto(`/flows?live=true&cluster_id=${cluster.id}`);
    const flows = page.getByRole('grid', { name: 'Live flows' });
    const sent = flows
      .getByRole('row')
      .filter({ hasText: `${node.outside}` })
      .filter({ hasText: 'icmp type 8' });
    await expect(page.getByText(/^Live\. Shows/)).toBeVisible();
    await expect(sent).toHaveCount(0);
    node.ping(7);
    await expect(sent, node.output()).toHaveCount(1);
    await expect(sent).toContainText('web-01');
    await expect(sent).toContainText('Unknown');
    await expect(sent.getByRole('gridcell').nth(6)).toHaveText('7');

    node.logDrop('203.0.113.9', 3389);
    const dropped = flows.getByRole('row').filter({ hasText: '203.0.113.9' });
    await expect(dropped).toContainText('Dropped');
    await dropped.getByText('tcp/3389').click();
    const drawer = page.getByRole('dialog', { name: /203\.0\.113\.9/ });
    await expect(drawer).toContainText('Hypervisor firewall log');
    await expect(drawer).toContainText('policy DROP');
    await drawer.getByRole('link', { name: 'web-01' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'web-01' })).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'Flows' }).click();
    const conversations = page.getByRole('grid', { name: 'Conversations' });
    await expect(conversations.getByRole('row').filter({ hasText: '3389' })).toHaveCount(1);
  } finally {
    await node.stop();
  }
});

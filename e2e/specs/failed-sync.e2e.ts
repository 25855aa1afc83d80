import { expect } from '@playwright/test';
import type { Api, ApiCluster } from '../fixtures/api';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { type Simulator, startSimulator } from '../fixtures/simulator';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

// Each test breaks its own cluster and repairs it.
let simulated: Simulator;
test.beforeEach(async () => {
  simulated = await startSimulator();
});
test.afterEach(() => simulated.stop());

const sync = (api: Api, { id }: ApiCluster) => api('POST', `/clusters/${id}/sync?wait=true`);

test('a revoked token fails with its name and is replaced', async ({ adminPage: page, api, addCluster }) => {
  const cluster = await addCluster(simulated.cluster, { name: 'revoked-token' });
  await simulated.act('revoke_token', { token: simulated.cluster.tokens.manager });
  await page.goto(`/clusters/${cluster.id}`);
  await page.getByRole('button', { name: 'Sync now' }).click();
  const problem = page.getByRole('region', { name: 'Sync' }).or(page.getByRole('main'));
  await expect(page.getByText('Sync failed').first()).toBeVisible();
  await expect(problem.first()).toContainText(/token/i);
  await page.reload();
  await expect(page.getByText('API token rejected by cluster')).toBeVisible();
  // What was known is still there.
  await page.getByRole('tab', { name: /Workloads/ }).click();
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row')).toHaveCount(16);
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('button', { name: 'Replace token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit revoked-token' });
  const outdated = drawer.getByText('Changed by another user');
  const saveToken = async () => {
    await typeInto(drawer.getByRole('textbox', { name: 'API token' }), simulated.cluster.tokens.guestManager);
    await drawer.getByRole('textbox', { name: 'Name', exact: true }).focus();
    await expect(drawer.getByRole('region', { name: 'Checks' })).toBeVisible();
    await drawer.getByRole('button', { name: 'Save cluster' }).click();
    const anyway = drawer.getByRole('button', { name: 'Save cluster anyway' });
    await expect(anyway.or(outdated).or(page.getByText('Cluster saved'))).toBeVisible();
    if (await anyway.isVisible()) await anyway.click();
  };
  await expect(drawer).toBeVisible();
  // What was changed while the drawer was open is not overwritten, although the page has read it.
  await api('PATCH', `/clusters/${cluster.id}`, { rule_placement: 'below' });
  await saveToken();
  await expect(outdated).toBeVisible();
  await drawer.getByRole('button', { name: 'Load current version' }).click();
  await expect(drawer.getByRole('radio', { name: 'After unmanaged rules' })).toBeChecked();
  await saveToken();
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByText(/^Succeeded/)).toBeVisible();
  await expect(page.getByText('In sync')).toBeVisible();
});

test('a changed certificate is compared before it is trusted', async ({ adminPage: page, api, addCluster }) => {
  const cluster = await addCluster(simulated.cluster, { name: 'new-certificate' });
  for (const { name } of simulated.cluster.nodes) {
    await simulated.act('set_custom_certificate', { node: name, installed: true });
  }
  await sync(api, cluster).catch(() => undefined);
  await page.goto(`/clusters/${cluster.id}`);
  await expect(page.getByText('Cluster certificate changed')).toBeVisible();
  await takePicture(page, 'certificate-changed');
  await page.getByRole('button', { name: 'Compare certificates' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit new-certificate' });
  const [node] = simulated.cluster.nodes;
  const prompt = drawer.getByRole('group', { name: 'Certificate' });
  await expect(prompt).toContainText('The certificate has changed');
  await expect(prompt).toContainText(node?.fingerprint256 ?? '');
  await prompt.getByRole('button', { name: 'Fingerprints match: trust this certificate' }).click();
  await expect(drawer.getByText('Everything a sync needs is working')).toBeVisible();
  await drawer.getByRole('button', { name: 'Save cluster' }).click();
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByText('In sync')).toBeVisible();
});

test('a cluster that is down keeps its inventory and shows its age', async ({ adminPage: page, api, addCluster }) => {
  const cluster = await addCluster(simulated.cluster, { name: 'all-down' });
  for (const { name } of simulated.cluster.nodes)
    await simulated.act('set_node', { node: name, reachability: 'refusing' });
  await sync(api, cluster).catch(() => undefined);
  await page.goto('/clusters?q=all-down');
  const row = page.getByRole('grid', { name: 'Clusters' }).getByRole('row').filter({ hasText: 'all-down' });
  await expect(row).toContainText('Sync failed');
  await row.getByRole('link', { name: 'all-down' }).click();
  await expect(page.getByText('Existing data is kept')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Check connection' }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Connection to all-down' });
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Reachable' })).toContainText('Failed');
  for (const { name } of simulated.cluster.nodes) await simulated.act('set_node', { node: name, reachability: 'up' });
  await dialog.getByRole('button', { name: 'Check again' }).click();
  await expect(dialog.getByText('Everything a sync needs is working')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect(page.getByText('In sync')).toBeVisible();
});

test('a node that is down is shown as faulty and its guests as unknown, not as stopped', async ({
  adminPage: page,
  api,
  addCluster,
}) => {
  const cluster = await addCluster(simulated.cluster, { name: 'node-down' });
  await simulated.act('set_node', { node: 'pve3', reachability: 'down' });
  // The cluster notices on its own clock; each sync reads what it says by then.
  await expect
    .poll(async () => {
      await sync(api, cluster).catch(() => undefined);
      const page = await api<{ items: { name: string; status: string }[] }>('GET', `/nodes?cluster_id=${cluster.id}`);
      return page.items.find((node) => node.name === 'pve3')?.status;
    })
    .not.toBe('online');
  await page.goto(`/clusters/${cluster.id}?tab=nodes`);
  const row = page.getByRole('grid', { name: 'Nodes' }).getByRole('row').filter({ hasText: 'pve3' });
  await expect(row).toContainText(/Offline|Unknown/);
  await openPage(page, `/clusters/${cluster.id}?tab=runs`);
  await page.getByRole('grid', { name: 'Runs' }).getByRole('row').nth(1).click();
  await expect(page.getByRole('dialog')).toContainText(/pve3/);
});

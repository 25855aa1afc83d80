import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const VMID = 104;
const PATH = `firewall/${VMID}.fw`;

test('a node whose firewall cannot compile is named with the rule and its fix', async ({
  adminPage: page,
  simulator,
  addCluster,
  api,
}) => {
  await addCluster(simulator.cluster, { name: 'compile-lab' });
  const before = String((await simulator.act('firewall_file', { path: PATH })) ?? '');
  const text = '[OPTIONS]\n\nenable: 1\n\n[RULES]\n\nIN ACCEPT -p tcp -dport tftp -log nolog\n';
  await simulator.act('set_firewall_file', { path: PATH, text });
  const { items } = await api<{ items: { id: string; vmid: number; cluster_name: string; node_id: string }[] }>(
    'GET',
    `/workloads?q=${VMID}`,
  );
  const workload = items.find(({ vmid, cluster_name }) => vmid === VMID && cluster_name === 'compile-lab');
  await page.goto(`/workloads/${workload?.id}?tab=firewall`);
  await expect(page.getByRole('main')).toContainText('tftp');
  await openPage(page, `/nodes/${workload?.node_id}`);
  await expect(page.getByText(/Firewall of node \S+ cannot compile/)).toBeVisible();
  await expect(page.getByText('tcp has no service named tftp. Use the port number.')).toBeVisible();
  await takePicture(page, 'node-compile-failure');
  await page.getByRole('tab', { name: 'Firewall' }).click();
  await expect(page.getByRole('heading', { name: 'Data center rules' })).toBeVisible();
  await expect(
    page.getByText('the node keeps old rules because its firewall cannot be compiled').first(),
  ).toBeVisible();
  await typeInto(page.getByLabel('Source address'), '192.0.2.9');
  await typeInto(page.getByLabel('Destination address'), '10.20.0.11');
  await page.getByRole('button', { name: 'Test packet' }).click();
  await expect(page.getByText("The node's firewall cannot be compiled, so older rules are active.")).toBeVisible();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await takePicture(page, 'node-compile-failure-390');
  await page.setViewportSize({ width: 1440, height: 900 });
  await openPage(page, '/nodes?faulty=true');
  await expect(page.getByText('Firewall compile failure')).toBeVisible();
  await takePicture(page, 'nodes-compile-failure');
  await simulator.act('set_firewall_file', { path: PATH, text: before });
});

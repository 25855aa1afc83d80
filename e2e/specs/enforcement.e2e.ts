import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { takePicture } from '../fixtures/picture';
import { buildDiagnostics, enrollNode, getWorkloadNode, type Placed } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';

const VMID = 104;
const PATH = `firewall/${VMID}.fw`;
const getFile = (enable: 0 | 1) =>
  `[OPTIONS]\n\nenable: ${enable}\n\n[RULES]\n\nIN ACCEPT -p tcp -dport 22 -log nolog\n`;

test('a workload shows the first broken link between its rules and its packets', async ({
  adminPage: page,
  simulator,
  addCluster,
  api,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'enforcement-lab' });
  const before = String((await simulator.act('firewall_file', { path: PATH })) ?? '');
  await simulator.act('set_firewall_file', { path: PATH, text: getFile(0) });
  const { items } = await api<{ items: (Placed & { id: string; vmid: number })[] }>(
    'GET',
    `/workloads?cluster_id=${cluster.id}`,
  );
  const workload = items.find(({ vmid }) => vmid === VMID);
  if (!workload) throw new Error('the lab has no such workload');
  const section = page.getByRole('region', { name: 'Enforcement of net0' });
  // What was read a moment ago is shown again for three seconds.
  const readUntil = (text: string) =>
    expect(async () => {
      await page.getByRole('button', { name: 'Read again' }).click();
      await expect(section).toContainText(text, { timeout: 1_000 });
    }).toPass();

  await page.goto(`/workloads/${workload.id}?tab=firewall`);
  await expect(section).toContainText('Not enforced');
  await expect(section).toContainText('Broken: Guest firewall');
  await expect(section.getByRole('link', { name: 'Open policies to apply' })).toBeVisible();

  const agent = await enrollNode(api, getWorkloadNode(workload));
  const report = (bridge: string) =>
    agent.report([], {
      flow_diagnostics: buildDiagnostics([{ name: 'packet_capture', state: 'active' }]),
      firewall_status: {
        implementation: 'iptables',
        service_running: true,
        cluster_enabled: true,
        rules_loaded: true,
        guest_chains: 2,
      },
      enforcement: {
        version: 1,
        ruleset_hash: bridge,
        interfaces: [{ interface: `tap${VMID}i0`, vmid: VMID, nic: 0, present: true, bridge, chains: true }],
      },
    });
  await simulator.act('set_firewall_file', { path: PATH, text: getFile(1) });
  await report('vmbr0');
  await readUntil('Broken: Firewall bridge');
  await expect(section).toContainText('Stop and start the workload');
  await expectAccessible(page, 'a broken link');
  await takePicture(page, 'enforcement-broken');

  await report(`fwbr${VMID}i0`);
  await readUntil('Unknown: Open connections');
  await section.getByText('All links').click();
  await expect(section.getByRole('listitem').filter({ hasText: 'Rules loaded' })).toContainText('Intact');
  await page.setViewportSize({ width: 390, height: 844 });
  await takePicture(page, 'enforcement-390');
  await simulator.act('set_firewall_file', { path: PATH, text: before });
});

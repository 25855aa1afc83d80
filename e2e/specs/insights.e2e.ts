import { expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { chooseFilter } from '../fixtures/filters';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { enrollNode } from '../fixtures/reporting-node';
import { runJob } from '../fixtures/run-job';
import { test } from '../fixtures/test';

type Item = { id: string; name: string };
type Listed<T = Item> = { items: T[] };

const CALLER = '10.9.0.7';
const APP = '10.60.10.12';

const shot = (page: Page, name: string) => takePicture(page, `insights-${name}`);

test('a workload shows its traffic, the deciding rules and their hits', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'insight-lab' });
  await api('POST', '/ipam/discover?wait=true', { cluster_ids: [cluster.id] });
  const one = async (path: string) => {
    const [item] = (await api<Listed>('GET', path)).items;
    if (!item) throw new Error(`nothing at ${path}`);
    return item;
  };
  const guest = await one(`/workloads?cluster_id=${cluster.id}&q=app-02`);
  const node = (await api<Listed>('GET', `/nodes?cluster_id=${cluster.id}`)).items.find(({ name }) => name === 'pve2');
  if (!node) throw new Error('the simulator has no node pve2');
  const agent = await enrollNode(api, node);
  const definition = { direction: 'in', sources: ['10.0.0.0/8'], targets: ['vmid:insight-lab/104'] };
  const accept = (port: string) => ({ action: 'accept', protocol: 'tcp', destination_ports: [port] });
  const enforced = await api<Item>('POST', '/policies', {
    name: 'insight office',
    definition: { ...definition, enforcement_mode: 'enforced', default_action: 'drop' },
    rules: [accept('443'), accept('22')],
  });
  await api('POST', `/policies/${enforced.id}/apply?wait=true`, { dry_run: false });
  await api('POST', '/policies', {
    name: 'insight to come',
    definition: { ...definition, enforcement_mode: 'audit' },
    rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['443'] }],
  });
  const towards = (port: number, values: object = {}) => ({
    source_ip: CALLER,
    destination_ip: APP,
    destination_port: port,
    vmid: 104,
    nic: 0,
    ...values,
  });
  await agent.report([
    towards(443, { bytes: 5_000_000, packets: 4000 }),
    towards(443, { source_ip: '203.0.113.9', source_port: 41_000 }),
    {
      source_ip: APP,
      destination_ip: CALLER,
      source_port: 443,
      destination_port: 40_000,
      initiator: 'destination',
      vmid: 104,
      nic: 0,
    },
    towards(3306, { decision: 'drop', collector: 'firewall_log', bytes: 60, packets: 1 }),
    // The log says what the rules do not.
    towards(5432, { decision: 'accept', collector: 'firewall_log' }),
  ]);

  await page.goto(`/workloads/${guest.id}?tab=traffic`);
  const conversations = page.getByRole('grid', { name: 'Conversations' }).getByRole('row');
  await test.step('conversations come first: both directions are one row, and lead to the page of all', async () => {
    await expect(conversations).toHaveCount(5);
    await conversations.filter({ hasText: 'tcp/3306' }).click();
    await expect(page.getByRole('dialog', { name: `${CALLER} → ${APP}` })).toContainText('Line of the firewall log');
    await page.keyboard.press('Escape');
    await expectAccessible(page, 'the conversations of a workload');
    await page.getByRole('link', { name: 'Show in Flows' }).click();
    await expect(page).toHaveURL(/\/flows\?filter=end/);
    await expect(conversations).toHaveCount(5);
    await page.goBack();
    await page.getByRole('radio', { name: 'Flows' }).click();
  });
  const grid = page.getByRole('grid', { name: 'Workload flows' });
  const rows = grid.getByRole('row');
  const row = (service: string) => rows.filter({ hasText: service }).first();
  await expect(rows).toHaveCount(6);

  await test.step('each flow shows what allowed or dropped it, with a link to the policy', async () => {
    const opened = rows.filter({ hasText: '4.77 MiB' });
    await expect(opened.getByRole('link', { name: 'insight office' })).toBeVisible();
    await expect(opened).toContainText('Allowed');
    await expect(opened).toContainText('Would be dropped');
    await expect(rows.filter({ hasText: 'answer' })).toHaveCount(1);
    await expect(row('tcp/3306')).toContainText('Dropped');
    await expect(row('tcp/3306')).toContainText('Default policy DROP');
    await expect(row('203.0.113.9')).toContainText('dropped by default policy');
    await expect(row('tcp/5432')).toContainText('Differs');
    const decisions = page
      .getByRole('region', { name: 'Decided by' })
      .or(page.locator('section', { hasText: 'Decided by' }));
    await expect(decisions.first()).toContainText('1 flow does not match the rules');
    await expect(decisions.first()).toContainText('would allow 0, drop 2');
    await expect(page.getByRole('grid', { name: 'Live rules' })).toContainText('insight office');
    await shot(page, 'traffic');
    await expectAccessible(page, 'the traffic of a workload');
  });

  await test.step('the evidence of the hour names its blind spots', async () => {
    const evidence = page.locator('section', { has: page.getByRole('heading', { name: 'Evidence' }) });
    await expect(evidence).toContainText('No evidence');
    await evidence.getByText(/blind spot/).click();
    await expect(evidence.getByRole('cell', { name: 'Not in the inventory yet' })).toBeVisible();
    await evidence.getByText('Why are flows missing?').click();
    const steps = evidence.getByRole('list', { name: 'What flows need to be seen' });
    await expect(steps.getByRole('listitem').first()).toContainText('Fabric did not have the workload yet');
    await shot(page, 'evidence');
    await expectAccessible(page, 'the evidence about a workload');
  });

  await test.step('a row shows the reason for its action', async () => {
    await row('tcp/5432').click();
    const drawer = page.getByRole('dialog', { name: `${CALLER} → ${APP}` });
    await expect(drawer).toContainText('Log and rules mismatch');
    await expect(drawer).toContainText('No rule matches: the default policy applies.');
    await shot(page, 'flow');
    await expectAccessible(page, 'the context of a flow');
    await page.keyboard.press('Escape');
    await expect(drawer).toBeHidden();
  });

  await test.step('modes and services narrow the flows, in the URL', async () => {
    await chooseFilter(page, 'Traffic', ['Outbound']);
    await expect(page).toHaveURL(/traffic_mode=outbound/);
    await expect(rows).toHaveCount(2);
    await page.reload();
    await expect(rows).toHaveCount(2);
    await openPage(page, `/workloads/${guest.id}?tab=traffic&view=flows&traffic_mode=denied`);
    await expect(rows).toHaveCount(2);
    await expect(row('tcp/3306')).toBeVisible();
    await page.goto(`/workloads/${guest.id}?tab=traffic&view=flows&traffic_mode=nonsense&port=nonsense`);
    await expect(rows).toHaveCount(6);
    await page.getByRole('button', { name: 'Show conversations on tcp/5432' }).click();
    await expect(page).toHaveURL(/port=5432/);
    await expect(rows).toHaveCount(2);
    await page.getByRole('button', { name: 'Remove filter Port' }).click();
    await page.getByRole('button', { name: `Show conversations with 203.0.113.9` }).click();
    await expect(page).toHaveURL(/address=203/);
    await expect(rows).toHaveCount(2);
  });

  await test.step('the policy shows which rules were hit, and which never', async () => {
    await expect
      .poll(
        async () => {
          await runJob('coverage.count');
          const { rules } = await api<{ rules: { hits: number }[] }>('GET', `/policies/${enforced.id}/coverage`);
          return rules.map(({ hits }) => hits);
        },
        { intervals: [2_000] },
      )
      .toEqual([1, 0]);
    await openPage(page, `/policies/${enforced.id}?tab=coverage`);
    const coverage = page.getByRole('grid', { name: 'Hit counts by rule' });
    await expect(coverage.getByRole('row').nth(1)).toContainText('Has hits');
    await expect(coverage.getByRole('row').nth(2)).toContainText('No hits for');
    await expect(page.getByText('Monitored for')).toBeVisible();
    await shot(page, 'coverage');
    await expectAccessible(page, 'the coverage of a policy');
    await page.getByRole('radio', { name: '30 days' }).click();
    await expect(page).toHaveURL(/days=30/);
    await page.goto(`/workloads/${guest.id}?tab=traffic`);
    await expect(page.getByRole('meter', { name: 'Conversations matched by a rule' })).toHaveAttribute(
      'aria-valuetext',
      '25 %',
    );
  });
});

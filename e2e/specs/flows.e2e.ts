import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { actAs } from '../fixtures/act-as';
import { expectAccessible } from '../fixtures/axe';
import { chooseFilter, typeFilter } from '../fixtures/filters';
import { openPage } from '../fixtures/open-page';
import { enrollNode } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };

test('the flow page filters, groups, charts, shows a record and keeps its state in the link', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'flows-lab' });
  const within = `cluster_id=${cluster.id}`;
  const flowsPath = `/flows?view=flows&${within}`;
  const [node] = (await api<{ items: Item[] }>('GET', `/nodes?${within}`)).items;
  if (!node) throw new Error('the simulator has no node');
  const agent = await enrollNode(api, node);
  const web = { source_ip: '10.9.0.5', destination_ip: '203.0.113.7' };
  await agent.report([
    { ...web, bytes: 5_000_000, packets: 4000 },
    { ...web, source_port: 40_001, destination_port: 53, protocol: 'udp', bytes: 120, packets: 1 },
    {
      source_ip: '198.51.100.66',
      destination_ip: '10.9.0.5',
      source_port: 55_555,
      destination_port: 22,
      decision: 'drop',
      collector: 'firewall_log',
      bytes: 60,
      packets: 1,
      raw: { chain: 'tap100i0-IN', excerpt: 'policy DROP: SRC=198.51.100.66' },
    },
  ]);

  await page.goto(flowsPath);
  const grid = page.getByRole('grid', { name: 'Flows', exact: true });
  const rows = grid.getByRole('row');
  await expect(rows).toHaveCount(4);
  await expect(page.getByRole('slider', { name: 'Traffic over time' })).toBeVisible();

  await test.step('a filter as text completes, marks errors, is saved as a view, and leads to the flows', async () => {
    await openPage(page, `/flows?${within}`);
    const conversations = page.getByRole('grid', { name: 'Conversations' });
    await expect(conversations.getByRole('row')).toHaveCount(4);
    const filter = page.getByRole('combobox', { name: 'Filter conversations' });
    await typeInto(filter, 'servi');
    await expect(page.getByRole('option', { name: 'service' })).toBeVisible();
    await filter.press('ArrowDown');
    await filter.press('Enter');
    await expect(filter).toHaveValue('service ');
    await filter.pressSequentially('= ssh and acton = dropped');
    await filter.press('Enter');
    await expect(page.getByText('Character 19: a field is expected')).toBeVisible();
    await expectAccessible(page, 'a filter with an error');
    await page.getByRole('button', { name: 'Replace with action' }).click();
    await filter.press('Enter');
    await expect(filter).toHaveValue('service = tcp/22 and action = dropped');
    await expect(page).toHaveURL(/filter=service/);
    await expect(conversations.getByRole('row')).toHaveCount(2);
    await page.getByRole('button', { name: 'Views' }).click();
    const views = page.getByRole('dialog', { name: 'Views' });
    await typeInto(views.getByRole('textbox', { name: 'Name' }), 'Denied logins');
    await views.getByRole('button', { name: 'Save view' }).click();
    await expect(views.getByRole('link', { name: 'Denied logins' })).toBeVisible();
    await expectAccessible(page, 'saved views');
    await page.keyboard.press('Escape');
    // The chip changes the same text.
    // The chart and the groups are of the same conversations.
    const chart = page.getByRole('region', { name: 'Traffic over time' }).first();
    await expect(chart).toContainText('1 new conversation');
    await page.getByRole('button', { name: 'Group by' }).click();
    await page.getByRole('menuitemradio', { name: 'Service' }).click();
    await expect(page.getByRole('grid', { name: 'Grouped flows' }).getByRole('row')).toHaveCount(2);
    await expect(filter).toHaveValue('service = tcp/22 and action = dropped');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove filter Action' }).click();
    await expect(filter).toHaveValue('service = tcp/22');
    await page.getByRole('button', { name: 'Views' }).click();
    await views.getByRole('link', { name: 'Denied logins' }).click();
    await expect(filter).toHaveValue('service = tcp/22 and action = dropped');
    await conversations.getByText('tcp/22').click();
    const drawer = page.getByRole('dialog', { name: '198.51.100.66 → 10.9.0.5' });
    await expect(drawer.getByRole('row', { name: 'Client to server' })).toContainText('1 packet');
    await expectAccessible(page, 'a conversation');
    await drawer.getByRole('link', { name: 'Show its flows' }).click();
    await expect(page).toHaveURL(/conversation_id=/);
    await expect(rows).toHaveCount(2);
    await openPage(page, flowsPath);
    await expect(rows).toHaveCount(4);
  });

  await test.step('beyond the retention, totals follow and the setting is linked', async () => {
    await openPage(page, '/flows?view=flows&range=7d');
    await expect(page.getByText(/^Single flows are kept for \d+ h/)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Peers' })).toBeVisible();
    await page.getByRole('link', { name: 'Change retention' }).click();
    await expect(page).toHaveURL(/\/settings#flow-retention$/);
    await expect(page.getByRole('textbox', { name: 'Flow retention' })).toBeInViewport();
    await openPage(page, flowsPath);
    await expect(rows).toHaveCount(4);
  });

  await test.step('filters are in the URL and survive a reload', async () => {
    await chooseFilter(page, 'Firewall log', ['Dropped']);
    await expect(page).toHaveURL(/decision=drop/);
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(1)).toContainText('198.51.100.66:55555');
    await page.reload();
    await expect(rows).toHaveCount(2);
    await page.getByRole('search').getByRole('button', { name: 'Clear' }).click();
    await expect(rows.nth(1)).toBeVisible();
    await openPage(page, flowsPath);
    await expect(rows).toHaveCount(4);
    const address = await typeFilter(page, 'Address', '203.0.113');
    await expect(address.getByText('Enter an address or prefix such as 10.0.0.0/24')).toBeVisible();
    await expect(rows).toHaveCount(4);
    await typeInto(address.getByRole('textbox', { name: 'Address' }), '203.0.113.0/24');
    // Leaving the field applies it, as Enter does.
    await page.getByRole('heading', { level: 1, name: 'Flows' }).click();
    await expect(address).toBeHidden();
    await expect(rows).toHaveCount(3);
    await expect(page.getByText(/^Estimated/)).toBeVisible();
    await typeFilter(page, 'Port', '9000 53-60,9000');
    await expect(page.getByRole('button', { name: 'Port: 53-60, 9000' })).toBeVisible();
    await expect(rows).toHaveCount(2);
    await typeFilter(page, 'Port', '9999');
    await expect(page.getByText('No flows match')).toBeVisible();
    await expect(page.getByText('No traffic in this time range.')).toBeVisible();
    await openPage(page, flowsPath);
    await expect(rows).toHaveCount(4);
  });

  await test.step('a group leads to its flows', async () => {
    await page.getByRole('button', { name: 'Group by' }).click();
    await page.getByRole('menuitemradio', { name: 'Service' }).click();
    const groups = page.getByRole('grid', { name: 'Grouped flows' });
    await expect(groups.getByRole('row')).toHaveCount(4);
    await expect(groups.getByRole('row').nth(1)).toContainText('tcp/443');
    await groups.getByText('tcp/22').click();
    await expect(page).toHaveURL(/port=22/);
    await expect(rows).toHaveCount(2);
    await page.goBack();
    await expect(groups.getByRole('row')).toHaveCount(4);
    await openPage(page, flowsPath);
  });

  await test.step('the figures of the chart are there as a table, and by key', async () => {
    await expect(rows).toHaveCount(4);
    const slider = page.getByRole('slider', { name: 'Traffic over time' });
    await slider.focus();
    await slider.press('Home');
    await expect(slider).toHaveAttribute('aria-valuenow', '0');
    await page.getByRole('radio', { name: 'Table' }).click();
    await expect(page.getByRole('region', { name: 'Traffic over time, table' })).toContainText('Dropped');
    await page.getByRole('radio', { name: 'Chart' }).click();
    await page.getByRole('radio', { name: 'Packets' }).click();
    await expect(page).toHaveURL(/metric=packets/);
    await slider.focus();
    await slider.press('Home');
    await slider.press('Enter');
    await expect(page).toHaveURL(/since=.*until=/);
    await expect(page.getByText('No flows in this time range').or(page.getByText('No flows match'))).toBeVisible();
    await openPage(page, flowsPath);
  });

  await test.step('a row shows everything about its flow', async () => {
    await expect(rows).toHaveCount(4);
    await grid.getByText('tcp/22').click();
    const drawer = page.getByRole('dialog', { name: '198.51.100.66 → 10.9.0.5' });
    await expect(drawer).toContainText('Dropped');
    await expect(drawer).toContainText('external');
    await expect(drawer.getByRole('region', { name: 'Raw record' })).toContainText('tap100i0-IN');
    await expectAccessible(page, 'the record of a flow');
    await drawer.getByRole('button', { name: 'Show only this conversation' }).click();
    await expect(page).toHaveURL(/source=198\.51\.100\.66/);
    await expect(rows).toHaveCount(2);
    await page.getByRole('button', { name: 'Remove filter From' }).click();
    await expect(page).not.toHaveURL(/source=/);
    await openPage(page, flowsPath);
  });

  await test.step('the link of a moment has fixed times', async () => {
    await expect(rows).toHaveCount(4);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('menuitem', { name: 'To this time range' }).click();
    await expect(page.getByText('Link copied')).toBeVisible();
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    expect(link.searchParams.get('cluster_id')).toBe(cluster.id);
    const span = Date.parse(link.searchParams.get('until') ?? '') - Date.parse(link.searchParams.get('since') ?? '');
    expect(span).toBe(3_600_000);
    await page.goto(link.href);
    await expect(rows).toHaveCount(4);
  });

  await test.step('the CSV file has every row', async () => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).toContain('198.51.100.66');
  });

  await test.step('live: reported flows appear, and the list does not change when paused', async () => {
    await openPage(page, `/flows?live=true&${within}`);
    const live = page.getByRole('grid', { name: 'Live flows' });
    await expect(live.getByRole('row')).toHaveCount(4);
    await agent.report([{ ...web, source_port: 41_000, destination_port: 8080 }]);
    await expect(live.getByText('tcp/8080')).toBeVisible();
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText(/^Paused/)).toBeVisible();
    await agent.report([{ ...web, source_port: 41_001, destination_port: 8081 }]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect(live.getByText('tcp/8081')).toBeVisible();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await expect(page).not.toHaveURL(/live=/);
  });
});

test('an empty list names the next step, an expired one its retention, and an invalid URL is no error', async ({
  adminPage: page,
  api,
}) => {
  await page.goto('/flows?view=flows&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z');
  await expect(page.getByText('Flows in this time range expired')).toBeVisible();
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await openPage(page, `/flows?view=flows&since=${hoursAgo(9)}&until=${hoursAgo(8)}`);
  await expect(page.getByText('No flows in this time range')).toBeVisible();
  await page.getByRole('link', { name: 'Show agents' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Agents' })).toBeVisible();
  const [workload] = (await api<{ items: { id: string }[] }>('GET', '/workloads?limit=1')).items;
  await openPage(page, `/flows?view=flows&workload_id=${workload?.id}&since=${hoursAgo(9)}&until=${hoursAgo(8)}`);
  await page.getByRole('link', { name: 'Why are there no flows?' }).click();
  await expect(page.getByRole('list', { name: 'What flows need to be seen' })).toContainText('no agent');
  await openPage(
    page,
    '/flows?range=never&decision=maybe&port=99999&address=nowhere&node_id=7&group=colour&sort=hacked',
  );
  await expect(page.getByRole('heading', { level: 1, name: 'Flows' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0);
});

test('a range that cannot be is explained, not hidden', async ({ adminPage: page }) => {
  await page.goto('/flows?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z');
  await expect(page.getByText('The time range ends before it begins')).toBeVisible();
  await page.getByRole('button', { name: 'Show last hour' }).click();
  await expect(page).not.toHaveURL(/since=/);
  await expect(page.getByRole('region', { name: 'Traffic over time' })).toBeVisible();
});

test('a user without flow:read finds no links to flows', async ({ adminPage: page }) => {
  await actAs(page, ['cluster:read', 'workload:read']);
  await page.goto('/workloads');
  const grid = page.getByRole('grid', { name: 'Workloads' });
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Flows' })).toHaveCount(0);
  await grid.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('grid', { name: 'Interfaces' }).or(page.getByText('No interfaces'))).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Flows' })).toHaveCount(0);
});

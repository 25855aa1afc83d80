import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import type { Topology } from '@/domain/topology/topology';
import type { Api } from '../fixtures/api';
import { expectAccessible } from '../fixtures/axe';
import { clickDrawnShape } from '../fixtures/click-drawn-shape';
import { addAddress, addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { enrollNode, getWorkloadNode, type Placed } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };

const SUBNET = '10.77.0.0/24';
const INTERNET = '203.0.113.7';

/** Two guests with addresses, and what they and the internet say to each other, told by one node. */
async function makeTraffic(api: Api, clusterId: string) {
  const within = `cluster_id=${clusterId}`;
  const path = `/workloads?${within}&sort=name&template=false`;
  const [web, database] = (await api<{ items: (Item & Placed)[] }>('GET', path)).items;
  if (!web || !database) throw new Error('the simulator has too few guests');
  const network = await getNetwork(api, clusterId, 'vmbr0');
  await addSubnet(api, network, SUBNET);
  await addAddress(api, network, '10.77.0.10', { workload_id: web.id });
  await addAddress(api, network, '10.77.0.20', { workload_id: database.id });
  const agent = await enrollNode(api, getWorkloadNode(web));
  await agent.report([
    { source_ip: '10.77.0.10', destination_ip: '10.77.0.20', destination_port: 5432, bytes: 5_000_000, packets: 4000 },
    { source_ip: INTERNET, destination_ip: '10.77.0.10', destination_port: 443, bytes: 70_000, packets: 90 },
    {
      source_ip: INTERNET,
      destination_ip: '10.77.0.10',
      destination_port: 22,
      decision: 'drop',
      bytes: 60,
      packets: 1,
    },
  ]);
  return { web, database };
}

test('the topology shows map and tables, and leads to neighbors and their flows', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'topology-lab' });
  const { web, database } = await makeTraffic(api, cluster.id);
  const within = `cluster_id=${cluster.id}`;
  const topology = await api<Topology>('GET', `/topology?${within}`);
  expect(topology.edges.map(({ verdict }) => verdict)).toContain('dropped');

  await page.goto(`/topology?${within}&busy=true&expand=all`);
  const map = page.getByRole('application', { name: 'Map of 3 endpoints and 3 connections' });
  await expect(map).toBeVisible();
  await expectAccessible(page, 'the map');

  await test.step('the map is moved by key and pointer, and shows everything again', async () => {
    const canvas = map.locator('canvas');
    const look = () => canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
    let before = '';
    await expect
      .poll(async () => {
        const last = before;
        before = await look();
        return before === last && before.length > 3_000;
      })
      .toBe(true);
    await map.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(look).not.toBe(before);
    await page.keyboard.press('0');
    await expect.poll(look).toBe(before);
    const box = await map.boundingBox();
    if (!box) throw new Error('the map is not there');
    await page.mouse.move(box.x + 300, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 380, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await page.mouse.wheel(0, -300);
    await expect.poll(look).not.toBe(before);
    await page.getByRole('button', { name: 'Fit map' }).click();
    await page.mouse.move(10, 10);
    await expect.poll(look).toBe(before);
  });

  await test.step('verdicts are switched off and on', async () => {
    const observed = page.getByRole('button', { name: 'Dropped 1' });
    await observed.click();
    await expect(observed).toHaveAttribute('aria-pressed', 'false');
    await expect(page).toHaveURL(/hide=dropped/);
    await expect(page.getByRole('application', { name: /and 2 connections$/ })).toBeVisible();
    await observed.click();
    await expect(page).not.toHaveURL(/hide=/);
  });

  await test.step('the tables say what the map says', async () => {
    await page.getByRole('radio', { name: 'Connections' }).click();
    const grid = page.getByRole('grid', { name: 'Connections' });
    await expect(grid.getByRole('row')).toHaveCount(4);
    await expect(grid.getByRole('row').nth(1)).toContainText(web.name);
    await expect(grid.getByRole('row').nth(1)).toContainText('tcp/5432');
    await grid.getByRole('button', { name: 'Outcome' }).click();
    await expect(grid.getByRole('row').nth(1)).toContainText('Dropped');
    await expect(grid.getByRole('row').nth(1)).toContainText('tcp/22');
    await expectAccessible(page, 'the table of connections');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /CSV/ }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.trim().split('\n')).toHaveLength(4);
    await grid.getByText('tcp/22').click();
    const drawer = page.getByRole('dialog', { name: `External → ${web.name}` });
    await expect(drawer).toContainText('Dropped');
    await expectAccessible(page, 'a connection');
    await drawer.getByRole('link', { name: 'Show conversations' }).click();
    await expect(page).toHaveURL(/\/flows\?filter=client/);
    await expect(page.getByRole('grid', { name: 'Conversations' }).getByRole('row')).toHaveCount(3);
    await page.goBack();
    await page.getByRole('radio', { name: 'Workloads' }).click();
    await expect(page.getByRole('grid', { name: 'Workloads and peers' }).getByRole('row')).toHaveCount(4);
    await expectAccessible(page, 'the table of workloads');
  });

  await test.step('groups expand on click and by key, and a matrix shows the same', async () => {
    await openPage(page, `/topology?${within}&busy=true`);
    const group = page.getByRole('button', { name: /^Expand .+: \d+ workloads?, \d+ connections?$/ }).first();
    const name = (await group.getAttribute('aria-label'))?.match(/^Expand (.+): \d+ workload/)?.[1];
    await clickDrawnShape(group);
    await expect(page).toHaveURL(/expand=network/);
    await expect(page.getByRole('complementary', { name: /^Details of / })).toBeVisible();
    const collapse = page.getByRole('button', { name: `Collapse ${name}`, exact: true });
    await expect(collapse).toBeAttached();
    await expectAccessible(page, 'the map with an expanded group');
    await collapse.focus();
    await page.keyboard.press('Enter');
    await expect(group).toBeAttached();
    await openPage(page, `/topology?${within}&expand=all&view=matrix`);
    const matrix = page.getByRole('grid', { name: 'Matrix of clients and servers' });
    await matrix.focus();
    await page.keyboard.press('Control+Home');
    await expectAccessible(page, 'the matrix');
    await matrix
      .getByRole('gridcell', { name: new RegExp(`^External → ${web.name}: .*Dropped \\(1 new flow\\)`) })
      .click();
    await expect(page.getByRole('dialog', { name: `External → ${web.name}` })).toContainText('tcp/22');
    await page.keyboard.press('Escape');
  });

  await test.step('search, details and neighbors, all of it in the URL', async () => {
    await openPage(page, `/topology?${within}`);
    const search = page.getByRole('searchbox', { name: 'Find on map' });
    await typeInto(search, '10.77.0.20');
    await expect(page.getByText(/^1 of \d+ found\.$/)).toBeVisible();
    await openPage(page, `/topology?${within}&at=${database.id}`);
    const details = page.getByRole('complementary', { name: `Details of ${database.name}` });
    await expect(details).toContainText('10.77.0.20');
    await expectAccessible(page, 'details of a workload on the map');
    await details.getByRole('button', { name: 'Neighbors only' }).click();
    await expect(page).toHaveURL(new RegExp(`workload_id=${database.id}`));
    await expect(page.getByRole('application', { name: 'Map of 2 endpoints and 1 connection' })).toBeVisible();
    await details.getByRole('button', { name: new RegExp(`^From ${web.name}`) }).click();
    await expect(page.getByRole('dialog', { name: `${web.name} → ${database.name}` })).toContainText('tcp/5432');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter Neighbors of' }).click();
    await expect(page).not.toHaveURL(/workload_id=/);
  });

  await test.step('grouped otherwise, at every size and theme', async () => {
    for (const theme of ['light', 'dark']) {
      await page.context().addCookies([{ name: 'fabric_theme', value: theme, url: page.url() }]);
      for (const [width, height] of [
        [1440, 900],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const group of ['network', 'tag']) {
          const path = `/topology?${within}&group=${group}&at=${web.id}`;
          // The server reads the cookie of the theme at a load.
          if (width === 1440 && group === 'network') await page.goto(path);
          else await openPage(page, path);
          await expect(page.getByRole('complementary', { name: `Details of ${web.name}` })).toBeVisible();
          await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
          await takePicture(page, `topology-${group}-${width}-${theme}`);
          const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          expect(sideways).toBeLessThanOrEqual(0);
          await expectAccessible(page, `the map by ${group}, ${theme}, ${width} px`);
        }
      }
    }
  });

  await test.step('a link that means nothing shows the map', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`/topology?at=nobody&group=colour&hide=everything&view=globe&${within}`);
    await expect(page.getByRole('application', { name: /^Map of/ })).toBeVisible();
    await openPage(page, '/topology?workload_id=00000000-0000-4000-8000-000000000000');
    await expect(page.getByText('The workload was not found', { exact: false })).toBeVisible();
    await openPage(page, `/topology?${within}&since=2020-01-01T00:00:00Z&until=2020-01-01T01:00:00Z&busy=true`);
    await expect(page.getByText('Traffic data has expired')).toBeVisible();
    await expectAccessible(page, 'the map without anything');
  });
});

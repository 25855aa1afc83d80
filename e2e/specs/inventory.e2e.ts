import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { chooseFilter } from '../fixtures/filters';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('search, filters and sort live in the URL and survive reload and back', async ({ adminPage: page }) => {
  await page.goto('/workloads');
  const grid = page.getByRole('grid', { name: 'Workloads' });
  const firstName = () => grid.getByRole('row').nth(1).getByRole('link').first();
  await expect(firstName()).toBeVisible();
  await chooseFilter(page, 'Status', ['Stopped']);
  await expect(page).toHaveURL(/status=stopped/);
  await expect(grid).not.toContainText('Running');
  const byName = (await firstName().textContent()) ?? '';
  await grid.getByRole('button', { name: 'VMID' }).click();
  await expect(page).toHaveURL(/sort=vmid/);
  await expect(grid.getByRole('columnheader', { name: 'VMID' })).toHaveAttribute('aria-sort', 'ascending');
  // The rows in their old order stay until those in the new one are there.
  await expect(firstName()).not.toHaveText(byName);
  const before = (await firstName().textContent()) ?? '';
  await page.reload();
  await expect(firstName()).toHaveText(before);
  await expect(grid).not.toContainText('Running');
  await page.goBack();
  await expect(page).not.toHaveURL(/sort=vmid/);
  await expect(grid.getByRole('columnheader', { name: 'VMID' })).not.toHaveAttribute('aria-sort', 'ascending');
  await page.goBack();
  await expect(page).not.toHaveURL(/status=/);
  await expect(grid).toContainText('Running');
});

test('two quick steps back after a reload show the list of the URL', async ({ adminPage: page }) => {
  const grid = page.getByRole('grid', { name: 'Workloads' });
  await page.goto('/workloads');
  await chooseFilter(page, 'Status', ['Stopped']);
  await expect(page).toHaveURL(/status=stopped/);
  await grid.getByRole('button', { name: 'VMID' }).click();
  await expect(page).toHaveURL(/sort=vmid/);
  await page.reload();
  await expect(grid).toContainText('Stopped');
  // The second step comes while the router asks for the first one again: its history said less than the server does.
  let asked = 0;
  let askedAgain = () => {};
  const again = new Promise<void>((done) => {
    askedAgain = done;
  });
  await page.route(/workloads[?]status=stopped&_rsc/, async (route) => {
    asked += 1;
    if (asked > 1) {
      askedAgain();
      await new Promise((done) => setTimeout(done, 1_000));
    }
    await route.continue();
  });
  await page.goBack();
  await again;
  await page.goBack();
  await expect(page).toHaveURL(/\/workloads$/);
  await expect(grid).toContainText('Running');
});

test('all that match one search are not selected for another', async ({ adminPage: page }) => {
  // The list has loaded some of its rows; collecting the others takes until the search was typed.
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  type Answer = { result?: { data?: { items: { name: string }[] } } };
  await page.route(/api\/trpc\/[^?]*workloads\.list/, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const at = decodeURIComponent(pathname).replace('/api/trpc/', '').split(',').indexOf('workloads.list');
    const inputs = JSON.parse(searchParams.get('input') ?? '{}') as Record<number, { limit: number }>;
    if (inputs[at]?.limit === 500) {
      await released;
      return route.continue();
    }
    const response = await route.fetch();
    const answers = (await response.json()) as Answer[];
    const data = answers[at]?.result?.data;
    if (data) data.items = data.items.filter(({ name }) => name.startsWith('web-'));
    await route.fulfill({ response, json: answers });
  });
  const search = page.getByRole('searchbox', { name: 'Search workloads' });
  const all = page.getByText(/^All \d+ matching selected$/);
  await page.goto('/workloads');
  await expect(page.getByRole('grid', { name: 'Workloads' })).toContainText('web-01');
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click();
  await page.getByRole('button', { name: /^Select all \d+$/ }).click();
  await typeInto(search, 'web-01');
  await expect(page.getByText('1 selected', { exact: true })).toBeVisible();
  release();

  // It is the choice of the search that it was made for.
  await typeInto(search, '');
  await expect(all).toBeVisible();
  await typeInto(search, 'web-01');
  await expect(page.getByText('1 selected', { exact: true })).toBeVisible();
  await expect(all).toBeHidden();
  await page.getByRole('button', { name: 'Assign to project' }).click();
  await expect(page.getByRole('dialog', { name: 'Assign web-01 to a project' })).toBeVisible();
});

test('nothing found offers the way out', async ({ adminPage: page }) => {
  await page.goto('/workloads?q=no-such-guest&status=running');
  await expect(page.getByText('No workloads match')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(page).toHaveURL(/\/workloads$/);
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row').nth(1)).toBeVisible();
});

test('an invalid filter in the URL is no error', async ({ adminPage: page }) => {
  await page.goto('/workloads?status=flying&sort=hacked&cluster_id=1%27or%271&template=perhaps&protection=iron');
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row').nth(1)).toBeVisible();
});

test('the CSV file has every row and the columns of the table', async ({ adminPage: page }) => {
  await page.goto('/workloads?q=web-0');
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row')).toHaveCount(3);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^workloads-\d{4}-\d{2}-\d{2}\.csv$/);
  const [head, ...rows] = (await readFile(await file.path(), 'utf8')).replace('\uFEFF', '').trim().split('\r\n');
  expect(head).toContain('Name,VMID,Status');
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/^web-01,100,Running,VM/);
});

test('a guest shows its cards with flag, network and VLAN, and leads to its network and node', async ({
  adminPage: page,
}) => {
  await page.goto('/workloads?q=db-01');
  await page.getByRole('link', { name: 'db-01' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'db-01' })).toBeVisible();
  await expect(page).toHaveTitle('db-01 · Fabric');
  const cards = page.getByRole('grid', { name: 'Interfaces' });
  await expect(cards.getByRole('row')).toHaveCount(3);
  await expect(cards).toContainText('net0');
  await expect(cards).toContainText('On');
  await expect(cards).toContainText('Off');
  await cards.getByRole('link').first().click();
  await expect(page.getByRole('grid', { name: 'Workloads' })).toContainText('db-01');
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Networks');
  await page.goBack();
  await page.getByRole('main').getByRole('link', { name: 'pve3' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'pve3' })).toBeVisible();
});

test('an unknown id shows a not-found page', async ({ adminPage: page }) => {
  for (const kind of ['clusters', 'nodes', 'workloads', 'networks']) {
    await page.goto(`/${kind}/0190f3a0-0000-7000-8000-00000000dead`);
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Not found');
    await expect(page.getByRole('main').getByRole('alert')).toContainText('Request');
  }
  await page.goto('/no-such-page');
  await expect(page.getByText('Page not found')).toBeVisible();
});

test('lists and pages are shown as of a time, where nothing can be edited, and lead back to now', async ({
  adminPage: page,
}) => {
  const grid = page.getByRole('grid', { name: 'Workloads' });
  const at = new Date().toISOString();
  await page.goto('/workloads');
  await expect(grid.getByRole('checkbox').first()).toBeVisible();
  await page.goto(`/workloads?as_of=${at}`);
  await expect(page.getByText(/^Shown as of /)).toBeVisible();
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
  await expect(grid.getByRole('checkbox')).toHaveCount(0);
  await grid.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page).toHaveURL(/\/workloads\/[0-9a-f-]+\?as_of=/);
  await expect(page.getByText(/^Shown as of /)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Assign to project' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Firewall' }).click();
  await expect(page).toHaveURL(/as_of=/);
  await expect(page.getByRole('heading', { name: 'Live rules' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Test packet' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show now' }).click();
  await expect(page).not.toHaveURL(/as_of=/);
  await expect(page.getByRole('button', { name: 'Assign to project' })).toBeVisible();
  await page.getByRole('button', { name: 'As of' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Show this time' }).click();
  await expect(page).toHaveURL(/as_of=/);
});

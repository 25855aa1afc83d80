import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

test('/ searches, Esc clears, arrows walk the rows, Enter opens', async ({ adminPage: page }) => {
  await page.goto('/workloads');
  const grid = page.getByRole('grid', { name: 'Workloads' });
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search workloads' });
  await expect(search).toBeFocused();
  await page.keyboard.type('web-0');
  await expect(page).toHaveURL(/q=web-0/);
  await expect(grid.getByRole('row')).toHaveCount(3);
  await page.keyboard.press('Escape');
  await expect(search).toHaveValue('');
  await expect(page).not.toHaveURL(/q=/);
  await expect(grid.getByRole('row').nth(4)).toBeVisible();
  await grid.getByRole('row').nth(1).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(grid.getByRole('row').nth(3)).toBeFocused();
  const name = (await grid.getByRole('row').nth(3).getByRole('link').first().textContent()) ?? '';
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
});

test('the command palette opens every page and starts actions', async ({ adminPage: page }) => {
  await page.goto('/nodes');
  await expect(page.getByRole('heading', { name: 'Nodes' })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await expect(palette).toBeVisible();
  await page.keyboard.type('audit');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/audit$/);
  await page.goto('/clusters');
  await expect(page.getByRole('heading', { name: 'Clusters' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('add clus');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Add cluster' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Add cluster' })).toBeHidden();
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
});

test('the command palette has the focus as soon as it is there, so no key is lost', async ({ adminPage: page }) => {
  await page.goto('/nodes');
  await expect(page.getByRole('heading', { name: 'Nodes' })).toBeVisible();
  // Runs between the drawing of the palette and the next frame.
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const input = document.querySelector('[aria-label="Search everything"][role="combobox"]');
      if (!input) return;
      observer.disconnect();
      document.body.dataset.focused = String(document.activeElement === input);
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.keyboard.press('Control+k');
  await expect(page.locator('body')).toHaveAttribute('data-focused', /./);
  await expect(page.locator('body')).toHaveAttribute('data-focused', 'true');
});

test('a closed drawer gives the focus back, and a double click sends once', async ({ adminPage: page }) => {
  await page.goto('/tenants');
  const open = page.getByRole('banner').or(page.locator('header')).getByRole('button', { name: 'Create tenant' });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await open.focus();
  await page.keyboard.press('Enter');
  await expect(name).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(name).toBeHidden();
  await expect(open).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(name).toBeFocused();
  await page.keyboard.type('Double click');
  const sent: string[] = [];
  // Nothing is stored: other tests have no tenants.
  await page.route('**/api/trpc/tenants.create*', (route) => {
    sent.push(new URL(route.request().url()).pathname);
    return route.fulfill({ status: 503, json: {} });
  });
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Create tenant' }).dblclick();
  await expect(drawer.getByRole('alert')).toBeVisible();
  expect(sent).toEqual(['/api/trpc/tenants.create']);
});

test('a drawer that closes leaves the focus where the user has gone', async ({ adminPage: page }) => {
  await page.goto('/clusters');
  const open = page.locator('header').getByRole('button', { name: 'Add cluster' });
  const address = page.getByRole('textbox', { name: 'API address' });
  await open.click();
  await expect(address).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(address).toBeHidden();
  await expect(open).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(address).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('audit', { delay: 60 });
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toHaveValue('audit');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
});

test('columns are resized by keys and by the pointer, remembered, and reset', async ({ adminPage: page }) => {
  await page.goto('/workloads');
  const grid = page.getByRole('grid', { name: 'Workloads' });
  await expect(grid.getByRole('link').first()).toBeVisible();
  const edge = (name: string) => grid.getByRole('separator', { name: `Width of column ${name}` });
  const getColumnWidth = async (name: string) =>
    Math.round((await grid.getByRole('columnheader', { name, exact: true }).boundingBox())?.width ?? 0);
  const declared = await getColumnWidth('Status');
  await edge('Name').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(edge('Status')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => getColumnWidth('Status')).toBe(declared + 16);
  await expect(edge('Status')).toHaveAttribute('aria-valuenow', String(declared + 16));
  const at = await edge('Status').boundingBox();
  if (!at) throw new Error('expected an edge');
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  await page.mouse.down();
  await page.mouse.move(at.x + at.width / 2 + 40, at.y + at.height / 2, { steps: 4 });
  await page.mouse.up();
  await expect.poll(() => getColumnWidth('Status')).toBe(declared + 56);
  await page.reload();
  await expect.poll(() => getColumnWidth('Status')).toBe(declared + 56);
  // What no longer fits is shown in full under the pointer.
  await edge('Name').focus();
  for (let i = 0; i < 8; i += 1) await page.keyboard.press('Shift+ArrowLeft');
  // A row without a badge beside its name.
  const name = grid.getByRole('link', { name: /^app-/ }).first();
  const text = (await name.textContent()) ?? '';
  await name.hover({ position: { x: 5, y: 5 } });
  await expect(page.locator('[data-truncated-text]')).toHaveText(text);
  await edge('Name').dblclick();
  await expect.poll(() => getColumnWidth('Name')).toBeGreaterThan(100);
  await page.getByRole('button', { name: 'Choose columns' }).click();
  await page.getByRole('menuitem', { name: 'Reset columns' }).click();
  await expect.poll(() => getColumnWidth('Status')).toBe(declared);
});

test('the sign-in form works without a pointer', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByRole('textbox', { name: 'Email address' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('textbox', { name: 'Password' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter an email address.')).toBeVisible();
});

import { expect, type Page } from '@playwright/test';
import { ADMIN, serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

/**
 * Lets the next call of a procedure go out with a token that the service refuses, as after its 15 minutes. Pages call on
 * their own, too: only a named procedure says which call that is.
 */
const expireToken = (page: Page, procedure: string, before: () => Promise<void> = async () => {}) =>
  page.route(
    (url) => url.pathname.startsWith('/api/trpc/') && url.pathname.includes(procedure),
    async (route) => {
      await before();
      await route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer expired.token.here' } });
    },
    { times: 1 },
  );

async function signInByForm(page: Page) {
  await typeInto(page.getByRole('textbox', { name: 'Email address' }), ADMIN.email);
  await typeInto(page.getByRole('textbox', { name: 'Password' }), ADMIN.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('an expired token costs one refresh and one retry, invisible to the user', async ({ adminPage: page }) => {
  await page.goto('/clusters');
  await expect(page.getByRole('grid', { name: 'Clusters' }).getByRole('row').nth(1)).toBeVisible();
  const refreshes: string[] = [];
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('/auth/refresh')) refreshes.push(String(response.status()));
    if (/api\/trpc\/[^?]*workloads\.list/.test(response.url())) statuses.push(response.status());
  });
  await expireToken(page, 'workloads.list');
  await page.getByRole('link', { name: 'Workloads', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row').nth(1)).toBeVisible();
  expect(refreshes).toEqual(['200']);
  expect(statuses).toEqual([401, 200]);
  await expect(page).toHaveURL(/\/workloads$/);
});

test('a session that cannot be renewed leads to the sign-in page and back to the same place', async ({
  adminPage: page,
}) => {
  await page.goto('/workloads?status=running&sort=-vmid');
  const grid = page.getByRole('grid', { name: 'Workloads' });
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seenExpiry: seen });
    window.addEventListener('fabric.authExpired', (event) => seen.push(event.type));
  });
  await page.context().clearCookies();
  await expireToken(page, 'workloads.list');
  await grid.getByRole('button', { name: 'Status' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { seenExpiry: string[] }).seenExpiry)).toEqual([
    'fabric.authExpired',
  ]);
  await signInByForm(page);
  await expect(page).toHaveURL(/\/workloads\?.*status=running/);
  await expect(page).toHaveURL(/sort=status/);
  await expect(grid.getByRole('row').nth(1)).toBeVisible();
});

test('a session that ended because of a reused token says so', async ({ adminPage: page }) => {
  const used = (await page.context().cookies()).find(({ name }) => name === 'fabric_refresh');
  if (!used) throw new Error('signing in sets the refresh cookie');
  await page.goto('/clusters');
  await expect(page.getByRole('grid', { name: 'Clusters' }).getByRole('row').nth(1)).toBeVisible();
  // Another program has the token that the page has already exchanged for a newer one.
  await expireToken(page, 'workloads.list', async () => {
    const stolen = await fetch(`${serviceUrl()}/api/v1/auth/refresh`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ refresh_token: used.value }),
    });
    expect(stolen.status).toBe(401);
  });
  await page.getByRole('link', { name: 'Workloads', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('Session ended: refresh token reused')).toBeVisible();
  await signInByForm(page);
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
});

test('a wrong password is reported immediately; too many lock sign-in and show for how long', async ({ page }) => {
  await page.goto('/login');
  await typeInto(page.getByRole('textbox', { name: 'Email address' }), 'nobody@example.org');
  const password = page.getByRole('textbox', { name: 'Password' });
  const button = page.getByRole('button', { name: 'Sign in' });
  await typeInto(password, 'not the password');
  await button.click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Wrong email address or password');
  await expect(password).toHaveValue('');
  await expect(password).toBeFocused();
  const locked = page.getByRole('timer');
  for (let attempt = 0; attempt < 20 && !(await locked.isVisible()); attempt += 1) {
    await typeInto(password, `guess ${attempt}`);
    const answer = page.waitForResponse((response) => response.url().endsWith('/auth/login'));
    await button.click();
    await answer;
    await expect(button).not.toHaveAttribute('aria-busy', 'true');
  }
  await expect(locked).toContainText('Try again in');
  await expect(button).toHaveAttribute('aria-disabled', 'true');
});

test('the password field warns about Caps Lock', async ({ page }) => {
  await page.goto('/login');
  const password = page.getByRole('textbox', { name: 'Password' });
  await password.focus();
  await password.dispatchEvent('keydown', { key: 'A', modifierCapsLock: true });
  await expect(page.getByText('Caps Lock is on')).toBeVisible();
  await password.dispatchEvent('keyup', { key: 'a' });
  await expect(page.getByText('Caps Lock is on')).toBeHidden();
});

test('the sign-in redirects only to paths of this service', async ({ adminPage: page }) => {
  await page.goto('/login?next=https://evil.example/');
  await expect(page).toHaveURL('/');
  await page.goto('/login?next=//evil.example/x');
  await expect(page).toHaveURL('/');
  await page.goto('/login?next=%2Fnodes%3Fq%3Dpve');
  await expect(page).toHaveURL(/\/nodes\?q=pve$/);
});

test('signing out in one tab ends the session in the others', async ({ adminPage: page }) => {
  const other = await page.context().newPage();
  await page.goto('/clusters');
  await other.goto('/nodes');
  await expect(other.getByRole('heading', { name: 'Nodes' })).toBeVisible();
  await page.getByRole('button', { name: `Account of ${ADMIN.name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  // The server has ended it as well: a reload finds nothing to restore.
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});

test('two tabs that start and expire together never use the same refresh token twice', async ({ adminPage: page }) => {
  const other = await page.context().newPage();
  await Promise.all([page.goto('/clusters'), other.goto('/clusters')]);
  for (const tab of [page, other]) {
    await expect(tab.getByRole('grid', { name: 'Clusters' }).getByRole('row').nth(1)).toBeVisible();
  }
  const refused: number[] = [];
  for (const tab of [page, other]) {
    tab.on('response', (response) => {
      if (response.url().endsWith('/auth/refresh') && !response.ok()) refused.push(response.status());
    });
    await expireToken(tab, 'nodes.list');
  }
  await Promise.all([page, other].map((tab) => tab.getByRole('link', { name: 'Nodes', exact: true }).click()));
  for (const tab of [page, other]) {
    await expect(tab.getByRole('grid', { name: 'Nodes' }).getByRole('row').nth(1)).toBeVisible();
  }
  expect(refused).toEqual([]);
});

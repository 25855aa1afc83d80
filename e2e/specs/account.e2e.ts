import { expect, type Page } from '@playwright/test';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const shot = (page: Page, name: string) => takePicture(page, `account-${name}`);
const PASSWORD = 'a long walk by the river';
const NEXT = 'a short swim in the lake';

test('password, sign-ins and API tokens of an account of its own', async ({ page, api, browser }) => {
  const email = `own-${Date.now()}@example.org`;
  const roles = await api<{ items: { id: string; name: string }[] }>('GET', '/roles');
  const role_id = roles.items.find(({ name }) => name === 'security_engineer')?.id;
  const user = await api<{ id: string }>('POST', '/users', { email, password: PASSWORD, assignments: [{ role_id }] });
  const login = (password: string) =>
    page.context().request.post(`${serviceUrl()}/api/v1/auth/login`, { data: { email, password } });
  expect((await login(PASSWORD)).ok()).toBe(true);
  const elsewhere = await browser.newContext();
  await elsewhere.request.post(`${serviceUrl()}/api/v1/auth/login`, { data: { email, password: PASSWORD } });

  await page.goto('/account?tab=security');
  const sessions = page.getByRole('grid', { name: 'Sessions' });
  await expect(sessions.getByRole('row')).toHaveCount(3);
  await expect(sessions.getByRole('row').filter({ hasText: 'Current' })).toHaveCount(1);
  await typeInto(page.getByRole('textbox', { name: 'Current password' }), 'not the password');
  await typeInto(page.getByRole('textbox', { name: 'New password' }), NEXT);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('The password is wrong.').first()).toBeVisible();
  await shot(page, 'refused');
  await typeInto(page.getByRole('textbox', { name: 'Current password' }), PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('One other session ended.')).toBeVisible();
  await expect(sessions.getByRole('row')).toHaveCount(2);
  expect((await login(PASSWORD)).status()).toBe(401);
  await elsewhere.request.post(`${serviceUrl()}/api/v1/auth/login`, { data: { email, password: NEXT } });
  await page.reload();
  await expect(sessions.getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'End all other sessions' }).click();
  const ask = page.getByRole('alertdialog');
  await expect(ask).toContainText('One other device is signed out immediately.');
  await ask.getByRole('button', { name: 'End all other sessions' }).click();
  await expect(sessions.getByRole('row')).toHaveCount(2);
  await shot(page, 'security');

  await page.getByRole('tab', { name: 'API tokens' }).click();
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  await page.getByRole('button', { name: 'Create token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Create API token' });
  await drawer.getByRole('button', { name: 'Create token' }).click();
  await expect(drawer.getByText('Describe what the token is for.').first()).toBeVisible();
  await expect(drawer.getByText('user:write')).toHaveCount(0);
  await typeInto(drawer.getByLabel('Purpose'), 'e2e script');
  await drawer.getByRole('checkbox', { name: /^policy:read/ }).click();
  await shot(page, 'create-token');
  await drawer.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token e2e script' });
  const token = (await shown.getByRole('region', { name: 'API token' }).textContent()) ?? '';
  expect(token).toMatch(/^fabric_api_[\w-]{43}$/);
  await shot(page, 'new-token');
  await shown.getByRole('button', { name: 'I have copied the token' }).click();
  const call = (path: string) =>
    fetch(`${serviceUrl()}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } }).then(
      ({ status }) => status,
    );
  expect([await call('/policies'), await call('/flows'), await call('/account/tokens')]).toEqual([200, 403, 403]);
  await page.reload();
  const tokens = page.getByRole('grid', { name: 'API tokens' });
  await expect(tokens).toContainText('e2e script');
  await expect(tokens).not.toContainText('Never');
  await expect(page.locator('body')).not.toContainText(token);
  await shot(page, 'tokens');
  await page.getByRole('button', { name: 'Actions for e2e script' }).click();
  await page.getByRole('menuitem', { name: 'Revoke token' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click();
  await expect(page.getByText('No API tokens yet')).toBeVisible();
  expect(await call('/policies')).toBe(401);
  await elsewhere.close();
  await api('DELETE', `/users/${user.id}`);
});

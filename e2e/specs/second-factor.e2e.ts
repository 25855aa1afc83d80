import { expect, type Page } from '@playwright/test';
import { decodeBase32, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const PASSWORD = 'a long walk by the river';
const shot = (page: Page, name: string) => takePicture(page, `second-factor-${name}`);

/** What the app shows; the codes before and after count as well, so that a spec need not wait for the next one. */
const computeCode = (secret: string, drift: -1 | 0 | 1) => totpCode(decodeBase32(secret), stepAt(new Date()) + drift);

/** Starts early in a step of thirty seconds: codes with a drift then stay good while they are typed. */
async function waitForStepStart() {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 15_000) await new Promise((resolve) => setTimeout(resolve, left + 200));
}

async function signInByForm(page: Page, email: string) {
  await page.goto('/login');
  await typeInto(page.getByRole('textbox', { name: 'Email address' }), email);
  await typeInto(page.getByRole('textbox', { name: 'Password' }), PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page, email: string) {
  await page.getByRole('button', { name: `Account of ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
}

const readSecret = async (page: Page) => (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? '';

test('a second factor is set up, requested, replaced by a recovery code, and removed', async ({
  page,
  api,
  browser,
}) => {
  const email = `factor-${Date.now()}@example.org`;
  const roles = await api<{ items: { id: string; name: string }[] }>('GET', '/roles');
  const role_id = roles.items.find(({ name }) => name === 'viewer')?.id;
  const user = await api<{ id: string }>('POST', '/users', { email, password: PASSWORD, assignments: [{ role_id }] });
  await signInByForm(page, email);
  await expect(page).toHaveURL('/');
  await page.goto('/account?tab=security');
  await expect(page.getByText('Not set up. Anyone who knows your password can sign in.')).toBeVisible();
  await page.getByRole('button', { name: 'Set up a second factor' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up a second factor' });
  await expectAccessible(page, 'beginning');
  await dialog.getByRole('button', { name: 'Show QR code' }).click();
  await expect(dialog.getByRole('img', { name: /QR code of the secret/ })).toBeVisible();
  const secret = await readSecret(page);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  await expectAccessible(page, 'the QR code');
  await shot(page, 'qr');
  const code = dialog.getByRole('textbox', { name: 'Code from the app' });
  await typeInto(code, 'abc');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(dialog.getByText('Enter the six digits that the app shows.').first()).toBeVisible();
  await waitForStepStart();
  await typeInto(code, computeCode(secret, -1));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const [recovery = ''] = await codes.allTextContents();
  await expectAccessible(page, 'recovery codes');
  await shot(page, 'recovery-codes');
  await dialog.getByRole('button', { name: 'I have saved the codes' }).click();
  await expect(page.getByText('Recovery codes left')).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Sessions' })).toContainText('Password and code');
  await shot(page, 'account');

  await signOut(page, email);
  await signInByForm(page, email);
  await expect(page.getByRole('heading', { name: 'Enter a code' })).toBeVisible();
  const asked = page.getByRole('textbox', { name: 'Code' });
  await expect(asked).toBeFocused();
  await expectAccessible(page, 'the code form');
  await typeInto(asked, '000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Wrong code');
  await expect(asked).toHaveValue('');
  await shot(page, 'code-refused');
  await typeInto(asked, computeCode(secret, 0));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL('/');

  const phone = await browser.newContext({ baseURL: serviceUrl(), viewport: { width: 390, height: 800 } });
  const small = await phone.newPage();
  await signInByForm(small, email);
  await typeInto(small.getByRole('textbox', { name: 'Code' }), recovery.toLowerCase());
  await shot(small, 'code-390');
  await small.getByRole('button', { name: 'Continue' }).click();
  await expect(small).toHaveURL('/');
  await small.goto('/account?tab=security');
  await expect(small.getByText('Recovery codes left')).toBeVisible();
  await small.getByRole('button', { name: 'New recovery codes' }).click();
  // The page has a field of that name as well, until the dialog is there.
  const renewal = small.getByRole('dialog', { name: 'New recovery codes' });
  await typeInto(renewal.getByRole('textbox', { name: 'Current password' }), PASSWORD);
  await renewal.getByRole('button', { name: 'Create new codes' }).click();
  await expect(small.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  expect(await small.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shot(small, 'new-codes-390');
  await phone.close();

  await page.context().clearCookies();
  await api('DELETE', `/users/${user.id}/second-factor`);
  await signInByForm(page, email);
  await expect(page).toHaveURL('/');
  await api('DELETE', `/users/${user.id}`);
});

test('a role that requires a second factor permits only its setup until it exists', async ({
  page,
  adminPage: admin,
  api,
}) => {
  const stamp = Date.now();
  const email = `strict-${stamp}@example.org`;
  const role = await api<{ id: string }>('POST', '/roles', {
    name: `strict_${stamp}`,
    title: 'Careful reader',
    permissions: ['cluster:read', 'workload:read', 'flow:read', 'policy:read'],
  });
  const user = await api<{ id: string }>('POST', '/users', {
    email,
    password: PASSWORD,
    assignments: [{ role_id: role.id }],
  });
  await admin.goto(`/roles/${role.id}`);
  await admin.getByRole('button', { name: 'Edit' }).click();
  const drawer = admin.getByRole('dialog', { name: 'Edit Careful reader' });
  const title = drawer.getByRole('textbox', { name: 'Title' });
  await typeInto(title, 'Mine');
  await api('PATCH', `/roles/${role.id}`, { permissions: ['cluster:read', 'workload:read', 'flow:read'] });
  await drawer.getByRole('button', { name: 'Save role' }).click();
  await expect(drawer.getByText('Changed by another user')).toBeVisible();
  await drawer.getByRole('button', { name: 'Load current version' }).click();
  await expect(title).toHaveValue('Careful reader');
  await drawer.getByRole('checkbox', { name: 'Require a second factor' }).click();
  await drawer.getByRole('button', { name: 'Save role' }).click();
  await expect(admin.getByText('Role saved')).toBeVisible();
  await admin.goto(`/users/${user.id}`);
  await expect(admin.getByText('Required at next sign-in')).toBeVisible();
  await shot(admin, 'user');

  await page.context().clearCookies();
  await signInByForm(page, email);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await expect(page.getByText('Careful reader: this role requires a second factor.')).toBeVisible();
  await page.goto('/clusters');
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await expectAccessible(page, 'the screen in place of every page');
  await shot(page, 'required');
  await page.getByRole('button', { name: 'Show QR code' }).click();
  const secret = await readSecret(page);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shot(page, 'required-390');
  await page.setViewportSize({ width: 1440, height: 900 });
  await typeInto(page.getByRole('textbox', { name: 'Code from the app' }), computeCode(secret, 0));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'I have saved the codes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Clusters' })).toBeVisible();
  await openPage(page, '/account?tab=security');
  await expect(page.getByRole('button', { name: 'Disable second factor' })).toHaveAttribute('aria-disabled', 'true');
  await api('DELETE', `/users/${user.id}`);
  await api('DELETE', `/roles/${role.id}`);
});

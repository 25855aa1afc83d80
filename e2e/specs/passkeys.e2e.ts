import { type CDPSession, expect, type Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import { expectAccessible } from '../fixtures/axe';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';
import { typeInto } from '../fixtures/type-into';

const PASSWORD = 'a long walk by the river';
const shot = (page: Page, name: string) => takePicture(page, `passkeys-${name}`, { fullPage: true });

/** Browsers accept no address as the site of a passkey: the installation is opened by name. */
const siteUrl = () => serviceUrl().replace('127.0.0.1', 'localhost');

/** Chromium's virtual authenticator, as one built into the device. */
async function addAuthenticator(cdp: CDPSession): Promise<string> {
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return authenticatorId;
}

async function openAuthenticators(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  return cdp;
}

async function signInByForm(page: Page, email: string) {
  await page.goto(`${siteUrl()}/login`);
  await typeInto(page.getByRole('textbox', { name: 'Email address' }), email);
  await typeInto(page.getByRole('textbox', { name: 'Password' }), PASSWORD);
  await page.keyboard.press('Enter');
}

async function addPasskey(page: Page, name: string) {
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add passkey' });
  await typeInto(dialog.getByRole('textbox', { name: 'Name of the passkey' }), name);
  await page.keyboard.press('Enter');
  return dialog;
}

/** Removes a passkey in the table, with the password. */
async function removePasskey(page: Page, name: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: `Remove passkey ${name}?` });
  await typeInto(dialog.getByRole('textbox', { name: 'Current password' }), PASSWORD);
  await dialog.getByRole('button', { name: 'Remove passkey' }).click();
  await expect(dialog).toHaveCount(0);
}

/** Sets the URL of the installation, by which browsers know where a passkey belongs; null removes it. */
async function setPublicUrl(api: Api, public_url: string | null) {
  const { version } = await api<{ version: number }>('GET', '/settings/notifications');
  await api('PATCH', '/settings/notifications', { public_url, version });
}

test.afterEach(({ api }) => setPublicUrl(api, null));

test('passkeys are added, used, renamed and removed, also the last one', async ({ page, adminPage: admin, api }) => {
  const email = `keys-${Date.now()}@example.org`;
  const roles = await api<{ items: { id: string; name: string }[] }>('GET', '/roles');
  const role_id = roles.items.find(({ name }) => name === 'viewer')?.id;
  const user = await api<{ id: string }>('POST', '/users', { email, password: PASSWORD, assignments: [{ role_id }] });
  await admin.goto('/account?tab=security');
  await expect(admin.getByText('No passkeys yet')).toBeVisible();
  const add = admin.getByRole('button', { name: 'Add passkey' });
  await expect(add).toHaveAttribute('aria-disabled', 'true');
  await expect(add).toHaveAccessibleDescription(/need the URL of this service/);
  await setPublicUrl(api, siteUrl());
  await admin.reload();
  await expect(add).toHaveAccessibleDescription(`Open Fabric at ${siteUrl()} to use passkeys`);

  await page.context().clearCookies();
  const cdp = await openAuthenticators(page);
  const laptop = await addAuthenticator(cdp);
  await signInByForm(page, email);
  await expect(page).toHaveURL(`${siteUrl()}/`);
  await page.goto(`${siteUrl()}/account?tab=security`);
  const first = await addPasskey(page, 'Laptop');
  await expect(first.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
  const [recovery = ''] = await first.getByRole('listitem').allTextContents();
  await first.getByRole('button', { name: 'I have saved the codes' }).click();
  const table = page.getByRole('grid', { name: 'Passkeys' });
  await expect(table).toContainText('Laptop');
  await expect(page.getByRole('grid', { name: 'Sessions' })).toContainText('Password and passkey');
  // The same authenticator has one for this account already.
  const again = await addPasskey(page, 'Laptop again');
  await expect(again.getByText('Passkey already added')).toBeVisible();
  await expectAccessible(page, 'a passkey that exists');
  await again.getByRole('button', { name: 'Cancel' }).click();
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: laptop });
  const phone = await addAuthenticator(cdp);
  const second = await addPasskey(page, 'Phone');
  await expect(second).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Phone' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const renaming = page.getByRole('dialog', { name: 'Rename passkey' });
  await typeInto(renaming.getByRole('textbox', { name: 'Name of the passkey' }), 'Blue phone');
  await page.keyboard.press('Enter');
  await expect(table).toContainText('Blue phone');
  // Without toasts and tooltips.
  await page.reload();
  await expect(table).toContainText('Blue phone');
  await expectAccessible(page, 'the table of passkeys');
  await shot(page, 'account');

  await page.context().clearCookies();
  await signInByForm(page, email);
  const use = page.getByRole('button', { name: 'Use passkey' });
  await expect(use).toBeFocused();
  await expectAccessible(page, 'the request for a passkey');
  await shot(page, 'sign-in');
  // Nothing answers: refused, and the way to a code stays.
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: phone, isUserVerified: false });
  await page.keyboard.press('Enter');
  await expect(page.getByText('No passkey received')).toBeVisible();
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId: phone, isUserVerified: true });
  await use.click();
  await expect(page).toHaveURL(`${siteUrl()}/`);

  await page.goto(`${siteUrl()}/account?tab=security`);
  await removePasskey(page, 'Blue phone');
  await expect(table).not.toContainText('Blue phone');
  await page.context().clearCookies();
  // The last one is lost: its authenticator is gone, and a recovery code takes its place.
  await signInByForm(page, email);
  await page.getByRole('button', { name: 'Enter a code instead' }).click();
  await typeInto(page.getByRole('textbox', { name: 'Code' }), recovery);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${siteUrl()}/`);
  await page.goto(`${siteUrl()}/account?tab=security`);
  await removePasskey(page, 'Laptop');
  await expect(page.getByText('Not set up. Anyone who knows your password can sign in.')).toBeVisible();
  await expect(page.getByText('No passkeys yet')).toBeVisible();
  await api('DELETE', `/users/${user.id}`);
});

test('a required second factor is set up with a passkey, stays required, and is reset', async ({ page, api }) => {
  const stamp = Date.now();
  const email = `strict-key-${stamp}@example.org`;
  await setPublicUrl(api, siteUrl());
  const role = await api<{ id: string }>('POST', '/roles', {
    ...{ name: `strict_key_${stamp}`, title: 'Careful reader', requires_second_factor: true },
    permissions: ['cluster:read', 'workload:read', 'flow:read', 'policy:read'],
  });
  const assignments = [{ role_id: role.id }];
  const user = await api<{ id: string }>('POST', '/users', { email, password: PASSWORD, assignments });
  await page.context().clearCookies();
  await page.setViewportSize({ width: 390, height: 800 });
  const cdp = await openAuthenticators(page);
  await addAuthenticator(cdp);
  await signInByForm(page, email);
  await page.getByRole('button', { name: 'Use a passkey instead' }).click();
  await typeInto(page.getByRole('textbox', { name: 'Name of the passkey' }), 'Phone');
  await expectAccessible(page, 'the forced setup with a passkey');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await shot(page, 'required-390');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have saved the codes' }).click();
  await expect(page).toHaveURL(`${siteUrl()}/`);
  await page.goto(`${siteUrl()}/account?tab=security`);
  const actions = page.getByRole('button', { name: 'Actions for Phone' });
  await expect(actions).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await actions.scrollIntoViewIfNeeded();
  await shot(page, 'account-390');
  await setTheme(page, 'dark');
  await expectAccessible(page, 'the account in the dark theme');
  await shot(page, 'account-390-dark');
  await actions.click();
  await expect(page.getByRole('menuitem', { name: 'Remove' })).toHaveAttribute('aria-disabled', 'true');
  await api('DELETE', `/users/${user.id}/second-factor`);
  await page.context().clearCookies();
  await signInByForm(page, email);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  await api('DELETE', `/users/${user.id}`);
  await api('DELETE', `/roles/${role.id}`);
});

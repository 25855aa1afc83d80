import { expect, type Page } from '@playwright/test';
import { decodeBase32, stepAt, totpCode } from '@/server/auth/one-time-codes';
import { OIDC_CLIENT, startOidcProvider } from '@/test/oidc-provider';
import { expectAccessible } from '../fixtures/axe';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const shot = (page: Page, name: string) => takePicture(page, `sign-in-provider-${name}`, { fullPage: true });

/** The provider still knows who one is, and sends the browser straight back. */
const signInAgain = (page: Page) => page.getByRole('link', { name: 'Sign in with Example Inc.' }).click();

/** Goes the way through the provider, and is `sub` there. */
async function signInAs(page: Page, sub: string) {
  await page.getByRole('link', { name: 'Sign in with Example Inc.' }).click();
  await expect(page.getByRole('heading', { name: 'Who are you?' })).toBeVisible();
  await page.getByRole('link', { name: sub, exact: true }).click();
}

test('people sign in with the account of their organization, with the roles of their groups', async ({
  adminPage: admin,
  api,
  browser,
}) => {
  const provider = await startOidcProvider(() => `${serviceUrl()}/api/v1/auth/oidc/callback`, 'localhost');
  const email = `alice-${Date.now()}@example.org`;
  provider.people.set('alice', { email, email_verified: true, name: 'Alice', groups: ['readers'] });
  try {
    await admin.goto('/sign-in-provider');
    await expect(admin.getByRole('heading', { level: 1, name: 'Sign-in provider' })).toBeVisible();
    await admin.getByRole('checkbox', { name: 'Enable sign-in with this provider' }).click();
    await typeInto(admin.getByRole('textbox', { name: 'Name', exact: true }), 'Example Inc.');
    const issuer = admin.getByRole('textbox', { name: 'Issuer' });
    await typeInto(issuer, 'https://169.254.169.254');
    await admin.getByRole('button', { name: 'Check issuer' }).click();
    await expect(admin.getByText(/is not an allowed target/)).toBeVisible();
    await typeInto(issuer, provider.issuer);
    await admin.getByRole('button', { name: 'Check issuer' }).click();
    await expect(admin.getByText('Provider reachable')).toBeVisible();
    await admin.getByRole('button', { name: 'Save provider' }).click();
    await expect(admin.getByText('Enter the client ID.').first()).toBeVisible();
    await typeInto(admin.getByRole('textbox', { name: 'Client ID' }), OIDC_CLIENT.client_id);
    await typeInto(admin.getByRole('textbox', { name: 'Client secret' }), OIDC_CLIENT.client_secret);
    await typeInto(admin.getByRole('textbox', { name: 'Scopes' }), 'openid profile email groups');
    await expect(admin.getByRole('region', { name: 'Redirect URI' })).toContainText('/api/v1/auth/oidc/callback');
    await admin.getByRole('checkbox', { name: 'Create an account at the first sign-in' }).click();
    await admin.getByRole('button', { name: 'Add group' }).click();
    await typeInto(admin.getByRole('textbox', { name: 'Group', exact: true }), 'readers');
    await typeInto(admin.getByRole('combobox', { name: 'Role' }), 'Viewer');
    await admin.getByRole('option', { name: 'Viewer' }).click();
    await typeInto(admin.getByRole('combobox', { name: 'Scope' }), 'Whole');
    await admin.getByRole('option', { name: 'Whole installation' }).click();
    await expectAccessible(admin, 'the form of the provider');
    await admin.getByRole('button', { name: 'Save provider' }).click();
    await expect(admin.getByText('Saved. Sign-in with the provider is enabled')).toBeVisible();
    await shot(admin, 'settings');
    await admin.reload();
    await expect(admin.getByRole('textbox', { name: 'Client secret' })).toHaveValue('');
    await expect(admin.getByRole('textbox', { name: 'Group', exact: true })).toHaveValue('readers');
    await expect(admin.locator('body')).not.toContainText(OIDC_CLIENT.client_secret);
    await admin.setViewportSize({ width: 390, height: 844 });
    expect(await admin.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await shot(admin, 'settings-390');
    await admin.setViewportSize({ width: 1440, height: 900 });

    const context = await browser.newContext({ baseURL: serviceUrl() });
    const page = await context.newPage();
    await page.goto('/clusters');
    await expect(page.getByRole('link', { name: 'Sign in with Example Inc.' })).toBeVisible();
    await expectAccessible(page, 'the sign-in page');
    await shot(page, 'login');
    await page.evaluate(() => {
      document.documentElement.dataset.theme = 'dark';
    });
    await expectAccessible(page, 'the sign-in page in the dark');
    await shot(page, 'login-dark');
    await signInAs(page, 'nobody');
    await expect(page.getByRole('alert').filter({ hasText: 'Sign-in refused by the provider' })).toBeVisible();
    await shot(page, 'refused');
    await signInAs(page, 'alice');
    await expect(page.getByRole('heading', { level: 1, name: 'Clusters' })).toBeVisible();
    await expect(page).toHaveURL(/\/clusters$/);
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Clusters' })).toBeVisible();

    await page.goto('/account?tab=security');
    await expect(page.getByText('Your account has no password')).toBeVisible();
    await expect(page.getByRole('grid', { name: 'Sessions' })).toContainText('Sign-in provider');
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('button', { name: 'Show QR code' }).click();
    const secret = decodeBase32((await page.getByRole('region', { name: 'Secret' }).textContent()) ?? '');
    const computeCode = (drift: number) => totpCode(secret, stepAt(new Date()) + drift);
    await typeInto(page.getByRole('textbox', { name: 'Code from the app' }), computeCode(0));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I have saved the codes' }).click();
    await page.getByRole('button', { name: 'Account of Alice' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInAgain(page);
    await expect(page.getByRole('heading', { name: 'Enter a code' })).toBeVisible();
    await typeInto(page.getByRole('textbox', { name: 'Code' }), computeCode(1));
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('button', { name: 'Account of Alice' })).toBeVisible();

    const { items } = await api<{ items: { id: string }[] }>('GET', `/users?q=${email}`);
    await admin.goto(`/users/${items[0]?.id}`);
    await expect(admin.getByText('From group claim')).toBeVisible();
    await expect(admin.getByText('None: sign-in provider only')).toBeVisible();
    await shot(admin, 'user');
    await admin.getByRole('button', { name: 'Unlink' }).click();
    await admin.getByRole('button', { name: 'Unlink account' }).click();
    await expect(admin.getByText('Account unlinked')).toBeVisible();
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await signInAgain(page);
    await expect(page.getByText('Another account has your email address')).toBeVisible();
    await context.close();
    await api('DELETE', `/users/${items[0]?.id}`);
  } finally {
    const stored = await api<Record<string, unknown>>('GET', '/settings/sign-in-provider');
    if (stored.configured) {
      const { configured: _, has_client_secret: __, updated_at: ___, ...rest } = stored;
      await api('PUT', '/settings/sign-in-provider', { ...rest, enabled: false, mappings: [] });
    }
    await provider.stop();
  }
});

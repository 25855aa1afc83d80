import { expect, type Page } from '@playwright/test';
import { BIND, findSlapdProblem, GROUPS, PEOPLE, startSlapd } from '@/test/slapd';
import { expectAccessible } from '../fixtures/axe';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';
import { pasteInto, typeInto } from '../fixtures/type-into';

const shot = (page: Page, name: string) => takePicture(page, `directory-${name}`, { fullPage: true });
const slapdProblem = findSlapdProblem();

test('a directory is set up and tested, and its users sign in with the roles of their groups', async ({
  page,
  adminPage: admin,
  api,
}) => {
  test.skip(slapdProblem !== null, slapdProblem ?? '');
  const slapd = await startSlapd();
  try {
    await slapd.addGroup('net', [await slapd.addPerson('dora', 'dora secret'), `uid=none,${PEOPLE}`]);
    await slapd.addPerson('emil', 'emil secret');
    await admin.goto('/sign-in-provider?tab=directory');
    const field = (name: string) => admin.getByRole('textbox', { name, exact: true });
    await typeInto(field('Servers'), slapd.urls.tls);
    await pasteInto(admin.getByRole('textbox', { name: /^CA certificate/ }), slapd.ca);
    await typeInto(field('Bind DN'), BIND.dn);
    await typeInto(field('Bind password'), 'not the password');
    await typeInto(field('Base DN of users'), PEOPLE);
    await typeInto(field('Base DN of groups'), GROUPS);
    const lookup = admin.getByRole('button', { name: 'Test connection' });
    await expect(lookup).toHaveAttribute('aria-disabled', 'true');
    await typeInto(field('User name'), 'dora');
    await lookup.click();
    await expect(admin.getByText(/refused the bind account/)).toBeVisible();
    await typeInto(field('Bind password'), BIND.password);
    await admin.getByRole('button', { name: 'Add group' }).click();
    await typeInto(field('Group'), 'net');
    await typeInto(admin.getByRole('combobox', { name: 'Role' }), 'Viewer');
    await admin.getByRole('option', { name: 'Viewer' }).click();
    await typeInto(admin.getByRole('combobox', { name: 'Scope' }), 'Whole');
    await admin.getByRole('option', { name: 'Whole installation' }).click();
    // Enter in the test's field tests, and does not save the form around it.
    await field('User name').press('Enter');
    await expect(admin.getByText('User found')).toBeVisible();
    expect(await api('GET', '/settings/directory')).toMatchObject({ configured: false });
    await expect(admin.getByText(`cn=net,${GROUPS}`)).toBeVisible();
    await expectAccessible(admin, 'the form of the directory');
    await shot(admin, 'settings');
    await admin.getByRole('checkbox', { name: 'Enable sign-in with this directory' }).click();
    await admin.getByRole('button', { name: 'Save directory' }).click();
    await expect(admin.getByText('Directory saved')).toBeVisible();
    await setTheme(admin, 'dark');
    await admin.setViewportSize({ width: 390, height: 800 });
    expect(await admin.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectAccessible(admin, 'the form in the dark theme');
    await shot(admin, 'settings-390-dark');

    await page.context().clearCookies();
    await page.goto('/login');
    const name = page.getByRole('textbox', { name: 'Email address' });
    await typeInto(name, 'emil');
    await typeInto(page.getByRole('textbox', { name: 'Password' }), 'emil secret');
    await page.keyboard.press('Enter');
    await expect(page.getByText(/None of your directory groups gives access/)).toBeVisible();
    await shot(page, 'no-group');
    await typeInto(name, 'dora');
    await typeInto(page.getByRole('textbox', { name: 'Password' }), 'dora secret');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/');
    const listed = await api<{ items: { id: string; has_password: boolean }[] }>('GET', '/users?q=dora@example.org');
    expect(listed.items.map(({ has_password }) => has_password)).toEqual([false]);
    await api('DELETE', `/users/${listed.items[0]?.id}`);
    const { version, ...stored } = await api<{ version: number; configured: boolean } & Record<string, unknown>>(
      'GET',
      '/settings/directory',
    );
    const { configured: _, has_bind_password: __, updated_at: ___, ...fields } = stored;
    await api('PUT', '/settings/directory', { ...fields, enabled: false, mappings: [], version });
  } finally {
    await slapd.remove();
  }
});

import { expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { ADMIN } from '../fixtures/service';
import { signIn, test } from '../fixtures/test';

const language = (page: Page) => page.locator('html').getAttribute('lang');

test('the account menu chooses the language of all pages', async ({ adminPage: page }) => {
  await page.goto('/security-groups');
  await page.getByRole('button', { name: `Account of ${ADMIN.name}` }).click();
  await expect(page.getByRole('menuitemradio', { name: 'English' })).toBeChecked();
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  const sections = page.getByRole('navigation', { name: 'Bereiche' });
  await expect(sections.getByRole('link', { name: 'Richtlinien', exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Gruppen' })).toBeVisible();
  await expect(page).toHaveTitle('Gruppen · Fabric');
  expect(await language(page)).toBe('de');
  await expectAccessible(page, 'a list in German');

  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Gruppen' })).toBeVisible();
  await sections.getByRole('link', { name: 'Einstellungen' }).click();
  await expect(page).toHaveTitle('Einstellungen · Fabric');

  // The palette knows the words of both languages.
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Befehlspalette' });
  await page.keyboard.type('security gr');
  await expect(palette.getByRole('option', { name: 'Gruppen' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();

  await page.getByRole('button', { name: `Konto von ${ADMIN.name}` }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
  await expect(page).toHaveTitle('Settings · Fabric');
  expect(await language(page)).toBe('en');
});

test.describe('a browser that asks for French', () => {
  test.use({ locale: 'fr-FR' });

  test('gets it before the user has chosen a language, and when signed in as well', async ({ page }) => {
    await page.goto('/login');
    await expect(page.getByRole('heading', { name: 'Se connecter' })).toBeVisible();
    await expect(page).toHaveTitle('Se connecter · Fabric');
    expect(await language(page)).toBe('fr');
    await signIn(page);
    await page.goto('/policies');
    await expect(page.getByRole('heading', { level: 1, name: 'Politiques' })).toBeVisible();
  });
});

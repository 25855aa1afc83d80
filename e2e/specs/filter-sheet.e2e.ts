import { expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { expectLargeTargets } from '../fixtures/layout';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';
import { typeInto } from '../fixtures/type-into';

test.use({ viewport: { width: 390, height: 844 } });

async function checkSheet(page: Page, name: string): Promise<void> {
  // A phone has no pointer whose tooltip could be in the way.
  await page.mouse.move(195, 5);
  await expect(page.getByRole('tooltip')).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectLargeTargets(page, name);
  for (const theme of ['dark', 'light']) {
    await setTheme(page, theme);
    await expectAccessible(page, `${name}, ${theme}`);
    await takePicture(page, `filter-sheet-${name}-${theme}`);
  }
}

test('filters a list on a phone: adds, changes, removes and clears in the sheet and by chips', async ({
  adminPage: page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/workloads');
  const bar = page.getByRole('search').first();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  const field = (name: string) => sheet.getByRole('button', { name: new RegExp(`^${name}`), expanded: false });
  await expect(bar.getByRole('button', { name: 'Filter', exact: true })).toBeHidden();

  await bar.getByRole('button', { name: 'Filters', exact: true }).click();
  await expect(sheet).toBeVisible();
  await checkSheet(page, 'opened');
  await field('Status').click();
  await checkSheet(page, 'choices');
  await sheet.getByRole('option', { name: 'Running' }).click();
  await field('Tag').click();
  await typeInto(sheet.getByRole('textbox', { name: 'Tag' }), 'no-such-tag');
  await checkSheet(page, 'typed');
  await page.keyboard.press('Enter');
  await expect(sheet.getByRole('textbox', { name: 'Tag' })).toBeHidden();
  await checkSheet(page, 'set');
  await sheet.getByRole('button', { name: 'Show results' }).click();
  await expect(sheet).toBeHidden();
  await expect(page).toHaveURL(/status=running/);
  await expect(page).toHaveURL(/tag=no-such-tag/);
  await expect(page.getByText('No workloads match')).toBeVisible();
  await checkSheet(page, 'chips');

  await bar.getByRole('button', { name: 'Remove filter Tag' }).click();
  await expect(bar.getByRole('button', { name: 'Filters (1)' })).toBeFocused();
  await expect(page).not.toHaveURL(/tag=/);
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('row').nth(1)).toBeVisible();

  // A chip opens its choices in the sheet.
  await bar.getByRole('button', { name: 'Status: Running' }).click();
  await sheet.getByRole('option', { name: 'Stopped' }).click();
  await sheet.getByRole('button', { name: 'Show results' }).click();
  await expect(bar.getByRole('button', { name: 'Status: Stopped' })).toBeVisible();

  await bar.getByRole('button', { name: 'Filters (1)' }).click();
  await sheet.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(field('Status')).toContainText('Any');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(bar.getByRole('button', { name: 'Filters', exact: true })).toBeVisible();
  await expect(page).not.toHaveURL(/status=/);
});

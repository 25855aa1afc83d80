import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('policies are suggested from conversations, adjusted, and become a change that enforces nothing', async ({
  task: { page },
}) => {
  test.setTimeout(300_000);
  const settled = () => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await openPage(page, '/policies');
  await page.getByRole('link', { name: 'Suggest policies' }).click();
  await typeInto(page.getByRole('combobox', { name: 'Project' }), 'Web shop');
  await page.getByRole('option', { name: /Web shop/ }).click();
  await page.getByRole('button', { name: 'Suggest policies' }).click();

  await expect(page.getByRole('heading', { name: 'Coverage and tightness' })).toBeVisible({ timeout: 120_000 });
  await expect(page.getByRole('meter', { name: 'Coverage, training part' })).toHaveAttribute('aria-valuenow', '1');
  await expect(page.getByRole('meter', { name: 'Coverage, held-out part' })).toHaveAttribute('aria-valuenow', /[01]/);
  await settled();
  await expectAccessible(page, 'a suggestion');
  await takePicture(page, 'suggestion', { folder: 'tour' });

  await test.step('The slider changes both scores', async () => {
    const tightness = page.getByRole('meter', { name: 'Tightness' });
    const slider = page.getByRole('slider', { name: 'Tightness' });
    await slider.press('Home');
    await expect(slider).toHaveValue('0');
    const broad = Number(await tightness.getAttribute('aria-valuenow'));
    await slider.press('End');
    await expect.poll(async () => Number(await tightness.getAttribute('aria-valuenow'))).toBeGreaterThan(broad);
    await settled();
    await page.getByRole('button', { name: 'Use recommended' }).click();
    await expect(page.getByRole('button', { name: 'Use recommended' })).toHaveCount(0);
  });

  await test.step('Groups are merged, and the edit is discarded', async () => {
    const boxes = page.getByRole('checkbox', { name: /^Select / });
    const count = await boxes.count();
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    await page.getByRole('button', { name: 'Merge groups' }).click();
    await expect(boxes).toHaveCount(count - 1);
    await expect(page.getByText(new RegExp(`^${count - 1} groups, `))).toBeVisible();
    await page.getByRole('button', { name: 'Discard edits' }).click();
    await expect(boxes).toHaveCount(count);
    await expect(page.getByText(new RegExp(`^${count} groups, `))).toBeVisible();
  });

  await page.getByRole('button', { name: 'Create change' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Suggested policies for / })).toBeVisible();
  await expect(page).toHaveURL(/\/changes\//);
});

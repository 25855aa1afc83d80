import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('policies are suggested from conversations, adjusted, and become a change that enforces nothing', async ({
  task: { page },
  api,
}) => {
  // The history of the demo is delivered in minutes, the oldest first. Its beginning is enough, except for a picture.
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const hasFlows = async (from: number, to: number) => {
    const query = new URLSearchParams({ since: ago(from), until: ago(to), group_by: 'workloads', limit: '1' });
    return (await api<{ total: number }>('GET', `/flows/groups?${query}`)).total > 20;
  };
  const waiting = { intervals: [2_000] };
  await expect.poll(() => hasFlows(450, 420), waiting).toBe(true);
  if (process.env.FABRIC_E2E_PICTURES === 'true') await expect.poll(() => hasFlows(90, 75), waiting).toBe(true);

  const settled = () => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await openPage(page, '/policies');
  await page.getByRole('link', { name: 'Suggest policies' }).click();
  await typeInto(page.getByRole('combobox', { name: 'Project' }), 'Web shop');
  await page.getByRole('option', { name: /Web shop/ }).click();
  await page.getByRole('button', { name: 'Suggest policies' }).click();

  await expect(page.getByRole('heading', { name: 'Coverage and tightness' })).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Coverage, training part' })).toHaveAttribute('aria-valuenow', '1');
  const held = page.getByRole('meter', { name: 'Coverage, held-out part' });
  await expect(held).toHaveAttribute('aria-valuenow', /[01]/);
  await settled();

  await test.step('Customers come from anywhere, which covers those that were not seen yet', async () => {
    const before = Number(await held.getAttribute('aria-valuenow'));
    for (const service of ['tcp/80', 'tcp/443']) {
      await page
        .getByRole('combobox', { name: `Clients of ${service}` })
        .first()
        .click();
      await page.getByRole('option', { name: 'Anywhere' }).click();
      await settled();
    }
    await expect.poll(async () => Number(await held.getAttribute('aria-valuenow'))).toBeGreaterThan(before);
  });
  await expectAccessible(page, 'a suggestion');

  await test.step('The slider changes both scores', async () => {
    const tightness = page.getByRole('meter', { name: 'Tightness' });
    const slider = page.getByRole('slider', { name: 'Tightness' });
    await slider.press('Home');
    await expect(slider).toHaveValue('0');
    const broad = Number(await tightness.getAttribute('aria-valuenow'));
    await slider.press('End');
    await expect.poll(async () => Number(await tightness.getAttribute('aria-valuenow'))).toBeGreaterThan(broad);
    await settled();
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
    await takePicture(page, 'suggestion', { folder: 'tour' });
    await page.getByRole('button', { name: 'Use recommended' }).click();
    await expect(page.getByRole('button', { name: 'Use recommended' })).toHaveCount(0);
  });

  await test.step('Groups are merged, and the edit is discarded', async () => {
    await page.getByRole('slider', { name: 'Tightness' }).press('End');
    await settled();
    const boxes = page.getByRole('checkbox', { name: /^Select / });
    await expect.poll(() => boxes.count()).toBeGreaterThan(1);
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

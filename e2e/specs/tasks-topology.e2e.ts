import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { clickDrawnShape } from '../fixtures/click-drawn-shape';
import { test } from '../fixtures/test';

test('the dashboard names who connects from outside (no click), and two clicks show the map of one project', async ({
  task: { page, clicks },
}) => {
  await test.step('who connects from outside: 0 clicks, without scrolling', async () => {
    const table = page.getByRole('region', { name: 'Connections from outside' }).getByRole('table');
    const row = table.getByRole('row').nth(1);
    await expect(row).toBeVisible();
    const [source, workload, service, outcome] = await row.locator('th, td').allInnerTexts();
    expect(source).toMatch(/^[0-9a-f.:]+\/(24|48)$/);
    expect(workload).toMatch(/\S/);
    expect(service).toMatch(/^[a-z0-9]+(\/\d+)?$/);
    expect(outcome).toMatch(/^(Allowed|Dropped|Would be dropped|Not filtered)/);
    await expect(row).toBeInViewport({ ratio: 1 });
    expect(clicks()).toBe(0);
  });

  await test.step('map of one project: 2 clicks', async () => {
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Topology' }).click();
    await clickDrawnShape(page.getByRole('button', { name: /^Expand Web shop: / }));
    const details = page.getByRole('complementary', { name: 'Details of Web shop' });
    await expect(details.getByRole('button', { name: 'Collapse' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Collapse Web shop' })).toBeAttached();
    expect(clicks()).toBeLessThanOrEqual(2);
    await expectAccessible(page, 'the map of one project');
  });
});

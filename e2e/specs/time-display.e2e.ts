import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

// Its offset has half an hour, so that no minute of UTC is one of this zone.
const ZONE = 'Australia/Adelaide';
test.use({ timezoneId: ZONE });

const formatMinute = (zone: string, at: string) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone }).format(new Date(at));

test('shows times as the account menu says: relative or absolute, local or UTC', async ({ adminPage: page }) => {
  const newest = page.getByRole('grid', { name: 'Audit records' }).locator('time').first();
  const shown = () =>
    newest.evaluate((element: HTMLTimeElement) => ({
      at: element.dateTime,
      text: element.textContent ?? '',
      others: element.title,
    }));
  const choose = async (name: string | RegExp) => {
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitemradio', { name }).click();
    await expect(page.getByRole('menuitemradio', { name })).toBeHidden();
  };
  await page.goto('/audit');
  await expect(newest).toHaveText(/ago|now/);
  // The tooltip has the other forms.
  const relative = await shown();
  expect(relative.others).toContain(`${formatMinute(ZONE, relative.at)}:`);
  expect(relative.others).toContain(`${formatMinute('UTC', relative.at)}:`);

  await choose('Absolute: date and time');
  await expect(newest).toHaveText(/\d\d:\d\d/);
  const local = await shown();
  expect(local.text).toContain(formatMinute(ZONE, local.at));
  expect(local.others).toMatch(/ago|now/);

  await choose('UTC');
  await expect(newest).toHaveText(/Z$/);
  const utc = await shown();
  expect(utc.text).toContain(formatMinute('UTC', utc.at));
  expect(utc.others).toContain(`${formatMinute(ZONE, utc.at)}:`);

  // It stays for later visits, and ranges are read in the same zone.
  await page.reload();
  await expect(newest).toHaveText(/Z$/);
  await page.goto('/flows?since=2026-01-05T18:00:00Z&until=2026-01-05T22:00:00Z');
  await expect(page.getByRole('button', { name: 'Time: 2026-01-05 18:00–22:00 UTC' })).toBeVisible();
  await choose(`Local: ${ZONE}`);
  await expect(page.getByRole('button', { name: 'Time: 2026-01-06 04:30–08:30' })).toBeVisible();
  await page.goto('/audit');
  await choose('Relative: 5 min ago');
  await expect(newest).toHaveText(/ago|now/);
});

import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

// A zone in which the day has just begun, so that yesterday evening is within the hours of traffic that the demo has.
const UTC_HOUR = new Date().getUTCHours();
const OFFSET_HOURS = UTC_HOUR <= 12 ? -UTC_HOUR : 24 - UTC_HOUR;
test.use({ timezoneId: `Etc/GMT${OFFSET_HOURS > 0 ? '-' : '+'}${Math.abs(OFFSET_HOURS)}` });

/** Yesterday at this hour in the zone of the browser. */
function yesterdayAt(hour: number): Date {
  const local = new Date(Date.now() + OFFSET_HOURS * 3_600_000);
  local.setUTCHours(hour - 24, 0, 0, 0);
  return new Date(local.getTime() - OFFSET_HOURS * 3_600_000);
}

test('exports the talkers of yesterday evening in at most 5 clicks', async ({ task: { page, clicks }, api }) => {
  const [since, until] = [yesterdayAt(18).toISOString(), yesterdayAt(22).toISOString()];
  const countGroups = async (times: Record<'since' | 'until', string>) => {
    const query = new URLSearchParams({ ...times, group_by: 'workloads', limit: '1' });
    return (await api<{ total: number }>('GET', `/flows/groups?${query}`)).total;
  };
  // The history of the demo is delivered in the first minute, the oldest first.
  const next = { since: until, until: yesterdayAt(23).toISOString() };
  await expect.poll(() => countGroups(next), { intervals: [2_000] }).toBeGreaterThan(20);

  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Flows', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Flows' })).toBeVisible();
  await page.getByRole('button', { name: /^Time: / }).click();
  const range = page.getByRole('textbox', { name: 'Type a time range' });
  await expect(range).toBeFocused();
  await typeInto(range, 'yesterday 18:00-22:00');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Time: .* 18:00–22:00/ })).toBeVisible();
  expect(new URL(page.url()).searchParams.get('since')).toBe(since);
  expect(new URL(page.url()).searchParams.get('until')).toBe(until);

  await page.getByRole('button', { name: /^Group by: / }).click();
  await page.getByRole('menuitemradio', { name: 'Workloads' }).click();
  const talkers = page.getByRole('region', { name: 'Grouped flows' });
  await expect(talkers.getByRole('row').nth(1)).toBeVisible();
  const download = page.waitForEvent('download');
  await talkers.getByRole('button', { name: 'Export as CSV' }).click();
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines[0]).toContain('From,To,Action');
  // One line for each row, and the one that moved most comes first.
  expect(lines).toHaveLength((await countGroups({ since, until })) + 1);
  const name = ((await talkers.getByRole('row').nth(1).getByRole('link').first().textContent()) ?? '').trim();
  expect(lines[1]).toContain(name);
  expect(clicks()).toBeLessThanOrEqual(5);
});

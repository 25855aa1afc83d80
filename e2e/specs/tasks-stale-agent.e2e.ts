import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

// After the other tasks: by then, most of the wait is over.
test('finds a stale agent and the reason in at most 2 clicks', async ({ task: { page, clicks }, api }) => {
  test.setTimeout(240_000);
  // An agent of the demo stops reporting after its start; three missing heartbeats make it stale.
  const countStale = async () => (await api<{ total: number }>('GET', '/agents?status=silent')).total;
  await expect.poll(countStale, { timeout: 180_000, intervals: [2_000] }).toBeGreaterThan(0);
  await page.reload();
  await page.getByRole('list', { name: 'Stale agents' }).getByRole('link').first().click();
  await expect(page.getByRole('main')).toContainText('Agent is stale');
  await expect(page.getByRole('main')).toContainText(/Last heartbeat .* ago/);
  await expect(page.getByRole('main')).toContainText(/The cluster reports the node as (online|offline)/);
  // What it reported last is gray and says how old it is.
  await expect(page.locator('[data-as-of]').first()).toContainText(/ago/);
  expect(clicks()).toBeLessThanOrEqual(2);
});

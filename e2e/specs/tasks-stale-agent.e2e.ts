import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

test('finds a stale agent and the reason in at most 2 clicks', async ({ task: { page, clicks } }) => {
  await page.getByRole('list', { name: 'Stale agents' }).getByRole('link').first().click();
  await expect(page.getByRole('main')).toContainText('Agent is stale');
  await expect(page.getByRole('main')).toContainText(/Last heartbeat .* ago/);
  await expect(page.getByRole('main')).toContainText(/The cluster reports the node as (online|offline)/);
  // What it reported last is gray and says how old it is.
  await expect(page.locator('[data-as-of]').first()).toContainText(/ago/);
  expect(clicks()).toBeLessThanOrEqual(2);
});

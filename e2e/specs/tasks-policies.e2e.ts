import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

test('which workloads are not protected, and why, takes two clicks', async ({ task: { page, clicks } }) => {
  await page
    .getByRole('list', { name: 'Security posture components' })
    .getByRole('link', { name: 'Enforcement' })
    .click();
  await expect(page).toHaveURL(/\/workloads\?.*protection=/);
  const rows = page.getByRole('grid', { name: 'Workloads' }).getByRole('row');
  await expect(rows.nth(1)).toContainText(
    /firewall off|Firewall flag off|default accept|Default accept|Rule accepts everything/,
  );
  expect(clicks()).toBeLessThanOrEqual(2);
});

test('a policy from a flow takes four clicks', async ({ task: { page, clicks } }) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Flows', exact: true }).click();
  const row = page.getByRole('grid', { name: 'Flows', exact: true }).getByRole('row').nth(1);
  await row.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Create policy from this' }).click();
  await expect(page.getByText('Draft in audit mode')).toBeVisible();
  await expect(page.getByRole('radio', { name: /Audit/ })).toBeChecked();
  await page.getByRole('button', { name: 'Create policy', exact: true }).click();
  await expect(page).toHaveURL(/\/policies\/[0-9a-f-]{36}/);
  expect(clicks()).toBeLessThanOrEqual(4);
});

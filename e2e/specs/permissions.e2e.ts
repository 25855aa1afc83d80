import { expect } from '@playwright/test';
import { actAs } from '../fixtures/act-as';
import { test } from '../fixtures/test';

test('a viewer sees everything readable and learns why the rest is disabled', async ({ adminPage: page }) => {
  await actAs(page, ['cluster:read', 'workload:read', 'ipam:read', 'settings:read']);
  await page.goto('/clusters');
  const add = page.getByRole('button', { name: 'Add cluster' });
  await expect(add).toHaveAttribute('aria-disabled', 'true');
  await expect(add).toHaveAccessibleDescription(/cluster:write/);
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await expect(sections.getByRole('link', { name: 'Workloads' })).toBeVisible();
  await expect(sections.getByRole('link', { name: 'Audit' })).toBeHidden();
  await page.getByRole('grid', { name: 'Clusters' }).getByRole('link').first().click();
  for (const name of ['Check connection', 'Edit']) {
    await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(/cluster:write/);
  }
  await expect(page.getByRole('button', { name: 'Sync now' })).toHaveAccessibleDescription(/cluster:sync/);
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await expect(page.getByRole('menuitem', { name: /Delete cluster/ })).toContainText('cluster:write');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('edit cluster');
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto('/settings');
  await expect(page.getByText('Only a super administrator can do this.').first()).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Keep flows for' })).toBeDisabled();
});

import { expect, type Page } from '@playwright/test';
import { test } from '../fixtures/test';

/** Types into an endpoint field and takes the first choice with Enter. */
async function chooseEndpoint(page: Page, label: 'From' | 'To', typed: string, option: RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  await page.keyboard.type(typed);
  await expect(page.getByRole('option', { name: option })).toBeVisible();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

test('takes a new policy for a group from the dashboard to in sync in at most 8 clicks', async ({
  task: { page, clicks },
}) => {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('button', { name: 'Create policy' }).click();
  // The name has the focus.
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Metrics of the load balancers');
  await chooseEndpoint(page, 'From', '10.40.20.0/24', /^10\.40\.20\.0\/24/);
  await chooseEndpoint(page, 'To', 'load-bal', /load-balancers.*Group/);
  await page.getByRole('textbox', { name: 'Destination ports of rule 1' }).click();
  await page.keyboard.type('9100 9113-9115,9100');
  await page
    .getByRole('group', { name: 'Enforcement' })
    .getByRole('radio', { name: /^Enforced/ })
    .click();
  await page.getByRole('button', { name: 'Create policy' }).click();
  // The preview, and the one button that applies what it shows.
  const dialog = page.getByRole('dialog', { name: 'Apply Metrics of the load balancers' });
  await expect(dialog.getByText('Dry run passed')).toBeVisible();
  await expect(dialog).toContainText('from 10.40.20.0/24 to port 9100,9113:9115');
  await dialog.getByRole('button', { name: 'Apply to 2 workloads' }).click();
  // Its page shows the progress, and that it was written.
  await expect(page).toHaveURL(/\/changes\/[0-9a-f-]{36}/);
  await expect(page.locator('h1 + *')).toContainText('Awaiting confirmation');
  expect(clicks()).toBeLessThanOrEqual(8);
  await page.getByRole('link', { name: 'Metrics of the load balancers', exact: true }).click();
  await expect(page.getByRole('main').getByText('In sync').first()).toBeVisible();
});

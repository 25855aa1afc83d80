import { expect } from '@playwright/test';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('a policy test can be created, read, changed and deleted', async ({ adminPage: page, api }) => {
  await api('POST', '/security-groups', { name: 'e2e-tested' });
  await page.goto('/policy-tests');
  await page.getByRole('button', { name: 'Create policy test' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Create policy test' });
  // Nothing was entered: Esc closes. Then it takes two.
  await expect(drawer.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Create policy test' }).first().click();
  await drawer.getByRole('radio', { name: 'Must be denied' }).press('ArrowUp');
  await page.keyboard.press('Escape');
  await expect(drawer.getByRole('status').filter({ hasText: 'Press Esc again' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await page.getByRole('button', { name: 'Create policy test' }).first().click();
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'no ssh from outside');
  // One too many does not throw away what was entered, and is forgotten with the next entry.
  await page.keyboard.press('Escape');
  await expect(drawer.getByText('Press Esc again to discard what you entered.')).toBeVisible();
  await drawer.getByRole('radio', { name: 'Must be denied' }).click();
  await expect(drawer.getByText('Press Esc again to discard what you entered.')).toBeHidden();
  await typeInto(drawer.getByRole('combobox', { name: 'From', exact: true }), 'any');
  await page.getByRole('option', { name: /^any/ }).first().click();
  await typeInto(drawer.getByRole('combobox', { name: 'From', exact: true }), '!10.0.0.0/8');
  await page.getByRole('option', { name: /!10\.0\.0\.0\/8/ }).click();
  await page.keyboard.press('Escape');
  await typeInto(drawer.getByRole('combobox', { name: 'To', exact: true }), 'e2e-tested');
  await page
    .getByRole('option', { name: /e2e-tested/ })
    .first()
    .click();
  await page.keyboard.press('Escape');
  await typeInto(drawer.getByRole('textbox', { name: 'Ports' }), '22');
  await drawer.getByRole('button', { name: 'Create policy test' }).click();

  await expect(page.getByRole('heading', { level: 1, name: 'no ssh from outside' })).toBeVisible();
  // The group is empty: that is never a pass.
  await expect(page.getByText('The test is not proven')).toBeVisible();
  await expect(page.getByText('An endpoint resolves to nothing.').first()).toBeVisible();
  await expect(page.getByText('any, !10.0.0.0/8')).toBeVisible();

  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit no ssh from outside' });
  await typeInto(edit.getByRole('textbox', { name: 'Owner' }), 'network team');
  await edit.getByRole('button', { name: 'Save policy test' }).click();
  await expect(page.getByText('network team')).toBeVisible();

  await page.goto('/policy-tests?result=unknown');
  await expect(page.getByRole('link', { name: 'no ssh from outside' })).toBeVisible();

  // What the installation depends on, and what is missing to complete each.
  await page.getByRole('link', { name: 'Protected connections' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Protected connections' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Admin network to nodes' })).toBeVisible();
  await expect(page.getByText('Not complete').first()).toBeVisible();

  const dns = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Name resolution (DNS)' }) });
  await typeInto(dns.getByRole('combobox', { name: 'From', exact: true }), '10.0.0.0/8');
  await page.getByRole('option', { name: /^10\.0\.0\.0\/8/ }).click();
  await page.keyboard.press('Escape');
  await typeInto(dns.getByRole('combobox', { name: 'To', exact: true }), '10.9.9.9');
  await page.getByRole('option', { name: /^10\.9\.9\.9/ }).click();
  await page.keyboard.press('Escape');
  // Someone else completes it first.
  await api('PUT', '/protected-connections/dns', { from: ['10.8.0.0/16'], to: ['10.9.9.9'], ports: ['53'] });
  await dns.getByRole('button', { name: 'Save' }).click();
  await expect(dns.getByText('Changed by another user')).toBeVisible();
  await dns.getByRole('button', { name: 'Load current version' }).click();
  await expect(dns.getByText('10.8.0.0/16')).toBeVisible();
  await dns.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Name resolution (DNS) saved')).toBeVisible();
  await dns.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(dns.getByText('Not complete')).toBeVisible();
});

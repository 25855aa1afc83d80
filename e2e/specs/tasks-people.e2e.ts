import { expect } from '@playwright/test';
import { test } from '../fixtures/test';

type Page<T> = { items: T[] };

test('a role for one project is assigned in 6 clicks', async ({ task: { page, clicks }, api }) => {
  await api('POST', '/users', { email: 'ada@nordwind.example', assignments: [] });
  const [project] = (await api<Page<{ name: string }>>('GET', '/projects?limit=1')).items;
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Users' }).click();
  await page.getByRole('grid', { name: 'Users' }).getByRole('link', { name: 'ada@nordwind.example' }).click();
  await page.getByRole('button', { name: 'Assign role' }).click();
  const drawer = page.getByRole('dialog', { name: 'Assign role to ada@nordwind.example' });
  await expect(drawer.getByRole('combobox', { name: 'Role' })).toBeFocused();
  await page.keyboard.type('Viewer');
  await page.getByRole('option', { name: 'Viewer' }).click();
  await drawer.getByRole('combobox', { name: 'Scope' }).press('ControlOrMeta+a');
  await page.keyboard.type(project?.name ?? '');
  await page
    .getByRole('option', { name: `${project?.name} in` })
    .first()
    .click();
  await drawer.getByRole('button', { name: 'Save roles' }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByRole('main')).toContainText(`in ${project?.name} of`);
  expect(clicks()).toBeLessThanOrEqual(6);
});

test('the audit trail shows who changed a policy, and what, in 3 clicks', async ({ task: { page, clicks }, api }) => {
  const name = 'Applications reach the cache';
  const [policy] = (await api<Page<{ id: string }>>('GET', `/policies?q=${encodeURIComponent(name)}`)).items;
  await api('PATCH', `/policies/${policy?.id}`, { description: 'Only Redis.', reason: 'Ticket 42' });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('grid', { name: 'Policies' }).getByRole('link', { name }).click();
  await page.getByRole('tab', { name: 'Versions' }).click();
  const newest = page.getByRole('grid', { name: 'Policy versions' }).getByRole('row').nth(1);
  await expect(newest).toContainText('Ticket 42');
  await expect(newest).toContainText(/Demo administrator|demo@nordwind\.example/);
  expect(clicks()).toBeLessThanOrEqual(3);
});

test('a read-only token and its curl command take 5 clicks', async ({ task: { page, clicks } }) => {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'API tokens' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  const drawer = page.getByRole('dialog', { name: 'Create API token' });
  await expect(drawer.getByRole('textbox', { name: 'Purpose' })).toBeFocused();
  await page.keyboard.type('Inventory report');
  await drawer.getByRole('button', { name: 'Read-only' }).click();
  await drawer.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token Inventory report' });
  await expect(shown.getByRole('region', { name: 'Example' })).toContainText(/curl -H 'Authorization: Bearer \S+'/);
  expect(clicks()).toBeLessThanOrEqual(5);
});

import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

const PASSWORD = 'blue horses read slowly';
const EMAIL = 'tenant.engineer@example.org';

test('a tenant gets a project, a workload and a person who sees nothing else', async ({
  adminPage: page,
  api,
  browser,
}) => {
  await page.goto('/tenants');
  await expect(page.getByText('No tenants yet')).toBeVisible();
  await page.getByRole('button', { name: 'Create tenant' }).first().click();
  const tenantForm = page.getByRole('dialog', { name: 'Create tenant' });
  await tenantForm.getByRole('button', { name: 'Create tenant' }).click();
  await expect(tenantForm.getByText('Enter a name.')).toBeVisible();
  await typeInto(tenantForm.getByRole('textbox', { name: 'Name' }), 'Blue');
  await tenantForm.getByRole('button', { name: 'Create tenant' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Blue' })).toBeVisible();

  await page.getByRole('button', { name: 'Create project' }).first().click();
  const projectForm = page.getByRole('dialog', { name: 'Create project' });
  await typeInto(projectForm.getByRole('textbox', { name: 'Name' }), 'shop');
  await projectForm.getByRole('button', { name: 'Create project' }).click();
  await expect(page.getByRole('grid', { name: 'Projects' }).getByRole('link', { name: 'shop' })).toBeVisible();

  await openPage(page, '/workloads?q=web-01');
  const workloads = page.getByRole('grid', { name: 'Workloads' });
  await expect(workloads.getByRole('link', { name: 'web-01' })).toHaveCount(1);
  await workloads.getByRole('checkbox', { name: /web-01/ }).click();
  await page.getByRole('button', { name: 'Assign to project' }).click();
  const assign = page.getByRole('dialog', { name: 'Assign web-01 to a project' });
  await assign.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: /shop/ }).click();
  await assign.getByRole('button', { name: 'Assign to shop' }).click();
  await expect(page.getByText('One workload assigned')).toBeVisible();
  await openPage(page, '/projects');
  await page.getByRole('grid', { name: 'Projects' }).getByRole('link', { name: 'shop' }).click();
  await expect(workloads.getByRole('link', { name: 'web-01' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '1 workload' })).toBeVisible();

  await openPage(page, '/users?add=true');
  const userForm = page.getByRole('dialog', { name: 'Create user' });
  await typeInto(userForm.getByRole('textbox', { name: 'Email address' }), EMAIL);
  await typeInto(userForm.getByRole('textbox', { name: 'Password' }), 'short');
  await typeInto(userForm.getByRole('combobox', { name: 'Role' }), 'Security');
  await page.getByRole('option', { name: 'Security engineer' }).click();
  await typeInto(userForm.getByRole('combobox', { name: 'Scope' }), 'Blue');
  await page.getByRole('option', { name: 'Blue', exact: true }).click();
  await userForm.getByRole('button', { name: 'Create user' }).click();
  await expect(userForm.getByText(/Use at least 12 characters/)).toBeVisible();
  await typeInto(userForm.getByRole('textbox', { name: 'Password' }), PASSWORD);
  await userForm.getByRole('button', { name: 'Create user' }).click();
  await expect(page.getByRole('heading', { level: 1, name: EMAIL })).toBeVisible();
  await page.getByRole('tab', { name: 'Access' }).click();
  const access = page.getByRole('table', { name: `Permissions of ${EMAIL}` });
  await expect(access.getByRole('row').filter({ hasText: 'policy:apply' })).toContainText(
    'Security engineer in Blue grants this permission.',
  );
  await expect(access.getByRole('row').filter({ hasText: 'cluster:read' })).toContainText(
    'applies only in a role for the whole installation',
  );

  await typeInto(page.getByRole('combobox', { name: 'Permission' }), 'policy:apply');
  await page.getByRole('option', { name: /policy:apply/ }).click();
  const answer = page.getByRole('status').filter({ hasText: /^(Yes|No)/ });
  await expect(answer).toContainText('Security engineer in Blue grants this permission, but not here.');
  await typeInto(page.getByRole('combobox', { name: 'Scope' }), 'Blue');
  await page.getByRole('option', { name: 'Blue', exact: true }).click();
  await expect(answer).toContainText('YesSecurity engineer in Blue grants this permission.');
  await typeInto(page.getByRole('combobox', { name: 'Permission' }), 'user:write');
  await page.getByRole('option', { name: /user:write/ }).click();
  await expect(answer).toContainText('Roles with this permission: Administrator, Super administrator');

  const other = await browser.newContext({ baseURL: serviceUrl() });
  const person = await other.newPage();
  await person.goto('/login');
  await typeInto(person.getByRole('textbox', { name: 'Email address' }), EMAIL);
  await typeInto(person.getByRole('textbox', { name: 'Password' }), PASSWORD);
  await person.getByRole('button', { name: 'Sign in' }).click();
  await person.waitForURL((url) => url.pathname !== '/login');
  await person.goto('/workloads');
  const own = person.getByRole('grid', { name: 'Workloads' });
  await expect(own.getByRole('link', { name: 'web-01' })).toBeVisible();
  await expect(person.getByRole('status').filter({ hasText: '1 workload' })).toBeVisible();
  await expect(person.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Users' })).toBeHidden();

  await page.getByRole('button', { name: `Actions for ${EMAIL}` }).click();
  await page.getByRole('menuitem', { name: 'Deactivate user' }).click();
  const confirm = page.getByRole('alertdialog');
  await expect(confirm).toContainText('One open session ends immediately.');
  await confirm.getByRole('button', { name: 'Deactivate user' }).click();
  await expect(page.getByText('Deactivated', { exact: true })).toBeVisible();
  await person.goto('/workloads');
  await expect(person).toHaveURL(/\/login/);
  await other.close();

  // The other specs find the installation as it was.
  const find = async (path: string) => (await api<{ items: { id: string }[] }>('GET', path)).items[0]?.id ?? '';
  const workload_ids = [await find('/workloads?q=web-01&limit=1')];
  await api('POST', '/workloads/assign', { project_id: null, workload_ids });
  await api('DELETE', `/users/${await find(`/users?q=${EMAIL}`)}`);
  await api('DELETE', `/projects/${await find('/projects?q=shop')}`);
  await api('DELETE', `/tenants/${await find('/tenants?q=Blue')}`);
});

test('a role can be copied from another one and described; built-in roles cannot be changed', async ({
  adminPage: page,
  api,
}) => {
  await page.goto('/roles');
  const roles = page.getByRole('grid', { name: 'Roles' });
  await expect(roles.getByRole('link', { name: 'Viewer' })).toBeVisible();
  await page.getByRole('button', { name: 'Actions for Viewer' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete role/ })).toContainText('Built-in roles cannot be changed');
  await page.getByRole('menuitem', { name: 'Duplicate role' }).click();
  const form = page.getByRole('dialog', { name: 'Duplicate role Viewer' });
  await typeInto(form.getByRole('textbox', { name: 'Title' }), 'Flow reader');
  await typeInto(form.getByRole('textbox', { name: 'Name', exact: true }), 'Flow Reader');
  await form.getByRole('checkbox', { name: /^ipam:read/ }).click();
  await form.getByRole('button', { name: 'Create role' }).click();
  await expect(form.getByText(/A short name/)).toBeVisible();
  await typeInto(form.getByRole('textbox', { name: 'Name', exact: true }), 'flow_reader');
  await form.getByRole('button', { name: 'Create role' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Flow reader' })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: /^flow:read/ })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: /^ipam:read/ })).not.toBeChecked();
  const { items } = await api<{ items: { id: string }[] }>('GET', '/roles?q=flow_reader');
  await api('DELETE', `/roles/${items[0]?.id}`);
});

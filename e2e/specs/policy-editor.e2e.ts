import { expect, type Page } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Stored = { id: string; version: number };

const DEFINITION = {
  enforcement_mode: 'audit',
  direction: 'in',
  sources: ['10.0.0.0/8'],
  targets: ['tag:no-such-tag'],
  default_action: 'none',
};
const RULES = [
  { action: 'accept', protocol: 'tcp', destination_ports: ['22'], comment: 'first' },
  { action: 'drop', protocol: 'any', comment: 'second' },
];

const openEditor = async (page: Page, id: string) => {
  await page.goto(`/policies/${id}/edit`);
  // The form is the browser's own: once its rules are there it takes input.
  await expect(page.getByRole('list', { name: 'Rules' }).getByRole('listitem').first()).toBeVisible();
};

test('unsaved changes are guarded; rules are moved by key; endpoints that resolve to nothing are named', async ({
  adminPage: page,
  api,
}) => {
  const policy = await api<Stored>('POST', '/policies', { name: 'e2e guarded', definition: DEFINITION, rules: RULES });
  await openEditor(page, policy.id);
  await expect(page.getByText('Currently resolves to no workload')).toBeVisible();
  await expect(page.getByText('No workload gets rules.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save new version' })).toHaveAccessibleDescription('No changes');
  await page.getByRole('button', { name: 'Move rule 1', exact: true }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(page.getByRole('textbox', { name: 'Comment of rule 1' })).toHaveValue('second');
  await expect(page.getByRole('button', { name: 'Move rule 2', exact: true })).toBeFocused();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Clusters' }).click();
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/edit$/);
  await expect(page.getByRole('textbox', { name: 'Comment of rule 1' })).toHaveValue('second');
  // So are the keys of the shell and its palette.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.type('audit');
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/edit$/);
  await expect(page.getByRole('textbox', { name: 'Comment of rule 1' })).toHaveValue('second');
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Clusters' }).click();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Clusters' })).toBeVisible();
  await api('DELETE', `/policies/${policy.id}`);
});

test('an expiry is saved as it is typed key by key; one in the past is refused at its field', async ({
  adminPage: page,
  api,
}) => {
  const policy = await api<Stored>('POST', '/policies', {
    ...{ name: 'e2e expiring', definition: DEFINITION, rules: RULES, expires_at: '2090-06-15T10:30:00Z' },
  });
  const save = page.getByRole('button', { name: 'Save new version' });
  const expires = page.getByLabel(/^Expires/);
  /** The year is the third part of the field. */
  const typeYear = async (year: string) => {
    await expires.focus();
    for (let part = 0; part < 2; part += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.type(year);
  };
  await openEditor(page, policy.id);
  await typeYear('1999');
  await expect(expires).toHaveValue(/^1999-06-15T/);
  await save.click();
  await expect(page.getByText('This expiry is in the past.').first()).toBeVisible();
  await openEditor(page, policy.id);
  await typeYear('2091');
  await expect(expires).toHaveValue(/^2091-06-15T/);
  await save.click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e expiring', exact: true })).toBeVisible();
  const stored = await api<{ expires_at: string }>('GET', `/policies/${policy.id}`);
  expect(stored.expires_at).toBe('2091-06-15T10:30:00.000Z');
  await api('DELETE', `/policies/${policy.id}`);
});

test('chooses by Enter what was typed while the list of choices still loads; focuses what is missing', async ({
  adminPage: page,
}) => {
  await page.goto('/policies/new');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  // The list arrives after the last key, as over a slow link.
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  const from = page.getByRole('combobox', { name: 'From', exact: true });
  await from.click();
  await page.keyboard.type('10.40.20.0/24');
  await page.keyboard.press('Enter');
  release();
  await expect(page.getByRole('option', { name: /^10\.40\.20\.0\/24/ })).toHaveAttribute('data-highlighted', '');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove 10.40.20.0/24' })).toBeVisible();
  // Nothing was sent by the first Enter.
  await expect(page.locator('[aria-invalid="true"]')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await page.keyboard.type('No target');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await expect(page.getByRole('combobox', { name: 'To', exact: true })).toBeFocused();
});

test('keeps a typed address while the code that reads addresses is still loading, and sends nothing by Enter', async ({
  adminPage: page,
}) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/*.js', async (route) => {
    const script = await fetch(route.request().url());
    // Only the script that reads addresses: the list itself is there before.
    if ((await script.text()).includes('Use this address')) await released;
    await route.continue();
  });
  await page.goto('/policies/new');
  const from = page.getByRole('combobox', { name: 'From', exact: true });
  await from.click();
  await page.keyboard.type('10.40.20.0/24');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listbox')).toBeHidden();
  await expect(from).toHaveValue('10.40.20.0/24');
  await expect(from).toBeFocused();
  release();
  await expect(page.getByRole('option', { name: /^10\.40\.20\.0\/24/ })).toHaveAttribute('data-highlighted', '');
  await expect(from).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove 10.40.20.0/24' })).toBeVisible();
  await expect(page.locator('[aria-invalid="true"]')).toHaveCount(0);
});

test('a change by another user is shown before it is overwritten; versions are compared and restored', async ({
  adminPage: page,
  api,
}) => {
  const policy = await api<Stored>('POST', '/policies', {
    name: 'e2e contested',
    definition: DEFINITION,
    rules: RULES,
  });
  await openEditor(page, policy.id);
  await api('PATCH', `/policies/${policy.id}`, { priority: 77, reason: 'from elsewhere' });
  await typeInto(page.getByRole('textbox', { name: /^Description/ }), 'mine');
  await page.getByRole('button', { name: 'Save new version' }).click();
  await expect(page.getByText('Another user saved version 2')).toBeVisible();
  await page.getByRole('button', { name: 'Show their changes' }).click();
  const theirs = page.getByRole('dialog', { name: 'Version 1 to 2' });
  await expect(theirs.getByRole('insertion')).toHaveText('77');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('textbox', { name: /^Description/ })).toHaveValue('mine');
  await page.getByRole('button', { name: 'Discard mine, load theirs' }).click();
  await expect(page.getByRole('textbox', { name: 'Priority' })).toHaveValue('77');
  await typeInto(page.getByRole('textbox', { name: /^Description/ }), 'mine again');
  await page.getByRole('button', { name: 'Save new version' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e contested' })).toBeVisible();
  await page.getByRole('tab', { name: /^Versions/ }).click();
  const versions = page.getByRole('grid', { name: 'Policy versions' });
  await expect(versions.getByRole('row')).toHaveCount(4);
  await expect(versions).toContainText('from elsewhere');
  for (const row of [1, 3]) await versions.getByRole('row').nth(row).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  const compared = page.getByRole('dialog', { name: 'Version 1 to 3' });
  await expect(compared.getByRole('list', { name: 'Changed fields' }).getByRole('listitem')).toHaveCount(2);
  await takePicture(page, 'policy-compare');
  await page.keyboard.press('Escape');
  await versions.getByRole('button', { name: 'Actions for version 1', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Restore this version' }).click();
  await page.getByRole('button', { name: 'Save version 1 as version 4' }).click();
  await expect(versions.getByRole('row')).toHaveCount(5);
  const now = await api<{ version: number; priority: number; description: string }>('GET', `/policies/${policy.id}`);
  expect(now).toMatchObject({ version: 4, priority: 1000, description: '' });
  await api('DELETE', `/policies/${policy.id}`);
});

test('a viewer sees policies and groups, and why the rest is disabled', async ({ adminPage: page, api }) => {
  const policy = await api<Stored>('POST', '/policies', {
    name: 'e2e looked at',
    definition: DEFINITION,
    rules: RULES,
  });
  const group = await api<Stored>('POST', '/security-groups', { name: 'e2e-looked-at' });
  await page.route('**/api/v1/auth/refresh', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { user: Record<string, unknown> };
    const permissions = ['policy:read', 'group:read', 'workload:read', 'cluster:read'];
    await route.fulfill({ response, json: { ...body, user: { ...body.user, permissions } } });
  });
  await page.goto('/policies');
  const grid = page.getByRole('grid', { name: 'Policies' });
  await expect(grid.getByRole('link', { name: 'e2e looked at' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create policy' })).toHaveAccessibleDescription(/policy:write/);
  await openPage(page, `/policies/${policy.id}`);
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveAccessibleDescription(/policy:write/);
  await expect(page.getByRole('button', { name: 'Apply', exact: true })).toHaveAccessibleDescription(/policy:apply/);
  await page.getByRole('button', { name: /^Actions for/ }).click();
  for (const name of [/Disable policy/, /Delete policy/]) {
    await expect(page.getByRole('menuitem', { name })).toContainText('policy:write');
  }
  await page.keyboard.press('Escape');
  await openPage(page, `/policies/${policy.id}/edit`);
  await expect(page.getByText('You have read-only access to policies')).toBeVisible();
  await openPage(page, `/security-groups/${group.id}`);
  await expect(page.getByRole('button', { name: 'Add members' }).first()).toHaveAccessibleDescription(/group:write/);
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveAccessibleDescription(/group:write/);
  await api('DELETE', `/policies/${policy.id}`);
  await api('DELETE', `/security-groups/${group.id}`);
});

test('a read-only token is named where a policy is enforced', async ({ adminPage: page, simulator, addCluster }) => {
  const cluster = await addCluster(simulator.cluster, { name: 'read-only-lab', token: 'reader' });
  await page.goto('/clusters');
  const row = page.getByRole('grid', { name: 'Clusters' }).getByRole('row').filter({ hasText: 'read-only-lab' });
  await expect(row).toContainText('Read-only');
  await openPage(page, '/policies/new');
  const notice = page.getByText('Read-only clusters: policies cannot be applied');
  await expect(page.getByRole('radio', { name: /^Audit/ })).toBeChecked();
  await expect(notice).toBeHidden();
  await page.getByRole('radio', { name: /^Enforced/ }).click();
  await expect(notice).toBeVisible();
  await expect(page.getByRole('link', { name: 'read-only-lab' })).toHaveAttribute('href', `/clusters/${cluster.id}`);
});

import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { takePicture } from '../fixtures/picture';
import { ADMIN, SETUP_CODE } from '../fixtures/service';
import { type Simulator, startSimulator } from '../fixtures/simulator';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

// What a new administrator does on an empty installation, in one go: setup happens once.
let simulated: Simulator;
test.beforeAll(async () => {
  // Calls that take a while, so that the progress can be seen.
  simulated = await startSimulator({ latency: 150 });
});
test.afterAll(() => simulated.stop());

test('the setup leads from an empty installation to a synced cluster', async ({ page }) => {
  const shot = (name: string) => takePicture(page, `first-run-${name}`, { fullPage: true });
  const [node] = simulated.cluster.nodes;
  if (!node) throw new Error('the simulated cluster has no node');

  await test.step('every address leads to the setup', async () => {
    await page.goto('/workloads');
    await expect(page).toHaveURL(/\/setup$/);
    await expect(page.getByRole('heading', { name: 'Create the administrator' })).toBeVisible();
    await expect(page).toHaveTitle('Setup · Fabric');
    await expectAccessible(page, 'the first step of the setup');
    await shot('administrator');
  });

  await test.step('the form says what is missing, and a wrong setup code at its field', async () => {
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByText('Enter an email address.')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Email address' })).toBeFocused();
    await typeInto(page.getByRole('textbox', { name: 'Email address' }), `  ${ADMIN.email.toUpperCase()} `);
    await typeInto(page.getByRole('textbox', { name: 'Name (optional)' }), ADMIN.name);
    await typeInto(page.getByRole('textbox', { name: 'Password', exact: true }), ADMIN.password);
    await typeInto(page.getByRole('textbox', { name: 'Repeat the password' }), 'something else');
    await typeInto(page.getByRole('textbox', { name: 'Setup code' }), 'NOT-THE-CODE');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByText('The passwords do not match.')).toBeVisible();
    await typeInto(page.getByRole('textbox', { name: 'Repeat the password' }), ADMIN.password);
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('The setup code is wrong');
    await expect(page.getByRole('textbox', { name: 'Setup code' })).toBeFocused();
    await typeInto(page.getByRole('textbox', { name: 'Setup code' }), SETUP_CODE);
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await expect(page.getByRole('heading', { name: 'Add your first cluster' })).toBeVisible();
    await shot('cluster');
  });

  await test.step('a token without rights is named privilege by privilege', async () => {
    await typeInto(page.getByRole('textbox', { name: 'API address' }), node.url);
    await typeInto(page.getByRole('textbox', { name: 'API token' }), simulated.cluster.tokens.empty);
    // Leaving the field tries the connection.
    await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
    const prompt = page.getByRole('group', { name: 'Certificate' });
    await expect(prompt).toContainText(node.fingerprint256);
    await shot('fingerprint');
    await expectAccessible(page, 'the fingerprint prompt');
    await prompt.getByRole('button', { name: 'Fingerprints match: trust this certificate' }).click();
    const checks = page.getByRole('region', { name: 'Checks' });
    const privileges = checks.getByRole('list', { name: 'Token privileges' });
    await expect(privileges.getByRole('listitem').filter({ hasText: 'VM.Audit' })).toContainText('Failed');
    await expect(privileges.getByRole('listitem').filter({ hasText: 'SDN.Use' })).toBeVisible();
    await page.getByText('How to create the token').click();
    await expect(page.getByRole('region', { name: 'Commands to create the token' })).toContainText(
      'pveum role add Fabric',
    );
    await shot('missing-privileges');
    await expectAccessible(page, 'the report of missing privileges');
  });

  await test.step('adding in spite of failed checks needs a second press', async () => {
    await page.getByRole('button', { name: 'Add cluster' }).click();
    await expect(page.getByText('A name of 1 to 64 characters.')).toBeVisible();
    await typeInto(page.getByRole('textbox', { name: 'Name', exact: true }), 'will be replaced');
    await page.getByRole('button', { name: 'Add cluster' }).click();
    await expect(page.getByText('Some checks failed')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add cluster anyway' })).toBeVisible();
  });

  await test.step('with the right token everything is in order', async () => {
    await typeInto(page.getByRole('textbox', { name: 'Name', exact: true }), '');
    await typeInto(page.getByRole('textbox', { name: 'API token' }), simulated.cluster.tokens.manager);
    await page.getByRole('button', { name: 'Check connection' }).click();
    await expect(page.getByText('Everything a sync needs is working')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('lab');
    await shot('checked');
    await page.getByRole('button', { name: 'Add cluster', exact: true }).click();
  });

  await test.step('the first sync shows its stages as it goes', async () => {
    await expect(page.getByRole('heading', { name: 'First sync' })).toBeVisible();
    const stages = page.getByRole('list', { name: 'Sync stages' });
    await expect(stages.getByRole('listitem')).not.toHaveCount(0);
    await expect(page.getByRole('progressbar', { name: 'Sync' })).toBeVisible();
    await expect(stages.locator('[aria-current="step"]')).toBeVisible();
    await shot('sync-running');
    // A reload in the middle finds the same run.
    await page.reload();
    await expect(page.getByText('Succeeded', { exact: true })).toBeVisible();
    await expect(stages).toContainText('15 seen: 15 created');
    await expect(stages).toContainText('3 seen: 3 created');
    await shot('sync-done');
    await expectAccessible(page, 'the finished first sync');
    await page.getByRole('button', { name: 'Continue' }).click();
  });

  await test.step('what next leads into the console', async () => {
    await expect(page.getByRole('heading', { name: 'Setup complete' })).toBeVisible();
    await shot('next');
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Workloads/ })
      .click();
    const grid = page.getByRole('grid', { name: 'Workloads' });
    await expect(grid.getByRole('row')).toHaveCount(16);
    await expect(grid.getByRole('row').filter({ hasText: 'web-01' })).toContainText('Running');
    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    await expect(page.getByRole('grid', { name: 'Nodes' }).getByRole('row')).toHaveCount(4);
    await page.getByRole('link', { name: 'Networks', exact: true }).click();
    await expect(page.getByRole('grid', { name: 'Networks' })).toContainText('vmbr0');
    await page.getByRole('link', { name: 'Clusters', exact: true }).click();
    await expect(page.getByRole('grid', { name: 'Clusters' }).getByRole('row').nth(1)).toContainText('In sync');
  });

  await test.step('the dashboard says what is still to be done', async () => {
    await page.goto('/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await expect(steps).toContainText('Add a cluster (done)');
    await expect(steps.getByRole('link')).toHaveText(['Install agents', 'Create policy']);
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await shot('dashboard');
    await expectAccessible(page, 'the dashboard of a new installation');
  });

  await test.step('the setup is closed for ever', async () => {
    await page.goto('/setup');
    await expect(page).toHaveURL('/');
    const again = await page.context().request.post('/api/v1/setup/complete', {
      data: { email: 'second@example.org', password: 'another good password', setup_code: SETUP_CODE },
    });
    expect(again.status()).toBe(409);
  });
});

import { expect, type Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };
type Listed = { items: Item[] };
type Change = { id: string; state: string };

const REVIEWER = { email: 'reviewer@example.org', password: 'Review-all-changes-2026' };
const shot = (page: Page, name: string) => takePicture(page, `change-${name}`);

/** An enforced policy for two workloads of a cluster, not applied yet. */
const createPolicy = (api: Api, cluster: string, name: string, vmids = [100, 101], default_action = 'none') =>
  api<Item>('POST', '/policies', {
    name,
    definition: {
      default_action,
      enforcement_mode: 'enforced',
      direction: 'in',
      sources: ['any'],
      targets: vmids.map((vmid) => `vmid:${cluster}/${vmid}`),
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
  });

const setApprovals = (api: Api, n: number) => api('PATCH', '/settings', { change_approvals_required: n });
/** The badge beside the title. */
const state = (page: Page) => page.locator('h1 + *');

test.afterEach(({ api }) => setApprovals(api, 0));

test('a change that fails a policy test is corrected, approved by a second person, tried on a canary and confirmed', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
  browser,
}) => {
  const { id: cluster_id } = await addCluster(simulator.cluster, { name: 'change-lab' });
  const policy = await createPolicy(api, 'change-lab', 'e2e change web', [104, 105], 'drop');
  // Policy tests need addresses.
  await api('POST', '/ipam/discover?wait=true', { cluster_ids: [cluster_id] });
  // An impact is computed from what was last read, and nothing was read of a new cluster yet.
  const [app] = (await api<Listed>('GET', `/workloads?cluster_id=${cluster_id}&q=app-02`)).items;
  await api('GET', `/workloads/${app?.id}/firewall`);
  const packet = { from: ['10.9.0.9'], to: ['vmid:change-lab/104'], protocol: 'tcp', ports: ['8443'] };
  await api('POST', '/policy-tests', { name: 'e2e administration of web', expect: 'allow', ...packet });
  const role = (await api<Listed>('GET', '/roles?limit=100')).items.find(({ name }) => name === 'security_engineer');
  await api('POST', '/users', { ...REVIEWER, name: 'Reviewer', assignments: [{ role_id: role?.id }] });
  await setApprovals(api, 1);

  // The edit is kept in a change, which is rolled out over one canary first.
  await page.goto(`/policies/${policy.id}`);
  await page.getByRole('button', { name: 'Actions for e2e change web' }).click();
  await page.getByRole('menuitem', { name: 'Save as change…' }).click();
  await page.getByRole('dialog', { name: 'Save as change' }).getByRole('button', { name: 'Save in change' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Apply e2e change web' })).toBeVisible();
  // Its impact shows that a policy test would fail; another port solves that.
  const impact = page.locator('section', { has: page.getByRole('heading', { name: 'Impact', exact: true }) });
  const change = page.url();
  await impact.getByRole('button', { name: 'Compute impact' }).click();
  await expect(impact.getByText('One policy test would fail')).toBeVisible();
  await expect(impact.getByRole('link', { name: 'e2e administration of web' })).toBeVisible();
  await shot(page, 'failing-test');
  await openPage(page, `/policies/${policy.id}/edit`);
  await typeInto(page.getByRole('textbox', { name: 'Destination ports of rule 1' }), '443, 8443');
  await page.getByRole('button', { name: 'Save as change…' }).click();
  const save = page.getByRole('dialog', { name: 'Save as change' });
  await save.getByRole('radio', { name: 'Apply e2e change web' }).click();
  await save.getByRole('button', { name: 'Save in change' }).click();
  await expect(page).toHaveURL(change);
  await expect(page.getByRole('list', { name: 'Edits' })).toContainText('8443');
  await impact.getByRole('button', { name: 'Compute impact' }).click();
  await expect(impact.getByRole('button', { name: 'Compute again' })).toBeVisible();
  await expect(impact.getByText(/^Single flows/)).toBeVisible();
  await expect(impact.getByRole('progressbar')).toHaveCount(0);
  await expect(impact.getByText('One policy test would fail')).toBeHidden();
  await page.getByRole('button', { name: 'Edit settings' }).click();
  const settings = page.getByRole('dialog', { name: 'Edit Apply e2e change web' });
  await settings.getByRole('radio', { name: 'By number' }).click();
  await typeInto(settings.getByRole('textbox', { name: 'Number of canaries' }), '1');
  await settings.getByRole('button', { name: 'Save change' }).click();
  await expect(settings).toBeHidden();
  await shot(page, 'draft');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(state(page)).toContainText('In review');

  // The author cannot approve it; another person can.
  await expect(page.getByRole('button', { name: 'Approve' })).toBeHidden();
  const context = await browser.newContext({ baseURL: serviceUrl() });
  await context.request.post('/api/v1/auth/login', { data: REVIEWER });
  const reviewer = await context.newPage();
  await reviewer.goto(page.url());
  await reviewer.getByRole('button', { name: 'Approve' }).click();
  await reviewer.getByRole('alertdialog').getByRole('button', { name: 'Approve change' }).click();
  await expect(state(reviewer)).toContainText('Approved');
  await context.close();

  // The page shows what is written; switches need consent.
  await expect(page.getByRole('list', { name: 'Rule changes on app-02' })).toContainText('443');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Change these switches' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Apply change' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(state(page)).toContainText('Awaiting confirmation');
  await shot(page, 'watch');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(state(page)).toContainText('Confirmed');
  await shot(page, 'confirmed');

  // The simulator is used by further tests: a change takes back what this one wrote to it.
  await setApprovals(api, 0);
  const revert = await api<Change>('POST', `/changes/${page.url().split('/').at(-1)}/revert`);
  await api('PATCH', `/changes/${revert.id}`, { waves: { canaries: null, pause_seconds: 0 } });
  await api('POST', `/changes/${revert.id}/submit`);
  const reverted = await api<Change>('POST', `/changes/${revert.id}/apply?wait=true`, {
    override_tests: { reason: 'The end of the test' },
  });
  expect(reverted.state).toBe('awaiting_confirmation');
  // Otherwise every page of later specs says that it waits.
  await api('POST', `/changes/${revert.id}/confirm`);
});

test('an approval does not count for content that was stored after its dialog opened', async ({ api, browser }) => {
  const reviewer = { email: 'second.reviewer@example.org', password: 'Read-it-before-approval-2026' };
  const role = (await api<Listed>('GET', '/roles?limit=100')).items.find(({ name }) => name === 'security_engineer');
  await api('POST', '/users', { ...reviewer, name: 'Second reviewer', assignments: [{ role_id: role?.id }] });
  const policy = await createPolicy(api, 'lab', 'e2e reviewed');
  await setApprovals(api, 1);
  const items = [{ kind: 'policy', policy_id: policy.id }];
  const { id } = await api<Change>('POST', '/changes', { title: 'e2e seen', items });
  await api('POST', `/changes/${id}/submit`);
  const context = await browser.newContext({ baseURL: serviceUrl() });
  await context.request.post('/api/v1/auth/login', { data: reviewer });
  const page = await context.newPage();
  await page.goto(`/changes/${id}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Approve e2e seen?' });
  await typeInto(dialog.getByRole('textbox', { name: 'Comment' }), 'One source only');

  // The page behind the dialog shows the next version before the reviewer confirms.
  await api('PATCH', `/changes/${id}`, { items: [{ kind: 'policy_delete', policy_id: policy.id }] });
  await api('POST', `/changes/${id}/submit`);
  await expect(page.getByText('Version 2', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Approve change' }).click();
  await expect(dialog).toContainText('The change was changed by someone else.');
  expect(await api<Change>('GET', `/changes/${id}`)).toMatchObject({ state: 'in_review' });

  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByRole('button', { name: 'Approve change' }).click();
  await expect(state(page)).toContainText('Approved');
  await context.close();
  await api('POST', `/changes/${id}/withdraw`);
  await setApprovals(api, 0);
  await api('DELETE', `/policies/${policy.id}`);
});

test('a change that is not confirmed is rolled back, by its timer or in four clicks', async ({
  task: { page, clicks },
  api,
  simulator,
  addCluster,
}) => {
  await addCluster(simulator.cluster, { name: 'rollback-lab' });
  const { id: policy_id } = await createPolicy(api, 'rollback-lab', 'e2e timed');
  const input = { policy_id, confirm_within_seconds: 8 };
  const timed = await api<Change>('POST', '/changes/apply-policy?wait=true', input);
  await page.goto(`/changes/${timed.id}`);
  await expect(state(page)).toContainText('Rolled back');

  // Applied from the page of the policy, and taken back from another page.
  const undone = await createPolicy(api, 'rollback-lab', 'e2e undone');
  await openPage(page, `/policies/${undone.id}?apply=true`);
  const dialog = page.getByRole('dialog', { name: 'Apply e2e undone' });
  await expect(dialog.getByRole('combobox', { name: 'Rolled back unless confirmed' })).toHaveText('after 10 min');
  await expect(dialog.getByText('Dry run passed')).toBeVisible();
  const box = dialog.getByRole('checkbox', { name: 'Change these switches' });
  if ((await box.count()) > 0) await box.click();
  await dialog.getByRole('button', { name: 'Apply to 2 workloads' }).click();
  const before = clicks();
  await expect(state(page)).toContainText('Awaiting confirmation');
  await shot(page, 'awaiting');
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('link', { name: 'Confirm or roll back' }).click();
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back change' }).click();
  await expect(state(page)).toContainText('Rolled back');
  expect(clicks() - before).toBeLessThanOrEqual(4);
});

test('pending policies are applied as one change, after a conflict, without approval in an emergency', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  // What the tests before left is pending, too, once its cluster is gone.
  for (const { id } of (await api<{ items: { id: string }[] }>('GET', '/policies?q=e2e%20change')).items)
    await api('DELETE', `/policies/${id}`);
  await addCluster(simulator.cluster, { name: 'pending-lab' });
  const [first] = [
    await createPolicy(api, 'pending-lab', 'e2e pending one', [104]),
    await createPolicy(api, 'pending-lab', 'e2e pending two', [104, 105]),
  ];
  await page.goto('/policies');
  await page.getByRole('button', { name: /^Apply pending/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('list', { name: 'Policies' })).toContainText('e2e pending two');
  await shot(page, 'pending');
  await dialog.getByRole('button', { name: 'Review as one change' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Apply pending policies' })).toBeVisible();
  await expect(state(page)).toContainText('Approved');

  // Someone else edits one of them: both are shown, and one is chosen.
  await api('PATCH', `/policies/${first.id}`, { description: 'theirs' });
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  const consent = dialog.getByRole('checkbox', { name: 'Change these switches' });
  await expect(dialog.getByRole('list', { name: 'Rule changes on app-02' })).toBeVisible();
  if ((await consent.count()) > 0) await consent.click();
  await dialog.getByRole('button', { name: 'Apply change' }).click();
  await expect(dialog.getByRole('region', { name: 'Stored by another user' })).toContainText('theirs');
  await shot(page, 'conflict');
  await dialog.getByRole('button', { name: 'Overwrite with this change' }).click();
  await expect(state(page)).toContainText('Draft');

  await setApprovals(api, 1);
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(state(page)).toContainText('In review');
  await page.getByRole('button', { name: 'Actions for Apply pending policies' }).click();
  await page.getByRole('menuitem', { name: 'Apply without approval' }).click();
  await typeInto(dialog.getByRole('textbox', { name: 'Reason to apply without approval' }), 'The shop is down');
  await expect(dialog.getByRole('list', { name: 'Rule changes on app-02' })).toBeVisible();
  if ((await consent.count()) > 0) await consent.click();
  await shot(page, 'emergency');
  await dialog.getByRole('button', { name: 'Apply change' }).click();
  await expect(state(page)).toContainText('Awaiting confirmation');
  await expect(page.getByRole('main')).toContainText('The shop is down');
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back change' }).click();
  await expect(state(page)).toContainText('Rolled back');
});

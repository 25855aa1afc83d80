import { expect, type Page } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import type { Simulator } from '../fixtures/simulator';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

/** Changes the text of a guest's firewall file on the cluster, as an administrator in a shell would. */
async function editFirewall(simulator: Simulator, vmid: number, edit: (text: string) => string): Promise<void> {
  const path = `firewall/${vmid}.fw`;
  const text = String((await simulator.act('firewall_file', { path })) ?? '');
  const edited = edit(text);
  expect(edited, `firewall of ${vmid} changes`).not.toBe(text);
  await simulator.act('set_firewall_file', { path, text: edited });
}

const readFirewall = async (simulator: Simulator, vmid: number) =>
  String((await simulator.act('firewall_file', { path: `firewall/${vmid}.fw` })) ?? '');

const shot = (page: Page, name: string) => takePicture(page, `policy-${name}`);

/** Types into an endpoint picker and selects the option, which then appears in the box. */
async function chooseEndpoint(
  page: Page,
  label: 'From' | 'To',
  { typed, option, endpoint }: { typed: string; option: RegExp; endpoint: string },
): Promise<void> {
  await typeInto(page.getByRole('combobox', { name: label, exact: true }), typed);
  await page.getByRole('option', { name: option }).first().click();
  await expect(page.getByRole('button', { name: `Remove ${endpoint}`, exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
}

test('a policy passes audit, preview, dry run, apply, drift, reconcile and disable', async ({
  adminPage: page,
  simulator,
  addCluster,
  api,
}) => {
  await addCluster(simulator.cluster, { name: 'policy-lab' });

  // A group with two members, chosen from one cluster.
  await page.goto('/security-groups?add=true');
  const create = page.getByRole('dialog', { name: 'Create group' });
  await typeInto(create.getByRole('textbox', { name: 'Name' }), 'e2e-web');
  await create.getByRole('button', { name: 'Create group' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e-web' })).toBeVisible();
  await expect(page.getByText('No members yet')).toBeVisible();
  await page.getByRole('button', { name: 'Add members' }).first().click();
  const picker = page.getByRole('dialog', { name: 'Add members to e2e-web' });
  const choices = picker.getByRole('grid', { name: 'Available workloads' });
  await expect(choices.getByRole('row').nth(1)).toBeVisible();
  await typeInto(picker.getByRole('searchbox'), 'web-0');
  await expect(choices).not.toContainText('db-01');
  const ours = choices.getByRole('row').filter({ hasText: 'policy-lab' });
  await expect(ours).toHaveCount(2);
  await shot(page, 'group-picker');
  for (const row of [0, 1]) await ours.nth(row).getByRole('checkbox').click();
  await picker.getByRole('button', { name: 'Add 2 members' }).click();
  await expect(picker).toBeHidden();
  await expect(page.getByRole('grid', { name: 'Members' }).getByRole('row')).toHaveCount(3);
  await shot(page, 'group');

  // A policy: who, to whom, on which port.
  await page.goto('/policies/new');
  await typeInto(page.getByRole('textbox', { name: 'Name' }), 'e2e office to web');
  await chooseEndpoint(page, 'From', {
    typed: '10.20.21.0/24',
    option: /^10\.20\.21\.0\/24/,
    endpoint: '10.20.21.0/24',
  });
  await chooseEndpoint(page, 'To', { typed: 'e2e-web', option: /e2e-web.*Group/, endpoint: 'sg:e2e-web' });
  await expect(page.getByText('Rules are placed on 2 workloads')).toBeVisible();
  const ports = page.getByRole('textbox', { name: 'Destination ports of rule 1' });
  await typeInto(ports, '44e');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await expect(page.getByText(/Enter ports from 1 to 65535/)).toBeVisible();
  await typeInto(ports, '443');
  await expect(page.getByText(/Enter ports from 1 to 65535/)).toBeHidden();
  await expect(page.getByRole('group', { name: 'Enforcement' }).getByRole('radio').first()).toBeChecked();
  await shot(page, 'editor');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e office to web' })).toBeVisible();

  // In audit mode: a preview, but no apply, and the button says why.
  await expect(page.getByRole('status', { name: 'Preview totals' })).toContainText('2 rules added');
  await expect(page.getByRole('status', { name: 'Preview totals' })).toContainText('2 workloads');
  await shot(page, 'preview');
  const apply = page.getByRole('button', { name: 'Apply', exact: true });
  await expect(apply).toHaveAttribute('aria-disabled', 'true');
  await expect(apply).toHaveAccessibleDescription(/Audit mode/);
  await page.getByRole('button', { name: 'Switch to enforced' }).click();
  const enforce = page.getByRole('alertdialog');
  await expect(enforce).toContainText('No workload changes yet');
  await enforce.getByRole('button', { name: 'Switch to enforced' }).click();
  await expect(enforce).toBeHidden();
  await expect(page.getByText('Version 2').first()).toBeVisible();
  // What is enforced is to be applied: the preview opens, and nothing is written without its button.
  const dialog = page.getByRole('dialog', { name: 'Apply e2e office to web' });
  await expect(dialog.getByText('Dry run passed')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await readFirewall(simulator, 100), 'nothing is written before apply').not.toContain('[fabric ');

  // A disabled firewall, and an unmanaged rule left in it.
  await editFirewall(simulator, 101, (text) =>
    text
      .replace('enable: 1', 'enable: 0')
      .replace('[RULES]\n', '[RULES]\n\nIN DROP -p tcp -dport 8081 # left by somebody'),
  );
  // Dry run and preview, then apply with a result per guest.
  await apply.click();
  await expect(dialog.getByText('Dry run passed')).toBeVisible();
  expect(await readFirewall(simulator, 100), 'a dry run writes nothing').not.toContain('[fabric ');
  const dormant = dialog.getByRole('list', { name: 'Dormant items on web-02' });
  await expect(dormant).toContainText('inbound DROP tcp port 8081');
  await expect(dormant).toContainText('The rule blocks traffic that passes now');
  await shot(page, 'dry-run');
  const write = dialog.getByRole('button', { name: 'Apply to 2 workloads' });
  const box = dialog.getByRole('checkbox', { name: 'Change these switches' });
  // Another user saves a version while the dialog is open: consent to what was shown is none to its preview.
  await box.click();
  await expect(box).toBeChecked();
  const id = page.url().match(/policies\/([\w-]+)/)?.[1];
  await api('PATCH', `/policies/${id}`, { description: 'A version that was not shown' });
  await expect(dialog.getByText('Version 3')).toBeVisible();
  await expect(box).not.toBeChecked();
  await expect(dialog.getByRole('list', { name: 'Switches' })).toBeVisible();
  // Another administrator edits a guest before this is confirmed: it is skipped, shown again, and then applied.
  await editFirewall(simulator, 100, (text) => text.replace('[RULES]\n', '[RULES]\n\nIN ACCEPT -p tcp -dport 9100'));
  // Switches change all traffic of a workload: they are ticked, for each preview again.
  await expect(dialog.getByRole('list', { name: 'Switches' })).toContainText('Guest firewall: on web-02 (101)');
  await expect(write).toHaveAccessibleDescription(/Tick the box/);
  await box.click();
  await write.click();
  await expect(dialog.getByText('The preview is outdated')).toBeVisible();
  await expect(dialog.getByText(/or the desired rules changed: web-01 \(100\)\. Nothing was written/)).toBeVisible();
  for (const vmid of [100, 101]) {
    expect(await readFirewall(simulator, vmid), 'what changed is not written').not.toContain('[fabric ');
  }
  await shot(page, 'changed-since-preview');
  await dialog.getByRole('button', { name: 'Refresh preview' }).click();
  await expect(box).not.toBeChecked();
  await box.click();
  await write.click();
  // The page of the change shows what was written, and waits for the confirmation.
  await expect(page.getByRole('heading', { level: 1, name: 'Apply e2e office to web' })).toBeVisible();
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(page.locator('h1 + *')).toContainText('Confirmed');
  const results = page.getByRole('list', { name: 'Results on policy-lab' });
  await expect(results.getByRole('listitem')).toHaveCount(2);
  await expect(results).toContainText('Guest firewall: on');
  await shot(page, 'applied');
  await page.getByRole('list', { name: 'Edits' }).getByRole('link', { name: 'e2e office to web' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e office to web' })).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).click();
  const clusters = page.getByRole('grid', { name: 'Status per cluster' });
  await expect(clusters).toContainText('In sync');
  await shot(page, 'active');
  for (const vmid of [100, 101]) expect(await readFirewall(simulator, vmid)).toContain('[fabric ');

  // An administrator edits a live rule on the cluster.
  await editFirewall(simulator, 100, (text) => text.replace(/^(.*-dport )443(.*\[fabric .*)$/m, '$18443$2'));
  await page.getByRole('button', { name: 'Read workloads now' }).click();
  await expect(clusters).toContainText('Drifted');
  await expect(clusters).toContainText('A live rule of this policy was edited on the cluster');
  await shot(page, 'stale');
  const guests = page.getByRole('grid', { name: 'Workloads of the policy' });
  await guests.getByRole('row').filter({ hasText: 'web-01' }).getByRole('gridcell').nth(1).click();
  const comparison = page.getByRole('dialog', { name: /web-01/ });
  await expect(comparison.getByRole('list', { name: 'Live rules' })).toContainText('8443');
  await expect(comparison.getByRole('list', { name: 'Desired rules' })).toContainText('443');
  await shot(page, 'three-way');
  await page.keyboard.press('Escape');
  await expect(comparison).toBeHidden();
  await page.getByRole('button', { name: 'Reconcile' }).click();
  await expect(page.getByText('All workloads are in sync')).toBeVisible();
  await expect(clusters).toContainText('In sync');
  expect(await readFirewall(simulator, 100)).not.toContain('8443');

  // The guest shows the rule as managed, and a packet matches it.
  const policy = (await api<{ items: { id: string }[] }>('GET', '/policies?q=e2e%20office')).items[0];
  await openPage(page, `/workloads?q=web-01`);
  await page
    .getByRole('grid', { name: 'Workloads' })
    .getByRole('row')
    .filter({ hasText: 'policy-lab' })
    .getByRole('link', { name: 'web-01' })
    .click();
  await page.getByRole('tab', { name: 'Firewall' }).click();
  const live = page.getByRole('grid', { name: 'Live rules' });
  await expect(live.getByRole('link', { name: 'e2e office to web' })).toBeVisible();
  await typeInto(page.getByRole('textbox', { name: 'Source address' }), '10.20.21.7');
  await typeInto(page.getByRole('textbox', { name: 'Destination address' }), '10.20.20.11');
  await typeInto(page.getByRole('textbox', { name: 'Destination port' }), '443');
  await page.getByRole('button', { name: 'Test packet' }).click();
  const verdict = page.getByRole('region', { name: 'Result at net0' });
  await expect(verdict).toContainText('Allowed');
  await expect(verdict.getByRole('link', { name: 'e2e office to web' })).toBeVisible();
  await shot(page, 'guest-firewall');

  // Disabled: the rules go, with a result.
  await openPage(page, `/policies/${policy?.id}`);
  await expect(clusters).toContainText('In sync');
  await page.getByRole('button', { name: 'Actions for e2e office to web' }).click();
  await page.getByRole('menuitem', { name: 'Disable policy' }).click();
  const disable = page.getByRole('alertdialog');
  await expect(disable).toContainText('2 live rules');
  await shot(page, 'disable');
  await disable.getByRole('button', { name: 'Disable policy and remove 2 live rules' }).click();
  const deployments = page.getByRole('grid', { name: 'Deployments' });
  await expect(deployments.getByRole('row').nth(1)).toContainText('Removal of rules');
  await expect(deployments.getByRole('row').nth(1)).toContainText('Succeeded');
  await shot(page, 'deployments');
  for (const vmid of [100, 101]) expect(await readFirewall(simulator, vmid)).not.toContain('[fabric ');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page.getByRole('main').getByText('Not deployed').first()).toBeVisible();
  await api('DELETE', `/policies/${policy?.id}`);
});

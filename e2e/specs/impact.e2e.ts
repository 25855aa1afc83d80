import { expect, type Locator, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { enrollNode } from '../fixtures/reporting-node';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };
type Listed<T = Item> = { items: T[] };

const OFFICE = '10.9.0.7';
const PROBE = '10.9.0.9';
const APP = '10.60.10.12';

const shot = (page: Page, name: string) => takePicture(page, `impact-${name}`);

/** Types into an endpoint picker and selects the option. */
async function chooseEndpoint(page: Page, label: 'From' | 'To', typed: string, option: RegExp): Promise<void> {
  await typeInto(page.getByRole('combobox', { name: label, exact: true }), typed);
  await page.getByRole('option', { name: option }).first().click();
  await page.keyboard.press('Escape');
}

const choose = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('radio', { name }).click();

/** Presses the button that computes, and waits for the result. */
async function compute(impact: Locator, name: string): Promise<void> {
  await impact.getByRole('button', { name }).first().click();
  await expect(impact.getByText(/^Single flows/)).toBeVisible();
  await expect(impact.getByRole('progressbar')).toHaveCount(0);
}

test('a draft whose impact shows what it would cut is corrected, and applied with and without an acknowledgment', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'impact-lab' });
  await api('POST', '/ipam/discover?wait=true', { cluster_ids: [cluster.id] });
  const node = (await api<Listed>('GET', `/nodes?cluster_id=${cluster.id}`)).items.find(({ name }) => name === 'pve2');
  if (!node) throw new Error('the simulator has no node pve2');
  const agent = await enrollNode(api, node);
  const towards = (source_ip: string, destination_port: number) => ({
    source_ip,
    destination_ip: APP,
    destination_port,
    vmid: 104,
    nic: 0,
    bytes: 5_000_000,
    packets: 4000,
  });
  await agent.report([towards(OFFICE, 443), towards(PROBE, 9100)]);
  // An impact is computed from what was last read, and nothing was read of a new cluster yet.
  const [app] = (await api<Listed>('GET', `/workloads?cluster_id=${cluster.id}&q=app-02`)).items;
  await api('GET', `/workloads/${app?.id}/firewall`);
  await api('POST', '/policy-tests', {
    name: 'monitoring reaches app',
    expect: 'allow',
    from: [PROBE],
    to: ['vmid:impact-lab/104'],
    protocol: 'tcp',
    ports: ['9100'],
  });

  await page.goto('/policies/new');
  await typeInto(page.getByRole('textbox', { name: 'Name' }), 'impact office to app');
  await chooseEndpoint(page, 'From', '10.0.0.0/8', /^10\.0\.0\.0\/8/);
  await chooseEndpoint(page, 'To', 'vmid:impact-lab/104', /vmid:impact-lab\/104/);
  const ports = page.getByRole('textbox', { name: 'Destination ports of rule 1' });
  await typeInto(ports, '443');
  await choose(page, 'Enforcement', 'Enforced');
  await choose(page, 'Default policy', 'Drop');

  const impact = page.locator('section', { has: page.getByRole('heading', { name: 'Impact', exact: true }) });
  const rows = impact.getByRole('grid', { name: 'Conversations' }).getByRole('row');
  const total = (name: string) =>
    impact.getByRole('group', { name: 'Conversations by outcome' }).getByRole('button', { name });

  await test.step('the draft shows the conversation it would cut, and the test that would fail', async () => {
    await compute(impact, 'Compute impact');
    await expect(impact.getByText('1 observed conversation would be blocked')).toBeVisible();
    await expect(impact.getByText('One policy test would fail')).toBeVisible();
    await expect(impact.getByRole('link', { name: 'monitoring reaches app' })).toBeVisible();
    await expect(total('Newly blocked')).toContainText('1');
    await expect(rows.nth(1)).toContainText(PROBE);
    await expect(rows.nth(1)).toContainText('app-02');
    await expect(rows.nth(1)).toContainText('tcp/9100');
    await expect(rows.nth(1)).toContainText('dropped by default policy');
    await total('Newly blocked').click();
    await expect(page).toHaveURL(/outcome=newly_blocked/);
    await expect(rows).toHaveCount(2);
    await total('Newly blocked').click();
    await expect(rows).toHaveCount(3);
    // An agent that reports for a minute proves little, and the page says so.
    await expect(impact.getByText('There may be more: the evidence is incomplete.')).toBeVisible();
    await shot(page, 'cuts');
    await expectAccessible(page, 'the impact of a draft');
  });

  await test.step('corrected, it cuts nothing, and the test holds', async () => {
    await typeInto(ports, '443, 9100');
    await expect(impact.getByText('The content changed since this impact was computed')).toBeVisible();
    await compute(impact, 'Compute again');
    await expect(impact.getByText('The content changed since this impact was computed')).toBeHidden();
    await expect(impact.getByText(/would be blocked/)).toBeHidden();
    await expect(impact.getByText('One policy test would fail')).toBeHidden();
    await expect(total('Still allowed')).toContainText('2');
    await shot(page, 'corrected');
  });

  const dialog = page.getByRole('dialog', { name: 'Apply impact office to app' });
  const apply = dialog.getByRole('button', { name: 'Apply to 1 workload' });
  /** Whatever is switched is not what this is about. */
  const tickSwitches = async () => {
    const box = dialog.getByRole('checkbox', { name: 'Change these switches' });
    if ((await box.count()) > 0) await box.click();
  };
  /** The page of the change that it became; the next edit of the policy needs it confirmed. */
  const confirm = async () => {
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(page.locator('h1 + *')).toContainText('Confirmed');
  };
  await test.step('an apply that cuts nothing asks for nothing', async () => {
    await page.getByRole('button', { name: 'Create policy' }).click();
    await expect(dialog.getByRole('region', { name: 'Impact' })).toContainText('Still allowed: 2');
    await expect(dialog.getByRole('checkbox', { name: /Block/ })).toHaveCount(0);
    await tickSwitches();
    await apply.click();
    await confirm();
  });

  const { id } = (await api<Listed>('GET', '/policies?q=impact%20office')).items[0] ?? { id: '' };
  await test.step('one that cuts asks to acknowledge the number', async () => {
    const [failing] = (await api<Listed>('GET', '/policy-tests?q=monitoring')).items;
    await api('DELETE', `/policy-tests/${failing?.id}`);
    await openPage(page, `/policies/${id}/edit`);
    await typeInto(page.getByRole('textbox', { name: 'Destination ports of rule 1' }), '443');
    await page.getByRole('button', { name: 'Save new version' }).click();
    await expect(page.getByRole('status', { name: 'Preview totals' })).toBeVisible();
    await page.getByRole('button', { name: 'Apply', exact: true }).click();
    await expect(dialog.getByText('1 observed conversation would be blocked')).toBeVisible();
    await expect(dialog.getByRole('list', { name: 'Newly blocked' })).toContainText(`${PROBE} → app-02 tcp/9100`);
    await expect(apply).toHaveAttribute('aria-disabled', 'true');
    await expect(apply).toHaveAccessibleDescription(/Acknowledge/);
    await shot(page, 'acknowledge');
    await expectAccessible(page, 'the dialog that applies');
    await dialog.getByRole('checkbox', { name: 'Block 1 observed conversation nevertheless' }).click();
    await tickSwitches();
    await apply.click();
    await confirm();
  });

  await test.step('the audit record says what was acknowledged', async () => {
    await page.goto(`/audit?action=change.applying&object_id=${page.url().split('/').at(-1)}`);
    await page.getByRole('grid').getByRole('row').nth(1).click();
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByRole('rowheader', { name: 'Impact, Newly blocked' })).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('an impact has a page of its own, which can be computed again', async () => {
    await openPage(page, `/policies/${id}?tab=preview`);
    const link = page.getByRole('link', { name: 'Open impact' });
    await openPage(page, (await link.getAttribute('href')) ?? '');
    await expect(page.getByRole('heading', { level: 1, name: 'Impact of impact office to app' })).toBeVisible();
    const before = page.url();
    await page
      .getByRole('button', { name: 'Time: Last 24 hours' })
      .or(page.getByRole('button', { name: /^Time: / }))
      .click();
    await page.getByRole('button', { name: 'Last 400 days' }).click();
    await expect(page).not.toHaveURL(before);
    await expect(page.getByText(/^Hourly rollups/)).toBeVisible();
    await shot(page, 'page');
    await expectAccessible(page, 'an impact');
  });
  // The next spec finds the workload without rules.
  await api('DELETE', `/policies/${id}`);
  await expect
    .poll(async () => JSON.stringify(await api<object>('GET', `/workloads/${app?.id}/firewall`)))
    .not.toContain(id);
});

import { expect, type Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import { expectAccessible } from '../fixtures/axe';
import {
  expectLargeTargets,
  expectListsFit,
  expectNoLayoutShifts,
  expectPageFrame,
  forgetLayoutShifts,
  watchLayoutShifts,
} from '../fixtures/layout';
import { openPage } from '../fixtures/open-page';
import { expectSecureHeaders } from '../fixtures/security-headers';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';

type Item = { id: string; name: string };

/** A group and a policy to look at, made when they are not there yet. */
async function ensurePolicy(api: Api): Promise<Omit<Seen, 'cluster'>> {
  const find = async (path: string, name: string) =>
    (await api<{ items: Item[] }>('GET', `${path}?q=${name}`)).items.find((item) => item.name === name)?.id;
  const group =
    (await find('/security-groups', 'seen-prod')) ??
    (await api<Item>('POST', '/security-groups', { name: 'seen-prod', member_tags: ['prod'] })).id;
  const policy =
    (await find('/policies', 'seen-office')) ??
    (
      await api<Item>('POST', '/policies', {
        name: 'seen-office',
        description: 'What the office may reach',
        definition: {
          enforcement_mode: 'enforced',
          direction: 'both',
          sources: ['10.0.0.0/8', 'tag:no-such-tag'],
          targets: ['sg:seen-prod'],
        },
        rules: [
          { action: 'accept', protocol: 'tcp', destination_ports: ['443', '8000-8080'], comment: 'web' },
          { action: 'accept', protocol: 'icmp', icmp_type: 'echo-request' },
          { action: 'drop', protocol: 'any', log: 'info', enabled: false },
        ],
      })
    ).id;
  const test =
    (await find('/policy-tests', 'seen-test')) ??
    (
      await api<Item>('POST', '/policy-tests', {
        name: 'seen-test',
        expect: 'deny',
        from: ['any', '!10.0.0.0/8'],
        to: ['sg:seen-prod'],
        protocol: 'tcp',
        ports: ['22'],
        reason: 'Nobody outside administers workloads',
      })
    ).id;
  const impact = (await api<{ id: string }>('POST', `/policies/${policy}/impact?wait=true`, {})).id;
  return { group, policy, test, impact };
}

/** What an area's pages need: the id of a list's first item, and of what was made to look at. */
type Seen = { cluster: string; group: string; policy: string; test: string; impact: string };
type First = (path: string) => Promise<string>;
/** Name of the screenshots, path, and the page's heading ('' for any). */
type PageToSee = readonly [string, string, string];

const AREAS: Record<string, (first: First, seen: Seen) => Promise<readonly PageToSee[]>> = {
  inventory: async (first, { cluster }) => [
    ['clusters', '/clusters', 'Clusters'],
    ['cluster', `/clusters/${cluster}`, ''],
    ['cluster-nodes', `/clusters/${cluster}?tab=nodes`, ''],
    ['cluster-runs', `/clusters/${cluster}?tab=runs`, ''],
    ['add-cluster', '/clusters?add=true', ''],
    ['nodes', '/nodes', 'Nodes'],
    ['node', `/nodes/${await first('/nodes')}`, ''],
    ['workloads', '/workloads', 'Workloads'],
    ['workload', `/workloads/${await first('/workloads')}`, ''],
    ['networks', '/networks', 'Networks'],
    ['network', `/networks/${await first('/networks')}`, ''],
  ],
  addresses: async (first) => [
    ['addresses', '/addresses', 'Addresses'],
    ['addresses-all', '/addresses?tab=addresses', 'Addresses'],
    ['addresses-conflicts', '/addresses?tab=conflicts', 'Addresses'],
    ['addresses-imports', '/addresses?tab=imports', 'Addresses'],
    ['addresses-import', '/addresses/import', 'Import'],
    ['netbox-sources', '/addresses/netbox', 'NetBox sources'],
    ['address', `/addresses/${await first('/ip-addresses')}`, ''],
    ['subnet', `/addresses/subnets/${await first('/subnets')}`, ''],
    ['subnet-addresses', `/addresses/subnets/${await first('/subnets')}?tab=addresses`, ''],
    ['subnet-ranges', `/addresses/subnets/${await first('/subnets')}?tab=ranges`, ''],
  ],
  // In turn, so that each is loaded: a click moves what they show, and that is meant.
  'overview and reference': async () => [
    ['dashboard', '/', 'Dashboard'],
    ['reference', '/reference', 'API reference'],
    ['dashboard-day', '/?range=24h', 'Dashboard'],
    ['reference-call', '/reference?q=policies&call=postPoliciesByPolicyIdApply', 'API reference'],
  ],
  'traffic and agents': async (first) => [
    ['flows', '/flows', 'Flows'],
    ['flows-grouped', '/flows?group=service&range=24h', 'Flows'],
    ['flow-estimates', '/flows/estimates', 'Estimates'],
    ['flows-live', '/flows?live=true', 'Flows'],
    ['workload-traffic', `/workloads/${await first('/workloads')}?tab=traffic`, ''],
    ['reach', '/reach?from=outside&to=any', 'Reachability'],
    ['reach-workload', `/reach?tab=workload&workload_id=${await first('/workloads')}`, 'Reachability'],
    ['reach-matrix', '/reach?tab=matrix&by=tag', 'Reachability'],
    ['agents', '/agents', 'Agents'],
    ['agent', `/agents/${await first('/nodes')}`, ''],
  ],
  policies: async (first, { group, policy, test, impact }) => [
    ['cluster-firewall', `/clusters/${await first('/clusters')}?tab=firewall`, ''],
    ['node-firewall', `/nodes/${await first('/nodes')}?tab=firewall`, ''],
    ['workload-firewall', `/workloads/${await first('/workloads')}?tab=firewall`, ''],
    ['policies', '/policies', 'Policies'],
    ['policy', `/policies/${policy}`, 'seen-office'],
    ['policy-rules', `/policies/${policy}?tab=rules`, 'seen-office'],
    ['policy-coverage', `/policies/${policy}?tab=coverage`, 'seen-office'],
    ['policy-hygiene', `/policies/${policy}?tab=hygiene`, 'seen-office'],
    ['policy-preview', `/policies/${policy}?tab=preview`, 'seen-office'],
    ['policy-versions', `/policies/${policy}?tab=versions`, 'seen-office'],
    ['policy-deployments', `/policies/${policy}?tab=deployments`, 'seen-office'],
    ['policy-new', '/policies/new', 'New policy'],
    ['policy-edit', `/policies/${policy}/edit`, 'Edit seen-office'],
    ['impact', `/impacts/${impact}`, 'Impact of seen-office'],
    ['changes', '/changes', 'Changes'],
    ['drift', '/drift', 'Drift'],
    ['coverage', '/coverage', 'Coverage'],
    ['hygiene', '/coverage/hygiene', 'Rule hygiene'],
    ['policy-tests', '/policy-tests', 'Policy tests'],
    ['policy-test', `/policy-tests/${test}`, 'seen-test'],
    ['security-groups', '/security-groups', 'Groups'],
    ['security-group', `/security-groups/${group}`, 'seen-prod'],
    ['security-group-usage', `/security-groups/${group}?tab=policies`, 'seen-prod'],
  ],
  administration: async (first) => [
    ['jobs', '/jobs', 'Jobs'],
    ['jobs-queues', '/jobs?tab=queues', 'Jobs'],
    ['audit', '/audit', 'Audit'],
    ['users', '/users', 'Users'],
    ['user', `/users/${await first('/users')}`, ''],
    ['user-access', `/users/${await first('/users')}?tab=access`, ''],
    ['add-user', '/users?add=true', ''],
    ['roles', '/roles', 'Roles'],
    ['role', `/roles/${await first('/roles')}`, ''],
    ['sign-in-provider', '/sign-in-provider', 'Sign-in provider'],
    ['sign-in-directory', '/sign-in-provider?tab=directory', 'Sign-in provider'],
    ['tenants', '/tenants', 'Tenants'],
    ['projects', '/projects', 'Projects'],
    ['mapping-rules', '/mapping-rules', 'Mapping rules'],
    ['mapping-conflicts', '/mapping-rules?tab=conflicts', 'Mapping rules'],
    ['add-mapping-rule', '/mapping-rules?add=true', ''],
    ['settings', '/settings', 'Settings'],
    ['notifications', '/notifications', 'Notifications'],
    ['notification-rules', '/notifications?tab=rules', 'Notifications'],
    ['create-notification-rule', '/notifications?tab=rules&add=true', ''],
    ['notification-channels', '/notifications?tab=channels', 'Notifications'],
    ['add-notification-channel', '/notifications?tab=channels&add=true', ''],
    ['notification-deliveries', '/notifications?tab=deliveries', 'Notifications'],
    ['notification-email', '/notifications?tab=email', 'Notifications'],
    ['flow-exporters', '/agents/exporters', 'Flow exporters'],
    ['add-flow-exporter', '/agents/exporters?add=true', ''],
    ['forwarding', '/settings/forwarding', 'Log forwarding'],
    ['add-forwarding-destination', '/settings/forwarding?add=true', ''],
    ['account', '/account', 'Account'],
    ['account-security', '/account?tab=security', 'Account'],
    ['account-tokens', '/account?tab=tokens', 'Account'],
  ],
};

const LOOKS = [
  { name: '1440', theme: 'dark', width: 1440, height: 900 },
  { name: '390', theme: 'light', width: 390, height: 844 },
] as const;
/** With `FABRIC_E2E_PICTURES=true` the sweep leaves a picture of every page in `test-results/screens`, for people to look at. */
const PICTURES = process.env.FABRIC_E2E_PICTURES === 'true';

// Each area is a test of its own, on whichever worker is free.
test.describe.configure({ mode: 'parallel' });

/**
 * Loads a page; its tabs and dialogs open in the loaded page. The server renders the same for each of them, what surrounds all pages: the
 * rest waits for the session, which only the browser has.
 */
async function show(page: Page, path: string): Promise<void> {
  const shown = new URL(page.url());
  if (new URL(path, serviceUrl()).pathname !== shown.pathname) {
    await expectSecureHeaders(await page.goto(path), path);
    return;
  }
  await forgetLayoutShifts(page);
  await openPage(page, path);
}

/**
 * Checks a page in both sizes and both themes. All pairs of colors, in both themes, have a unit test (`theme.test.ts`), so contrast
 * is measured once, to find a color that is not of the theme.
 */
async function checkPage(page: Page, [file, path, heading]: PageToSee): Promise<void> {
  for (const [i, { name, theme, ...viewport }] of LOOKS.entries()) {
    await page.setViewportSize(viewport);
    if (i === 0) await show(page, path);
    // Behind an open dialog the heading is hidden from assistive technology, and visible all the same.
    const found = heading ? page.getByRole('heading', { level: 1, name: heading }) : page.locator('h1').first();
    await expect(found).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await setTheme(page, theme);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(sideways, `${path} scrolls sideways at ${name} px`).toBeLessThanOrEqual(0);
    await expectAccessible(page, `${path}, ${theme}, ${name} px`, { contrast: i === 0 });
    await expectLargeTargets(page, `${path} at ${name} px`);
    if (viewport.width === 1440) {
      await expectListsFit(page, path);
      await expectPageFrame(page, path);
      await expectNoLayoutShifts(page, path);
    }
    if (PICTURES) await takePictures(page, `test-results/screens/${file}-${name}`);
  }
}

async function takePictures(page: Page, file: string): Promise<void> {
  for (const theme of ['light', 'dark']) {
    await setTheme(page, theme);
    await page.screenshot({ path: `${file}-${theme}.png` });
  }
}

for (const [area, pagesOf] of Object.entries(AREAS)) {
  test(`pages of ${area} are accessible, stay still and fit at 1440 and 390 px in light and dark theme`, async ({
    adminPage: page,
    api,
  }) => {
    const getFirstId = async (path: string) => (await api<{ items: Item[] }>('GET', path)).items[0]?.id ?? '';
    const first = (path: string) => getFirstId(`${path}?limit=1`);
    const seen = { cluster: await getFirstId('/clusters?q=lab&limit=1'), ...(await ensurePolicy(api)) };
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await watchLayoutShifts(page);
    for (const one of await pagesOf(first, seen)) await checkPage(page, one);
  });
}

test('the sign-in page, light and dark, 1440 and 390 px: accessible, no sideways scroll', async ({ page }) => {
  await watchLayoutShifts(page);
  await checkPage(page, ['login', '/login', 'Sign in']);
});

test('a selected theme applies before any script runs', async ({ adminPage: page }) => {
  await page.goto('/clusters');
  for (const theme of ['light', 'dark']) {
    await setTheme(page, theme);
    const response = await page.goto('/clusters');
    expect(await response?.text()).toContain(`data-theme="${theme}"`);
  }
});

test('a page prefetches only the page under the pointer', async ({ adminPage: page }) => {
  const ahead: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (searchParams.has('_rsc')) ahead.push(pathname);
  });
  await page.goto('/workloads');
  await expect(page.getByRole('grid', { name: 'Workloads' }).getByRole('link').first()).toBeVisible();
  expect(ahead).toEqual([]);
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Nodes' }).hover();
  await expect.poll(() => [...new Set(ahead)]).toEqual(['/nodes']);
});

import { expect, type Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import { expectAccessible } from '../fixtures/axe';
import { test } from '../fixtures/test';

type Item = { id: string; name: string };

/** A group and a policy to look at, made when they are not there yet. */
async function ensurePolicy(api: Api): Promise<{ group: string; policy: string }> {
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
  return { group, policy };
}

const THEMES = ['light', 'dark'] as const;
const SIZES = [
  { name: '1440', width: 1440, height: 900 },
  { name: '390', width: 390, height: 844 },
] as const;

/** Chooses the theme as the menu does: a cookie that the server reads. */
const setTheme = (page: Page, theme: string) =>
  page.context().addCookies([{ name: 'fabric_theme', value: theme, url: page.url() }]);

for (const theme of THEMES) {
  for (const { name, ...viewport } of SIZES) {
    test(`every page, ${theme}, ${name} px: accessible, no sideways scroll`, async ({ adminPage: page, api }) => {
      test.setTimeout(480_000);
      const first = async (path: string) => (await api<{ items: Item[] }>('GET', `${path}?limit=1`)).items[0]?.id ?? '';
      const cluster = (await api<{ items: Item[] }>('GET', '/clusters?q=lab&limit=1')).items[0]?.id ?? '';
      const { group, policy } = await ensurePolicy(api);
      const pages: [string, string, string][] = [
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
        ['addresses', '/addresses', 'Addresses'],
        ['addresses-all', '/addresses?tab=addresses', 'Addresses'],
        ['addresses-conflicts', '/addresses?tab=conflicts', 'Addresses'],
        ['addresses-imports', '/addresses?tab=imports', 'Addresses'],
        ['addresses-import', '/addresses/import', 'Import'],
        ['subnet', `/addresses/subnets/${await first('/subnets')}`, ''],
        ['subnet-addresses', `/addresses/subnets/${await first('/subnets')}?tab=addresses`, ''],
        ['subnet-ranges', `/addresses/subnets/${await first('/subnets')}?tab=ranges`, ''],
        ['flows', '/flows', 'Flows'],
        ['flows-grouped', '/flows?group=service&range=24h', 'Flows'],
        ['flows-live', '/flows?live=true', 'Flows'],
        ['agents', '/agents', 'Agents'],
        ['agent', `/agents/${await first('/nodes')}`, ''],
        ['workload-firewall', `/workloads/${await first('/workloads')}?tab=firewall`, ''],
        ['policies', '/policies', 'Policies'],
        ['policy', `/policies/${policy}`, 'seen-office'],
        ['policy-rules', `/policies/${policy}?tab=rules`, 'seen-office'],
        ['policy-preview', `/policies/${policy}?tab=preview`, 'seen-office'],
        ['policy-versions', `/policies/${policy}?tab=versions`, 'seen-office'],
        ['policy-deployments', `/policies/${policy}?tab=deployments`, 'seen-office'],
        ['policy-new', '/policies/new', 'New policy'],
        ['policy-edit', `/policies/${policy}/edit`, 'Edit seen-office'],
        ['security-groups', '/security-groups', 'Security groups'],
        ['security-group', `/security-groups/${group}`, 'seen-prod'],
        ['security-group-usage', `/security-groups/${group}?tab=policies`, 'seen-prod'],
        ['jobs', '/jobs', 'Jobs'],
        ['jobs-queues', '/jobs?tab=queues', 'Jobs'],
        ['audit', '/audit', 'Audit'],
        ['users', '/users', 'Users'],
        ['user', `/users/${await first('/users')}`, ''],
        ['user-access', `/users/${await first('/users')}?tab=access`, ''],
        ['add-user', '/users?add=true', ''],
        ['roles', '/roles', 'Roles'],
        ['role', `/roles/${await first('/roles')}`, ''],
        ['tenants', '/tenants', 'Tenants'],
        ['projects', '/projects', 'Projects'],
        ['settings', '/settings', 'Settings'],
        ['account', '/account', 'Account'],
      ];
      await page.setViewportSize(viewport);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.goto('/clusters');
      await setTheme(page, theme);
      for (const [file, path, heading] of pages) {
        await page.goto(path);
        await expect(
          heading ? page.getByRole('heading', { level: 1, name: heading }) : page.locator('h1').first(),
        ).toBeVisible();
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
        await page.screenshot({ path: `test-results/screens/${file}-${name}-${theme}.png` });
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(sideways, `${path} scrolls sideways`).toBeLessThanOrEqual(0);
        await expectAccessible(page, `${path}, ${theme}, ${name} px`);
      }
      await page.context().clearCookies({ name: 'fabric_refresh' });
      await page.goto('/login');
      await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
      await page.screenshot({ path: `test-results/screens/login-${name}-${theme}.png` });
      await expectAccessible(page, `the sign-in page, ${theme}, ${name} px`);
    });
  }
}

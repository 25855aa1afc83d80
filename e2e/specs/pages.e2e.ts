import { expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { test } from '../fixtures/test';

type Item = { id: string; name: string };

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
        ['jobs', '/jobs', 'Jobs'],
        ['jobs-queues', '/jobs?tab=queues', 'Jobs'],
        ['audit', '/audit', 'Audit'],
        ['users', '/users', 'Users'],
        ['user', `/users/${await first('/users')}`, ''],
        ['user-access', `/users/${await first('/users')}?tab=access`, ''],
        ['add-user', '/users?add=true', 'Users'],
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

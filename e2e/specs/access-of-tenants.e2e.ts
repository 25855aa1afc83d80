import { randomUUID } from 'node:crypto';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { addSubnet, getNetwork } from '../fixtures/ipam';
import { openPage } from '../fixtures/open-page';
import { enrollNode } from '../fixtures/reporting-node';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';

type Item = { id: string; name: string };

const PASSWORD = 'five patient lighthouses';

/** Errors, and calls answered "not permitted" or "not found" on a page the user was led to. */
type Complaint = string;

/** Signs a user in and records what fails on the pages they see, and every answer that names objects of others. */
async function openRecordedSession(context: BrowserContext, email: string, foreign: readonly string[]) {
  const login = await context.request.post(`${serviceUrl()}/api/v1/auth/login`, {
    data: { email, password: PASSWORD },
  });
  expect(login.status()).toBe(200);
  const page = await context.newPage();
  const complaints: Complaint[] = [];
  let at = '';
  page.on('response', async (response) => {
    const url = response.url().replace(serviceUrl(), '').slice(0, 160);
    if (!url.startsWith('/api/')) return;
    if (response.status() >= 400) complaints.push(`${at}: ${response.status()} ${url}`);
    const type = response.headers()['content-type'] ?? '';
    if (!type.includes('json')) return;
    const text = await response.text().catch(() => '');
    for (const secret of foreign) if (text.includes(secret)) complaints.push(`${at}: ${url} tells ${secret}`);
  });
  page.on('pageerror', (error) => complaints.push(`${at}: ${error.message}`));
  const visit = async (path: string) => {
    at = path;
    await openPage(page, path);
    await expect(page.locator('h1').first(), path).toBeVisible();
    await expect(page.locator('[aria-busy="true"]'), path).toHaveCount(0);
    const text = (await page.locator('main').textContent()) ?? '';
    for (const secret of foreign) if (text.includes(secret)) complaints.push(`${path} shows ${secret}`);
    if (/page not found|there is no such|went wrong/i.test(text)) complaints.push(`${path} is a dead end`);
  };
  return { page, visit, complaints };
}

/** Paths of our own pages that the page links to, ids of the same kind only once. */
async function listLinks(page: Page): Promise<string[]> {
  const hrefs = await page
    .locator('a[href^="/"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  return hrefs.filter((href) => !href.startsWith('/api/'));
}

/** What a link leads to, without which of its kind and how narrowed down: `/workloads/{id}?tab=traffic`. */
const toLinkPattern = (href: string) => {
  const url = new URL(href, 'http://fabric.test');
  const path = url.pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
  return `${path}?${url.searchParams.get('tab') ?? ''}`;
};

test('a user of one tenant meets no dead end, no error and no data of another tenant', async ({
  api,
  simulator,
  addCluster,
  browser,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'shared-iron' });
  const [node] = (await api<{ items: Item[] }>('GET', `/nodes?cluster_id=${cluster.id}`)).items;
  if (!node) throw new Error('the simulator has no node');
  const all = await api<{ items: (Item & { template: boolean })[] }>(
    'GET',
    `/workloads?cluster_id=${cluster.id}&node_id=${node.id}&limit=500&template=false`,
  );
  const [ownGuest, ownSecond, foreignGuest] = all.items;
  if (!ownGuest || !ownSecond || !foreignGuest) throw new Error('too few guests');

  const network = await getNetwork(api, cluster.id, 'vmbr1');
  await addSubnet(api, network, '10.91.0.0/24');
  const make = async (name: string, guests: readonly Item[], address: string) => {
    const tenant = await api<Item>('POST', '/tenants', { name });
    const project = await api<Item>('POST', '/projects', { tenant_id: tenant.id, name: `${name} shop` });
    await api('POST', '/workloads/assign', { project_id: project.id, workload_ids: guests.map(({ id }) => id) });
    const group = await api<Item>('POST', '/security-groups', { name: `${name} group`, tenant_id: tenant.id });
    await api('POST', `/security-groups/${group.id}/members`, { workload_id: guests[0]?.id });
    const policy = await api<Item>('POST', '/policies', {
      name: `${name} policy`,
      tenant_id: tenant.id,
      definition: { enforcement_mode: 'audit', direction: 'in', sources: ['any'], targets: [`sg:${group.id}`] },
      rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['443'] }],
    });
    const ip = await api<Item>('POST', '/ip-addresses', {
      network_id: network.id,
      address,
      workload_id: guests[0]?.id,
    });
    return { tenant, project, group, policy, ip, address };
  };
  const own = await make('Azure meadow', [ownGuest, ownSecond], '10.91.0.21');
  const other = await make('Crimson quarry', [foreignGuest], '10.91.0.77');
  const agent = await enrollNode(api, node);
  await agent.report([
    { source_ip: '203.0.113.9', destination_ip: own.address, destination_port: 22, bytes: 9000 },
    { source_ip: own.address, destination_ip: '198.51.100.4', bytes: 4000 },
    { source_ip: other.address, destination_ip: '192.0.2.250', bytes: 7000 },
  ]);
  const roles = await api<{ items: (Item & { name: string })[] }>('GET', '/roles?limit=100');
  const person = async (role: string) => {
    const email = `${role}.${randomUUID().slice(0, 8)}@example.org`;
    const role_id = roles.items.find(({ name }) => name === role)?.id;
    const assignments = [{ role_id, tenant_id: own.tenant.id }];
    return { email, ...(await api<Item>('POST', '/users', { email, password: PASSWORD, assignments })) };
  };
  const foreign = [
    'Crimson quarry',
    other.tenant.id,
    other.project.id,
    other.group.id,
    other.policy.id,
    other.ip.id,
    foreignGuest.id,
    '192.0.2.250',
  ];
  const engineer = await person('security_engineer');
  // Who may do least and who may do most: what others see is in between.
  const people = [await person('viewer'), await person('admin')];
  const seen: Record<string, number> = {};
  for (const { email } of people) {
    await test.step(email.split('.')[0] ?? '', async () => {
      const context = await browser.newContext({ baseURL: serviceUrl() });
      const { page, visit, complaints } = await openRecordedSession(context, email, foreign);
      const visited = new Set<string>();
      let waiting = ['/'];
      while (waiting.length > 0) {
        const next: string[] = [];
        for (const href of waiting) {
          if (visited.has(toLinkPattern(href))) continue;
          visited.add(toLinkPattern(href));
          await visit(href);
          next.push(...(await listLinks(page)));
        }
        waiting = next;
      }
      seen[email] = visited.size;
      expect(complaints, email).toEqual([]);
      expect([...visited].join(' ')).not.toMatch(/\/(clusters|nodes|jobs|settings|users|roles|mapping-rules)\b/);
      for (const path of ['/workloads', '/flows', '/policies', '/security-groups', '/addresses', '/topology', '/']) {
        expect(
          [...visited].some((kind) => kind.startsWith(`${path}?`)),
          path,
        ).toBe(true);
      }
      await context.close();
    });
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(12);

  await test.step('their own things are there, whole', async () => {
    const context = await browser.newContext({ baseURL: serviceUrl() });
    const { page, visit, complaints } = await openRecordedSession(context, engineer.email, foreign);
    await visit('/workloads');
    await expect(
      page.getByRole('grid', { name: 'Workloads' }).getByRole('link', { name: ownGuest.name, exact: true }),
    ).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: '2 workloads' })).toBeVisible();
    await visit('/policies');
    await expect(page.getByRole('link', { name: 'Azure meadow policy' })).toBeVisible();
    await visit('/flows');
    await expect(page.getByText('203.0.113.9').first()).toBeVisible();
    await visit('/');
    await expectAccessible(page, 'dashboard of a tenant user');
    expect(complaints).toEqual([]);
    await context.close();
  });

  await test.step('a link sent by another user says what is missing, and offers a way on', async () => {
    const context = await browser.newContext({ baseURL: serviceUrl() });
    const { page } = await openRecordedSession(context, people[0]?.email ?? '', []);
    for (const path of [
      '/clusters',
      '/users',
      '/settings',
      '/jobs',
      '/mapping-rules',
      `/clusters/${cluster.id}`,
      `/nodes/${node.id}`,
    ]) {
      await openPage(page, path);
      await expect(
        page
          .locator('main')
          .getByText(/requires the permission|An administrator can assign you/)
          .first(),
        path,
      ).toBeVisible();
      await expect(
        page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Workloads' }),
        path,
      ).toBeVisible();
    }
    for (const path of [
      `/workloads/${foreignGuest.id}`,
      `/policies/${other.policy.id}`,
      `/security-groups/${other.group.id}`,
      `/addresses/${other.ip.id}`,
    ]) {
      await openPage(page, path);
      await expect(
        page
          .locator('main')
          .getByText(/There is no such|not found/i)
          .first(),
        path,
      ).toBeVisible();
      await expect(page.locator('main')).not.toContainText('Crimson');
      await expect(page.locator('main').getByRole('link', { name: 'Go to the start page' }), path).toBeVisible();
    }
    await context.close();
  });

  // The other specs find the installation as it was.
  for (const { id } of [engineer, ...people]) await api('DELETE', `/users/${id}`);
  for (const { policy, group } of [own, other]) {
    await api('DELETE', `/policies/${policy.id}`);
    await api('DELETE', `/security-groups/${group.id}`);
  }
  await api('DELETE', `/clusters/${cluster.id}`);
  for (const { project, tenant } of [own, other]) {
    await api('DELETE', `/projects/${project.id}`);
    await api('DELETE', `/tenants/${tenant.id}`);
  }
});

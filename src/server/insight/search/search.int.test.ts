import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SearchKind, SearchResults } from '@/domain/search/search';
import { db } from '@/server/db/client';
import { roleAssignments, roles } from '@/server/db/schema/access';
import { ipAddresses } from '@/server/db/schema/addresses';
import { networks, subnets } from '@/server/db/schema/networks';
import { apiTokens } from '@/server/db/schema/sign-in';
import { workloadInterfaces } from '@/server/db/schema/workloads';
import { newId } from '@/server/lib/ids';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Headers = { authorization: string };

let fixture: Awaited<ReturnType<typeof build>>;
beforeAll(async () => {
  fixture = await build();
});

/** A workload with an interface on a network with a prefix, and an address there. */
async function createNetworkedWorkload(cluster: { id: string }, project: { id: string }, name: string, third: number) {
  const workload = await makeWorkload(cluster, project, { vmid: 700 + third, name, tags: [`${name}-tag`] });
  const network = {
    id: newId(),
    cluster_id: cluster.id,
    name: `${name}-net`,
    kind: 'vnet' as const,
    vlan_tag: 20 + third,
  };
  await db.insert(networks).values({ ...network, source: 'manual' });
  const subnet = { id: newId(), cluster_id: cluster.id, network_id: network.id, cidr: `10.9.${third}.0/24` };
  await db.insert(subnets).values({ ...subnet, source: 'manual' });
  const nic = newId();
  const mac = `bc:24:11:0a:00:0${third}`;
  const on = { workload_id: workload.id, network_id: network.id };
  await db
    .insert(workloadInterfaces)
    .values({ ...on, id: nic, name: 'net0', mac, vlan_tag: 300 + third, firewall: true, raw: '' });
  const address = newId();
  await db.insert(ipAddresses).values({
    ...on,
    id: address,
    cluster_id: cluster.id,
    subnet_id: subnet.id,
    interface_id: nic,
    address: `10.9.${third}.7`,
    hostname: `${name}.example.org`,
    source: 'manual',
  });
  return { workload, network, subnet, address };
}

async function make<T extends { id: string }>(path: string, headers: Headers, body: object): Promise<T> {
  const response = await call(path, { headers, body });
  expect(response.status, await response.clone().text()).toBeLessThan(300);
  return response.json();
}

/** Two tenants with one of everything, a person of each, one of a project, and an administrator. */
async function build() {
  const cluster = await makeCluster({ name: 'lab', api_url: 'https://lab.example.org:8006' });
  const node = await makeNode(cluster, { name: 'pve-alpha' });
  const admin = await bearer(await makeUser('admin', undefined, { email: 'root@example.org', name: 'Root' }));
  const side = async (name: string, third: number) => {
    const tenant = await makeTenant({ name: `${name}-tenant` });
    const project = await makeProject(tenant, { name: `${name}-project` });
    const person = await makeUser('admin', tenant, { email: `${name}@example.org`, name: `${name} person` });
    const headers = await bearer(person);
    const things = await createNetworkedWorkload(cluster, project, name, third);
    const group = await make('/security-groups', headers, { name: `${name}-group` });
    const definition = { enforcement_mode: 'audit', sources: ['any'], targets: [`sg:${name}-group`] };
    const policy = await make('/policies', headers, { name: `${name}-policy`, definition, rules: [] });
    const ends = { from: ['any'], to: [`sg:${name}-group`], protocol: 'tcp', ports: ['443'] };
    const test = await make('/policy-tests', headers, { name: `${name}-web`, expect: 'allow', ...ends });
    const items = [{ kind: 'policy', policy_id: policy.id }];
    await make('/changes', headers, { title: `${name}-change`, items });
    const token = newId();
    await db.insert(apiTokens).values({
      id: token,
      user_id: person.id,
      name: `${name}-token`,
      prefix: 'fabric_',
      token_hash: newId(),
      permissions: ['policy:read'],
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    return { ...things, tenant, project, person, headers, group, policy, test, token };
  };
  const ours = await side('ours', 1);
  const theirs = await side('theirs', 2);
  const single = await makeUser('viewer', ours.tenant, { email: 'single@example.org' });
  await db.update(roleAssignments).set({ project_id: ours.project.id }).where(eq(roleAssignments.user_id, single.id));
  const limited = await makeUser(null, undefined, { email: 'limited@example.org' });
  const role = { id: newId(), name: 'groups_only', title: 'Groups only', permissions: ['group:read'] };
  await db.insert(roles).values(role);
  await db.insert(roleAssignments).values({ id: newId(), user_id: limited.id, role_id: role.id });
  const people = {
    admin,
    ours: ours.headers,
    theirs: theirs.headers,
    single: await bearer(single),
    limited: await bearer(limited),
  };
  return { cluster, node, ours, theirs, people };
}

async function find(q: string, headers: Headers = fixture.people.admin): Promise<SearchResults> {
  const response = await call(`/search?q=${encodeURIComponent(q)}`, { headers });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}
const first = async (q: string, headers?: Headers) => {
  const { items } = await find(q, headers);
  return items[0] && `${items[0].kind} ${items[0].name}`;
};

describe('search', () => {
  it.each([
    ['ours', 'workload ours'],
    ['OURS-POLICY', 'policy ours-policy'],
    ['ours-gr', 'security_group ours-group'],
    ['ours-web', 'policy_test ours-web'],
    ['ours-change', 'change ours-change'],
    ['änderung draft', 'change ours-change'],
    ['ours-net', 'network ours-net'],
    ['701', 'workload ours'],
    ['qemu/701', 'workload ours'],
    ['vm 701', 'workload ours'],
    ['ours-tag', 'workload ours'],
    ['bc:24:11:0a:00:01', 'workload ours'],
    ['BC-24-11-0A-00-01', 'workload ours'],
    ['bc24.110a.0001', 'workload ours'],
    ['0a:00:01', 'workload ours'],
    ['10.9.1.7', 'workload ours'],
    ['10.9.1.', 'subnet 10.9.1.0/24'],
    ['10.9.1.0/24', 'subnet 10.9.1.0/24'],
    ['10.9.1.200', 'subnet 10.9.1.0/24'],
    ['address 10.9.1.7', 'workload ours'],
    ['vlan 21', 'vlan 21'],
    ['21', 'vlan 21'],
    ['301', 'vlan 301'],
    ['ours.example.org', 'ip_address 10.9.1.7'],
    ['lab', 'cluster lab'],
    ['alpha', 'node pve-alpha'],
    ['root@example', 'user root@example.org'],
    ['benutzer root', 'user root@example.org'],
    ['ours-token', 'api_token ours-token'],
    ['network operator', 'role Network operator'],
    ['ours-project', 'project ours-project'],
    ['ours-tenant', 'tenant ours-tenant'],
  ])('%j finds %j first', async (q, expected) => expect(await first(q)).toBe(expected));

  it('shows what matched and where a thing is', async () => {
    const [byMac] = (await find('bc:24:11:0a:00:01')).items;
    expect(byMac).toMatchObject({ matched: 'bc:24:11:0a:00:01', place: 'lab', address: '10.9.1.7' });
    const [byTag] = (await find('ours-tag')).items;
    expect(byTag).toMatchObject({ name: 'ours', matched: 'ours-tag' });
    const [token] = (await find('ours-token')).items;
    expect(token).toMatchObject({ place: 'ours@example.org', parent_id: fixture.ours.person.id });
  });

  it('offers similar names only when nothing matches, and says so', async () => {
    expect(await find('oruspolicy')).toMatchObject({ similar: true, items: [{ kind: 'policy', name: 'ours-policy' }] });
    expect((await find('ours-policy')).similar).toBe(false);
    expect(await find('nothing-of-this-name')).toEqual({ items: [], similar: false });
    expect(await find('')).toEqual({ items: [], similar: false });
  });

  it('treats the characters of patterns as text', async () => {
    for (const q of ['%', 'our_', '\\', "'", '%%%%%']) expect((await find(q)).items, q).toEqual([]);
  });

  it('sends one query, and with similar names three', async () => {
    const queries = async (q: string) => (await countQueries(() => find(q))).queries;
    const floor = (await countQueries(() => call('/search', { headers: fixture.people.admin }))).queries;
    expect((await queries('ours')) - floor).toBe(1);
    expect((await queries('10.9.1.7')) - floor).toBe(1);
    expect((await queries('vlan 21')) - floor).toBe(1);
    expect((await queries('oruspolicy')) - floor).toBe(3);
  });
});

/** Lists that show the same things, by kind. */
const LISTS: Readonly<Partial<Record<SearchKind, string>>> = {
  workload: '/workloads',
  policy: '/policies',
  policy_test: '/policy-tests',
  change: '/changes',
  security_group: '/security-groups',
  cluster: '/clusters',
  node: '/nodes',
  network: '/networks',
  subnet: '/subnets',
  ip_address: '/ip-addresses',
  project: '/projects',
  tenant: '/tenants',
  user: '/users',
  role: '/roles',
};

describe('the scope of search', () => {
  it('finds a thing exactly when the list of its kind shows it to that person', async () => {
    const wrong: string[] = [];
    let seen = 0;
    for (const [person, headers] of Object.entries(fixture.people)) {
      for (const [kind, path] of Object.entries(LISTS)) {
        const whole = await (await call(`${path}?limit=500`, { headers: fixture.people.admin })).json();
        const listed = await call(`${path}?limit=500`, { headers });
        const shown = new Set(
          listed.status === 200 ? (await listed.json()).items.map(({ id }: { id: string }) => id) : [],
        );
        const ids = whole.items.map(({ id }: { id: string }) => id);
        const again = await call(`/search?recent_ids=${ids}&limit=50`, { headers });
        const recalled = new Set(((await again.json()) as SearchResults).items.map(({ id }) => id));
        if (ids.some((id: string) => recalled.has(id) !== shown.has(id))) wrong.push(`${person} ${kind} by id`);
        for (const { id, cidr, address, email, title, name } of whole.items) {
          const text: string = cidr ?? (kind === 'ip_address' ? address : kind === 'user' ? email : (title ?? name));
          const { items, similar } = await find(text, headers);
          const found = !similar && items.some((item) => item.kind === kind && item.id === id);
          if (found !== shown.has(id)) wrong.push(`${person} ${kind} ${text}: found ${found}`);
          if (found) seen += 1;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(seen).toBeGreaterThan(50);
  });

  it('offers a similar name only to those who may see it', async () => {
    for (const headers of [fixture.people.ours, fixture.people.single, fixture.people.limited]) {
      const { items } = await find('thiers-group', headers);
      expect(items.map(({ name }) => name)).toEqual(headers === fixture.people.limited ? ['theirs-group'] : []);
    }
  });

  it('shows the tokens of others only to those who may read users', async () => {
    const tokens = async (headers: Headers) =>
      (await find('-token', headers)).items.filter(({ kind }) => kind === 'api_token').map(({ name }) => name);
    expect((await tokens(fixture.people.admin)).sort()).toEqual(['ours-token', 'theirs-token']);
    expect(await tokens(fixture.people.ours)).toEqual(['ours-token']);
    expect(await tokens(fixture.people.single)).toEqual([]);
  });

  it('shows the VLANs of visible networks only', async () => {
    const vlans = async (headers: Headers) =>
      ['21', '22', '301', '302'].map(async (tag) =>
        (await find(`vlan ${tag}`, headers)).items.some(({ kind, name }) => kind === 'vlan' && name === tag),
      );
    expect(await Promise.all(await vlans(fixture.people.ours))).toEqual([true, false, true, false]);
    expect(await Promise.all(await vlans(fixture.people.admin))).toEqual([true, true, true, true]);
    expect(await Promise.all(await vlans(fixture.people.limited))).toEqual([false, false, false, false]);
  });
});

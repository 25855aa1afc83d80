import { beforeAll, describe, expect, it } from 'vitest';
import { NETWORK_SORTS, NODE_SORTS, WORKLOAD_SORTS } from '@/domain/choices';
import type { Workload } from '@/domain/inventory';
import { db } from '@/server/db/client';
import { ipAddresses } from '@/server/db/schema/addresses';
import { nodeAgents } from '@/server/db/schema/clusters';
import { networks, subnets } from '@/server/db/schema/networks';
import { workloadInterfaces, workloads } from '@/server/db/schema/workloads';
import { newId } from '@/server/lib/ids';
import { countQueries } from '@/test/count-queries';
import { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

type Headers = { authorization: string };
type Item = Record<string, unknown> & { id: string; name: string };
type Listed = { items: Item[]; next_cursor: string | null; total: number };

let admin: Headers;
let ours: Headers;
let fixture: Awaited<ReturnType<typeof build>>;

/** Two clusters, three nodes, 60 guests with ties and gaps in every column that can be sorted. */
async function build() {
  const tenant = await makeTenant();
  const other = await makeTenant();
  const project = await makeProject(tenant, { name: 'shop' });
  const foreign = await makeProject(other, { name: 'bank' });
  const [a, b] = [await makeCluster({ name: 'alpha' }), await makeCluster({ name: 'beta' })];
  const places = [
    { cluster: a, node: await makeNode(a, { name: 'n2', status: 'online', cpu_count: 8 }) },
    { cluster: a, node: await makeNode(a, { name: 'n1', status: 'offline', fault: 'The node is offline.' }) },
    { cluster: b, node: await makeNode(b, { name: 'n10', status: 'online', memory_bytes: 1024 }) },
  ];
  const first = places[0]?.node;
  if (first) await db.insert(nodeAgents).values({ node_id: first.id, status: 'ok' });
  const bridges = new Map<string, string>();
  for (const cluster of [a, b]) {
    for (const name of ['vmbr0', 'vmbr1', 'empty']) {
      const id = newId();
      bridges.set(`${cluster.id} ${name}`, id);
      await db.insert(networks).values({
        id,
        cluster_id: cluster.id,
        name,
        kind: 'bridge',
        source: 'provider',
        zone: name === 'vmbr1' ? 'z' : null,
      });
      await db.insert(subnets).values({
        cluster_id: cluster.id,
        network_id: id,
        cidr: name === 'vmbr0' ? '10.1.0.0/16' : '10.2.0.0/16',
        source: 'manual',
      });
    }
  }
  const subnetOf = new Map((await db.select().from(subnets)).map((row) => [row.network_id, row.id]));
  const made: (typeof workloads.$inferSelect)[] = [];
  for (let i = 0; i < 60; i++) {
    const { cluster, node } = places[i % 3] as (typeof places)[number];
    const workload = await makeWorkload(cluster, i % 4 === 0 ? project : i % 4 === 1 ? foreign : null, {
      vmid: 100 + i,
      kind: i % 5 === 0 ? 'lxc' : 'qemu',
      name: `guest ${String.fromCharCode(97 + (i % 7))}`,
      status: i % 3 === 0 ? 'stopped' : 'running',
      node_id: i % 10 === 9 ? null : node.id,
      tags: i % 6 === 0 ? ['prod', 'web'] : [],
      pool: i % 8 === 0 ? null : `pool ${i % 2}`,
      cpu_count: i % 9 === 0 ? null : i % 4,
      memory_bytes: i % 9 === 1 ? null : 2 ** 30 * (1 + (i % 3)),
      started_at: i % 3 === 0 ? null : `2026-01-0${1 + (i % 5)}T00:00:00.000Z`,
      template: i % 20 === 19,
      missing_since: i % 30 === 7 ? '2026-01-01T00:00:00.000Z' : null,
    });
    made.push(workload);
    const bridge = i % 2 === 0 ? 'vmbr0' : 'vmbr1';
    const network_id = bridges.get(`${cluster.id} ${bridge}`) ?? '';
    const interface_id = newId();
    await db.insert(workloadInterfaces).values({
      id: interface_id,
      workload_id: workload.id,
      network_id,
      name: 'net0',
      bridge,
      mac: `bc:24:11:00:00:${i.toString(16).padStart(2, '0')}`,
      firewall: i % 2 === 0,
      raw: '',
    });
    await db.insert(ipAddresses).values(
      (['cloudinit', 'agent'] as const).map((source, n) => ({
        cluster_id: cluster.id,
        network_id,
        subnet_id: subnetOf.get(network_id) ?? '',
        workload_id: workload.id,
        interface_id,
        address: `10.${i % 2 === 0 ? 1 : 2}.${n}.${i + 1}`,
        source,
      })),
    );
  }
  return { tenant, project, foreign, a, b, places, bridges, made };
}

beforeAll(async () => {
  fixture = await build();
  admin = await bearer(await makeUser('admin'));
  ours = await bearer(await makeUser('viewer', fixture.tenant));
});

async function list(path: string, headers: Headers = admin): Promise<Listed> {
  const response = await call(path, { headers });
  expect(response.status, path).toBe(200);
  return response.json();
}
async function walk(path: string, limit: number, headers: Headers = admin): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Listed = await list(
      `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
      headers,
    );
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}
/** Order as promised: by the field, numbers in names as numbers, nulls last, ties by id in the same direction. */
function ordered(items: readonly Item[], sort: string): Item[] {
  const [field, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const value = (item: Item) => {
    const found = (field === 'created_at' ? item.id : item[field]) as string | number | null;
    const isCounted = ['name', 'node_name', 'cluster_name'].includes(field) && typeof found === 'string';
    return isCounted ? found.replace(/\d+/g, (digits) => digits.padStart(9, '0')) : found;
  };
  return [...items].sort((x, y) => {
    const [a, b] = [value(x), value(y)];
    if (a === b) return sign * (x.id < y.id ? -1 : 1);
    if (a === null || b === null) return a === null ? 1 : -1;
    return sign * (a < b ? -1 : 1);
  });
}

describe.each([
  ['/workloads', WORKLOAD_SORTS],
  ['/nodes', NODE_SORTS],
  ['/networks', NETWORK_SORTS],
] as const)('the list %s', (path, sorts) => {
  it.each(sorts.flatMap((sort) => [sort, `-${sort}`]))(
    'gives every row once, sorted by %s, however it is cut',
    async (sort) => {
      const whole = await list(`${path}?limit=500&sort=${sort}`);
      expect(whole.next_cursor).toBeNull();
      expect(whole.items).toHaveLength(whole.total);
      expect(whole.items.map((item) => item.id)).toEqual(ordered(whole.items, sort).map((item) => item.id));
      expect(await walk(`${path}?sort=${sort}`, 7)).toEqual(whole.items);
    },
  );

  it('takes as many queries for any page', async () => {
    const headers = admin;
    await list(path, headers);
    const { queries } = await countQueries(() => list(`${path}?q=a&limit=5&sort=-name`, headers));
    // One for the session, two for the page, one to see whether readings of firewalls changed.
    expect(queries).toBe(path === '/networks' ? 3 : 4);
  });
});

describe('filters of workloads', () => {
  const matching = (test: (row: (typeof fixture.made)[number], i: number) => boolean) =>
    fixture.made
      .filter(test)
      .map((row) => row.id)
      .sort();
  const found = async (query: string, headers: Headers = admin) => {
    const { items, total } = await list(`/workloads?limit=500&${query}`, headers);
    expect(items).toHaveLength(total);
    return items.map((item) => item.id).sort();
  };

  it('find what they say and nothing else', async () => {
    const { a, places, project, bridges } = fixture;
    const node = places[0]?.node.id ?? '';
    expect(await found(`cluster_id=${a.id}`)).toEqual(matching((row) => row.cluster_id === a.id));
    expect(await found(`node_id=${node}`)).toEqual(matching((row) => row.node_id === node));
    expect(await found('kind=lxc')).toEqual(matching((row) => row.kind === 'lxc'));
    expect(await found('status=stopped')).toEqual(matching((row) => row.status === 'stopped'));
    expect(await found('tag=web')).toEqual(matching((row) => row.tags.includes('web')));
    expect(await found('pool=pool%201')).toEqual(matching((row) => row.pool === 'pool 1'));
    expect(await found('template=true')).toEqual(matching((row) => row.template));
    expect(await found('template=false')).toEqual(matching((row) => !row.template));
    expect(await found('missing=true')).toEqual(matching((row) => row.missing_since !== null));
    expect(await found(`project_id=${project.id}`)).toEqual(matching((row) => row.project_id === project.id));
    expect(await found('project_id=none')).toEqual(matching((row) => row.project_id === null));
    const network = bridges.get(`${a.id} vmbr1`) ?? '';
    expect(await found(`network_id=${network}`)).toEqual(matching((row, i) => row.cluster_id === a.id && i % 2 === 1));
    expect(await found(`cluster_id=${a.id}&kind=lxc&status=running&q=guest`)).toEqual(
      matching((row) => row.cluster_id === a.id && row.kind === 'lxc' && row.status === 'running'),
    );
  });

  it('search names, numbers, tags, MAC addresses and addresses', async () => {
    const id = (i: number) => [fixture.made[i]?.id];
    expect(await found('q=GUEST%20C')).toEqual(matching((row) => row.name === 'guest c'));
    expect(await found('q=qemu/13')).toEqual(matching((row) => row.external_id.includes('qemu/13')));
    expect(await found('q=117')).toEqual(id(17));
    expect(await found('q=web')).toEqual(matching((row) => row.tags.includes('web')));
    expect(await found('q=BC-24-11-00-00-1F')).toEqual(id(31));
    expect(await found('q=bc24.1100.001f')).toEqual(id(31));
    expect(await found('q=00:1f')).toEqual(id(31));
    expect(await found('q=10.2.1.32')).toEqual(id(31));
    expect(await found('q=10.2.1.')).toEqual(matching((_, i) => i % 2 === 1));
    expect(await found('q=%25')).toEqual([]);
    expect(await found("q='%3B%20drop%20table%20workloads")).toEqual([]);
  });

  it('refuse what they do not know', async () => {
    for (const query of ['sort=secret', 'kind=vm', 'limit=0', 'limit=501', 'unknown=1', 'node_id=x', 'template=maybe'])
      expect((await call(`/workloads?${query}`, { headers: admin })).status, query).toBe(400);
  });
});

it('embeds names, counts and the most trusted addresses', async () => {
  const [, second] = fixture.made;
  const { items } = await list('/workloads?q=101');
  expect(items).toEqual([
    expect.objectContaining({
      id: second?.id,
      cluster_name: 'alpha',
      node_name: 'n1',
      project_name: 'bank',
      tenant_id: fixture.foreign.tenant_id,
      primary_addresses: ['10.2.1.2', '10.2.0.2'],
      addresses_total: 2,
      interfaces_total: 1,
      interfaces_firewalled: 0,
    }),
  ]);
  const { result: detail, queries } = await countQueries(async () =>
    (await call(`/workloads/${second?.id}`, { headers: admin })).json(),
  );
  expect(queries).toBe(5);
  expect(detail).toMatchObject({
    interfaces: [{ name: 'net0', mac: 'bc:24:11:00:00:01', network_id: fixture.bridges.get(`${fixture.a.id} vmbr1`) }],
    ip_addresses: [
      { address: '10.2.0.2', source: 'cloudinit', subnet_cidr: '10.2.0.0/16' },
      { address: '10.2.1.2', source: 'agent', subnet_cidr: '10.2.0.0/16' },
    ],
  });
  const nodes = await list('/nodes?sort=-cpu_count');
  expect(nodes.items[0]).toMatchObject({ name: 'n2', agent_status: 'ok', workloads_total: 18, workloads_running: 0 });
  expect((await list('/nodes?faulty=true')).items.map((node) => node.name)).toEqual(['n1']);
});

describe('a tenant', () => {
  it('sees its own workloads only, in lists, counts, searches and one by one', async () => {
    const own = fixture.made
      .filter((row) => row.project_id === fixture.project.id)
      .map((row) => row.id)
      .sort();
    const page = await list('/workloads?limit=500', ours);
    expect(page.items.map((item) => item.id).sort()).toEqual(own);
    expect(page.total).toBe(own.length);
    expect((await list('/workloads?q=10.&limit=500', ours)).total).toBe(own.length);
    expect((await list(`/workloads?project_id=${fixture.foreign.id}`, ours)).total).toBe(0);
    for (const row of fixture.made) {
      const { status } = await call(`/workloads/${row.id}`, { headers: ours });
      expect(status).toBe(row.project_id === fixture.project.id ? 200 : 404);
    }
  });

  it('sees the networks it is attached to, with its own numbers', async () => {
    const page = await list('/networks?sort=name', ours);
    const all = await list('/networks?sort=name');
    expect(new Set(page.items.map((item) => item.name))).toEqual(new Set(['vmbr0']));
    expect(all.items.filter((item) => item.name === 'empty')).toHaveLength(2);
    for (const item of page.items) {
      const whole = all.items.find((other) => other.id === item.id);
      const attached = fixture.made.filter((row, i) => i % 2 === 0 && row.cluster_id === item.cluster_id);
      expect(whole?.interfaces_total).toBe(attached.length);
      expect(item.interfaces_total).toBe(attached.filter((row) => row.project_id === fixture.project.id).length);
      const detail = await (await call(`/networks/${item.id}`, { headers: ours })).json();
      expect(detail.subnets).toMatchObject([
        { cidr: '10.1.0.0/16', addresses_total: 2 * Number(item.interfaces_total) },
      ]);
    }
    const hidden = all.items.find((item) => item.name === 'vmbr1');
    expect((await call(`/networks/${hidden?.id}`, { headers: ours })).status).toBe(404);
  });

  it('does not see nodes and clusters', async () => {
    for (const path of ['/nodes', '/clusters', '/sync-runs'])
      expect((await call(path, { headers: ours })).status).toBe(403);
  });
});

describe('the CSV file', () => {
  it('holds every row of the filters and nothing that a spreadsheet would run', async () => {
    const { b } = fixture;
    for (const [i, name] of ['=1+1', '+x', '-x', '@x', ' =x', '\t=x', 'a"b,c\nd'].entries())
      await makeWorkload(b, null, { vmid: 5000 + i, name, tags: ['csv-test'] });
    const response = await call('/workloads?format=csv&tag=csv-test&sort=vmid', { headers: admin });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="workloads.csv"');
    const text = await response.text();
    const bytes = text.replace(/^\uFEFF/, '').split('\r\n');
    const column = bytes[0]?.split(',').indexOf('name') ?? -1;
    const names = bytes.slice(1, 7).map((line) => line.split(',')[column]);
    expect(names).toEqual(["'=1+1", "'+x", "'-x", "'@x", "' =x", `"'\t'=x"`]);
    expect(bytes[7]).toContain('"a""b,c\nd"');
    const all = await (await call('/workloads?format=csv', { headers: admin })).text();
    expect(all.match(/\r\n/g)).toHaveLength(1 + (await list('/workloads')).total);
    const own = await (await call('/workloads?format=csv', { headers: ours })).text();
    expect(own.match(/\r\n/g)).toHaveLength(1 + (await list('/workloads', ours)).total);
    for (const path of ['/nodes', '/networks']) {
      const file = await (await call(`${path}?format=csv`, { headers: admin })).text();
      expect(file.match(/\r\n/g)).toHaveLength(1 + (await list(path)).total);
    }
  });

  it('reads page by page while it is sent', async () => {
    const { a } = fixture;
    await db.insert(workloads).values(
      Array.from({ length: 1100 }, (_, i) => ({
        cluster_id: a.id,
        vmid: 20_000 + i,
        kind: 'qemu' as const,
        external_id: `qemu/${20_000 + i}`,
        name: `bulk ${i % 13}`,
      })),
    );
    // Readings of firewalls and what they belong to are known from now on.
    await list('/workloads?limit=1');
    const { result, queries } = await countQueries(async () =>
      (await call('/workloads?format=csv&q=bulk', { headers: admin })).text(),
    );
    const ids = result
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]);
    expect(new Set(ids).size).toBe(1100);
    expect(ids).toHaveLength(1100);
    // Four of them leave the audit record.
    expect(queries).toBe(1 + 3 * 3 + 4);
  });

  it('returns the same errors as the list', async () => {
    expect((await call('/workloads?format=csv&sort=secret', { headers: admin })).status).toBe(400);
    expect((await call('/nodes?format=csv', { headers: ours })).status).toBe(403);
    expect((await call('/workloads?format=xml', { headers: admin })).status).toBe(400);
  });
});

it('a list keeps its place while rows come and go', async () => {
  const first = (await list('/workloads?limit=10&sort=vmid')) as Listed & { items: Workload[] };
  await makeWorkload(fixture.b, null, { vmid: 99_999, name: 'late' });
  const next = (await list(`/workloads?limit=10&sort=vmid&cursor=${first.next_cursor}`)) as Listed & {
    items: Workload[];
  };
  expect(next.items.map((item) => item.vmid)).toEqual(Array.from({ length: 10 }, (_, i) => 110 + i));
});

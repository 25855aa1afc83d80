import { startBenchDatabase } from './database';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long a page of workloads takes, from the request to its JSON: npx tsx bench/inventory-list.ts [workloads] [calls]
 * Bars: 5,000 workloads, any sort, filter or search: p95 at most 100 ms a call, and always the same number of queries.
 * The floor is a bare SELECT of one page from the same table in the same order.
 */
const [count = 5000, calls = 40] = process.argv.slice(2).map(Number);
const PAGE = 100;

const database = await startBenchDatabase();
const { closeDb, sqlClient } = await import('@/server/db/client');
const { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser } = await import('@/test/factories');
const { countQueries } = await import('@/test/count-queries');
const { call } = await import('@/test/request');
const { WORKLOAD_SORTS } = await import('@/domain/inventory');
const { db } = await import('@/server/db/client');
const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/repositories/firewall-snapshots');

const tenant = await makeTenant();
const project = await makeProject(tenant);
for (const name of ['fra', 'ams', 'lon']) {
  const cluster = await makeCluster({ name });
  for (let i = 0; i < 8; i++) await makeNode(cluster, { name: `${name}-n${i}`, status: 'online' });
}
// Facts that vary as those of a real installation do: 24 nodes, 40 tags, a tenth of the guests in the tenant's project.
await sqlClient().unsafe(`
  insert into networks (id, cluster_id, name, kind, source)
    select gen_random_uuid(), c.id, 'vmbr' || b, 'bridge', 'provider' from clusters c, generate_series(0, 39) b;
  insert into subnets (id, cluster_id, network_id, cidr, source)
    select gen_random_uuid(), cluster_id, id, '10.0.0.0/8', 'provider' from networks;
  insert into workloads (id, cluster_id, node_id, project_id, vmid, kind, external_id, name, status, template, tags, pool,
      cpu_count, memory_bytes, started_at)
    select gen_random_uuid(), n.cluster_id, n.id, case when i % 10 = 0 then '${project.id}'::uuid end, 100 + i,
      case when i % 3 = 0 then 'lxc' else 'qemu' end, 'qemu/' || (100 + i), 'guest-' || md5(i::text), case when i % 12 = 0 then 'stopped' else 'running' end,
      i % 200 = 0, array['tag' || i % 40, 'prod'], 'pool' || i % 7, 1 + i % 16, (1 + i % 32) * 1073741824::bigint,
      now() - i * interval '1 minute'
    from generate_series(1, ${count}) i join (select *, row_number() over (order by id) - 1 as k from nodes) n on n.k = i % 24;
  insert into workload_interfaces (id, workload_id, network_id, name, bridge, mac, firewall, raw)
    select gen_random_uuid(), w.id, net.id, 'net' || k, net.name,
      ('bc2411' || lpad(to_hex(w.vmid * 2 + k), 6, '0'))::macaddr, k = 0, ''
    from workloads w cross join generate_series(0, 1) k
      join networks net on net.cluster_id = w.cluster_id and net.name = 'vmbr' || (w.vmid + k) % 40 where k = 0 or w.vmid % 2 = 0;
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, workload_id, interface_id, address, source)
    select gen_random_uuid(), w.cluster_id, i.network_id, s.id, w.id, i.id,
      '10.0.0.0'::inet + w.vmid * 2 + right(i.name, 1)::int, 'agent'
    from workload_interfaces i join workloads w on w.id = i.workload_id join subnets s on s.network_id = i.network_id;
  analyze;`);
// What was read of their firewalls, ten rules each: a tenth is off, a tenth accepts by default, the rest denies.
const read_at = new Date().toISOString();
const RULES = Array.from({ length: 10 }, (_, pos) => ({
  pos,
  type: 'in',
  action: 'ACCEPT',
  proto: 'tcp',
  dport: String(1000 + pos),
  source: '10.0.0.0/8',
  enable: 1,
}));
for (const { id } of await sqlClient()<{ id: string }[]>`select id from clusters`) {
  const state = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] };
  await storeClusterSnapshot(db, { cluster_id: id, read_at, state_hash: 'c', state });
}
const guests = await sqlClient()<{ id: string; vmid: number; nics: string[] }[]>`
  select w.id, w.vmid, array_agg(i.name) as nics from workloads w join workload_interfaces i on i.workload_id = w.id group by w.id`;
await storeGuestSnapshots(
  db,
  guests.map(({ id, vmid, nics }) => ({
    workload_id: id,
    read_at,
    state_hash: String(vmid),
    state: {
      options: { enable: vmid % 10 === 0 ? 0 : 1, policy_in: vmid % 10 === 1 ? 'ACCEPT' : 'DROP' },
      rules: RULES,
      ipsets: {},
      aliases: {},
      presence: 'present' as const,
      nics: nics.map((name) => ({ name, firewall: true, mac: null })),
      pending_nics: [],
      unreadable: [],
    },
  })),
);
await sqlClient()`analyze`;
const [sample] = await sqlClient()<{ id: string; cluster_id: string; node_id: string; name: string; vmid: number }[]>`
  select id, cluster_id, node_id, name, vmid from workloads order by id limit 1`;
const [nic] = await sqlClient()<
  { mac: string; network_id: string }[]
>`select mac, network_id from workload_interfaces limit 1`;
const [ip] = await sqlClient()<{ address: string }[]>`select host(address) as address from ip_addresses limit 1`;
if (!sample || !nic || !ip) throw new Error('no data');

const admin = await bearer(await makeUser('admin'));
const viewer = await bearer(await makeUser('viewer', tenant));
type Page = { items: unknown[]; next_cursor: string | null; total: number };
const read = async (query: string, headers = admin): Promise<Page> => {
  const response = await call(`/workloads?limit=${PAGE}&${query}`, { headers });
  if (response.status !== 200) throw new Error(`${query}: ${response.status} ${await response.text()}`);
  return response.json();
};
/** The cursor of a page far behind. */
const deep = async (sort: string) => {
  let cursor: string | null = null;
  for (let i = 0; i < Math.floor(count / 500) - 1; i++) {
    const page: Page = await (
      await call(`/workloads?limit=500&sort=${sort}${cursor === null ? '' : `&cursor=${cursor}`}`, { headers: admin })
    ).json();
    cursor = page.next_cursor;
  }
  return cursor;
};

const cases: [name: string, query: string, headers?: typeof admin][] = [
  ...WORKLOAD_SORTS.flatMap((sort): typeof cases => [
    [`sort ${sort}`, `sort=${sort}`],
    [`sort -${sort}`, `sort=-${sort}`],
  ]),
  ['last pages by name', `sort=name&cursor=${await deep('name')}`],
  ['last pages by -started_at', `sort=-started_at&cursor=${await deep('-started_at')}`],
  ['cluster', `cluster_id=${sample.cluster_id}`],
  ['node', `node_id=${sample.node_id}&sort=-memory_bytes`],
  ['network', `network_id=${nic.network_id}`],
  ['project', `project_id=${project.id}`],
  ['no project', 'project_id=none'],
  ['tag', 'tag=tag7'],
  ['pool and status', 'pool=pool3&status=stopped'],
  ['kind, template', 'kind=lxc&template=false&sort=node_name'],
  ['enforcement', 'enforcement=enforced'],
  ['enforcement, few', 'enforcement=unenforced&sort=-started_at'],
  ['protection', 'protection=default_deny'],
  ['search: part of a name', `q=${sample.name.slice(6, 12)}`],
  ['search: common word', 'q=guest&sort=-name'],
  ['search: number', `q=${sample.vmid}`],
  ['search: MAC address', `q=${nic.mac}`],
  ['search: part of a MAC', `q=${nic.mac.slice(9)}`],
  ['search: address', `q=${ip.address}`],
  ['search: prefix', 'q=10.0.3.'],
  ['search: nothing found', 'q=no-such-guest'],
  ['search and filters', `q=prod&cluster_id=${sample.cluster_id}&status=running&kind=qemu&sort=-cpu_count`],
  ['tenant: list', 'sort=name', viewer],
  ['tenant: search', 'q=10.0.&sort=-started_at', viewer],
];

const measured: { name: string; total: number; median: number; p95: number }[] = [];
const queriesSeen = new Set<number>();
let worst = 0;
const floorSamples: number[] = [];
const floor = async () => {
  const started = performance.now();
  await sqlClient()`select * from workloads order by name, id limit ${PAGE}`;
  floorSamples.push(performance.now() - started);
};
for (let i = 0; i < 10; i++) await floor();
floorSamples.length = 0;
for (const [name, query, headers] of cases) {
  const samples: number[] = [];
  let total = 0;
  for (let i = 0; i < 5; i++) await read(query, headers);
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    const { result, queries } = await countQueries(() => read(query, headers));
    samples.push(performance.now() - started);
    queriesSeen.add(queries);
    total = result.total;
    await floor();
  }
  const { median, p95 } = summary(samples);
  worst = Math.max(worst, p95);
  measured.push({ name, total, median, p95 });
}
const base = summary(floorSamples);
console.log(
  `${count} workloads, pages of ${PAGE}, ${calls} calls per case; queries per call: ${[...queriesSeen].join(', ')} (one of them the session's)`,
);
printTable(
  ['case', 'matches', 'median', 'p95', 'to floor'],
  measured.map(({ name, total, median, p95 }) => [
    name,
    String(total),
    ms(median),
    ms(p95),
    (median / base.median).toFixed(1),
  ]),
);
console.log(`floor (bare page by name): median ${ms(base.median)}, p95 ${ms(base.p95)}`);
expectBar(`p95 of every case is at most 100 ms (worst ${ms(worst)})`, worst <= 100);
expectBar('every call takes the same number of queries', queriesSeen.size === 1);
await closeDb();
await database.stop();

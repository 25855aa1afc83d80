import { startBenchDatabase } from './database';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long the pages of the address management take, from the request to its JSON: npx tsx bench/ipam.ts [addresses] [calls]
 * Bars: 100,000 addresses in one installation: tree, subnet page and search p95 at most 150 ms a call, and always the same
 * number of queries, however much there is. CSV: 20,000 rows with 1 % bad: every bad row is named, and the good ones stored.
 * The floor is a bare SELECT of one page from the same table in the same order.
 */
const [count = 100_000, calls = 25] = process.argv.slice(2).map(Number);

const database = await startBenchDatabase();
const { closeDb, sqlClient } = await import('@/server/db/client');
const { bearer, makeCluster, makeProject, makeTenant, makeUser } = await import('@/test/factories');
const { countQueries } = await import('@/test/count-queries');
const { call } = await import('@/test/request');
const { newId } = await import('@/server/lib/ids');
const { insertImport, findImport } = await import('@/server/repositories/ipam-imports');
const { runImport } = await import('@/server/services/ipam/imports/run-import');
const sql = sqlClient();

const tenant = await makeTenant();
const project = await makeProject(tenant);
await makeCluster({ name: 'fra' });
await makeCluster({ name: 'ams' });
// Per cluster 4 networks with the same address space: a /8, in it /16s, in them /24s; the addresses lie in the /24s. One
// network has half of everything, as the busiest one of an installation does.
await sql.unsafe(`
  insert into networks (id, cluster_id, name, kind, source)
    select gen_random_uuid(), c.id, 'net' || n, 'bridge', 'provider' from clusters c, generate_series(0, 3) n;
  insert into subnets (id, cluster_id, network_id, cidr, source, description)
    select gen_random_uuid(), cluster_id, id, '10.0.0.0/8', 'provider', 'everything' from networks
    union all select gen_random_uuid(), cluster_id, id, ('10.' || b || '.0.0/16')::cidr, 'provider', 'site ' || b
      from networks, generate_series(0, 7) b
    union all select gen_random_uuid(), cluster_id, id, ('10.' || b || '.' || c || '.0/24')::cidr, 'provider', 'rack ' || b || '-' || c
      from networks, generate_series(0, 7) b, generate_series(0, 63) c;
  insert into workloads (id, cluster_id, project_id, vmid, kind, external_id, name, status)
    select gen_random_uuid(), c.id, case when i % 10 = 0 then '${project.id}'::uuid end, 100 + i, 'qemu', 'qemu/' || (100 + i),
      'guest-' || md5(i::text), 'running' from clusters c, generate_series(1, 5000) i;
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, workload_id, address, mac, hostname, state, source, last_seen_at)
    select gen_random_uuid(), s.cluster_id, s.network_id, s.id, w.id, host(network(s.cidr))::inet + 1 + h,
      ('bc2411' || lpad(to_hex((r * 200 + h)::int), 6, '0'))::macaddr, 'host-' || r || '-' || h || '.example.org',
      (array['active','active','active','dhcp','reserved','stale'])[1 + (r + h) % 6], 'agent', now() - h * interval '1 minute'
    from (select s.*, row_number() over (order by n.name, s.cluster_id, s.cidr) as r from subnets s join networks n on n.id = s.network_id
        where masklen(s.cidr) = 24) s
      cross join generate_series(0, 199) h
      join workloads w on w.cluster_id = s.cluster_id and w.vmid = 101 + (r * 200 + h) % 5000
    where s.r <= ${Math.ceil(count / 200)} limit ${count};
  analyze;`);
const [{ n: stored } = { n: 0 }] = await sql<{ n: number }[]>`select count(*)::int as n from ip_addresses`;
const one = async (text: string) => ((await sql.unsafe(text))[0] ?? {}) as Record<string, string>;
const network = await one(`select network_id as id from ip_addresses group by 1 order by count(*) desc limit 1`);
const subnet = (length: number) =>
  one(
    `select id, cidr from subnets where network_id = '${network.id}' and masklen(cidr) = ${length} order by cidr offset 3 limit 1`,
  );
const [root, site, rack] = [
  await one(`select id from subnets where network_id = '${network.id}' and masklen(cidr) = 8`),
  await subnet(16),
  await subnet(24),
];
const address = await one(
  `select id, host(address) as address, mac from ip_addresses where subnet_id = '${rack.id}' offset 7 limit 1`,
);
const admin = await bearer(await makeUser('admin'));
const viewer = await bearer(await makeUser('viewer', tenant));

const read = async (path: string, headers = admin) => {
  const response = await call(path, { headers });
  const json = (await response.json()) as {
    total?: number;
    items?: unknown[];
    addresses?: unknown[];
    cells?: unknown[];
  };
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(json)}`);
  return json;
};
const cases: [string, string, typeof admin?][] = [
  ['networks', '/networks'],
  ['tree: top', `/networks/${network.id}/tree`],
  ['tree: inside /8', `/networks/${network.id}/tree?parent_id=${root.id}`],
  ['tree: inside /16', `/networks/${network.id}/tree?parent_id=${site.id}`],
  ['subnets: all', '/subnets?limit=100'],
  ['subnets: of a network', `/subnets?network_id=${network.id}&limit=100`],
  ['subnets: holding an address', `/subnets?contains=${address.address}`],
  ['subnet /8', `/subnets/${root.id}`],
  ['subnet /24', `/subnets/${rack.id}`],
  ['subnet page: addresses', `/ip-addresses?subnet_id=${rack.id}&limit=100`],
  ['subnet page: nested, /16', `/ip-addresses?subnet_id=${site.id}&nested=true&limit=100`],
  ['subnet page: grid', `/subnets/${rack.id}/grid`],
  ['next free address', `/subnets/${rack.id}/next-address?count=5`],
  ['next free prefix in /8', `/subnets/${root.id}/next-prefix?prefix_length=24`],
  ['address', `/ip-addresses/${address.id}`],
  ['addresses: all', '/ip-addresses?limit=100'],
  ['addresses: by state', '/ip-addresses?state=reserved&limit=100'],
  ['search: address', `/ipam/search?q=${address.address}`],
  ['search: MAC', `/ipam/search?q=${address.mac}`],
  ['search: CIDR', `/ipam/search?q=${encodeURIComponent(rack.cidr ?? '')}`],
  ['search: wide CIDR', '/ipam/search?q=10.0.0.0%2F8'],
  ['search: beginning', '/ipam/search?q=10.3.1'],
  ['search: host name', '/ipam/search?q=host-77-1'],
  ['list search: beginning', '/ip-addresses?q=10.3.&limit=100'],
  ['list search: name of a guest', '/ip-addresses?q=guest-c4ca&limit=100'],
  ['tenant: tree', `/networks/${network.id}/tree`, viewer],
  ['tenant: addresses', '/ip-addresses?limit=100', viewer],
  ['tenant: search', `/ipam/search?q=${address.address}`, viewer],
];

const measured: { name: string; rows: number; median: number; p95: number; queries: Set<number> }[] = [];
const floorSamples: number[] = [];
for (const [name, path, headers] of cases) {
  const samples: number[] = [];
  const queriesSeen = new Set<number>();
  let rows = 0;
  for (let i = 0; i < 3; i++) await read(path, headers);
  for (let i = 0; i < calls; i++) {
    const started = performance.now();
    const { result, queries } = await countQueries(() => read(path, headers));
    samples.push(performance.now() - started);
    queriesSeen.add(queries);
    rows = result.total ?? result.addresses?.length ?? result.cells?.length ?? 1;
    const floorStarted = performance.now();
    await sql`select * from ip_addresses order by cluster_id, network_id, address limit 100`;
    floorSamples.push(performance.now() - floorStarted);
  }
  const { median, p95 } = summary(samples);
  measured.push({ name, rows, median, p95, queries: queriesSeen });
}
const floor = summary(floorSamples);
console.log(`${stored} addresses, ${calls} calls per case`);
printTable(
  ['case', 'matches', 'median', 'p95', 'to floor', 'queries'],
  measured.map(({ name, rows, median, p95, queries }) => [
    name,
    String(rows),
    ms(median),
    ms(p95),
    (median / floor.median).toFixed(1),
    [...queries].join('/'),
  ]),
);
console.log(`floor (bare page): median ${ms(floor.median)}`);

const lines = Array.from({ length: 20_000 }, (_, i) => {
  const address = i % 100 === 50 ? '10.300.0.1' : `10.${200 + (i >> 14)}.${(i >> 6) & 255}.${(i & 63) + 1}`;
  return `fra,net3,${address},reserved,imported-${i}.example.org`;
});
const id = newId();
const content = ['cluster,network,address,state,hostname', ...lines].join('\n');
const { db } = await import('@/server/db/client');
await db.transaction((tx) =>
  insertImport(tx, { id, kind: 'addresses', mode: 'skip_bad', content, sha256: '', requested_by_name: 'bench' }),
);
const started = performance.now();
await runImport(id, { signal: new AbortController().signal });
const seconds = (performance.now() - started) / 1000;
const report = await findImport(id);
console.log(
  `CSV: 20,000 rows, 200 bad: ${seconds.toFixed(1)} s, ${report?.created} stored, ${report?.errors.length} errors by line and field`,
);
const named = new Set(report?.errors.map(({ line, field }) => `${line} ${field}`));
const worst = measured.reduce((a, b) => (a.p95 > b.p95 ? a : b));
expectBar(`p95 of every case is at most 150 ms (worst: ${worst.name}, ${ms(worst.p95)})`, worst.p95 <= 150);
expectBar(
  'every case always takes the same number of queries',
  measured.every(({ queries }) => queries.size === 1),
);
expectBar(
  'the CSV file names each bad row',
  named.size === 200 && lines.every((line, i) => !line.includes('10.300') || named.has(`${i + 2} address`)),
);
expectBar('and stores the others', report?.created === 19_800);
await closeDb();
await database.stop();

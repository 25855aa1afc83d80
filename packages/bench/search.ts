import { startBenchDatabase } from './database';
import { expectBar, ms, printTable, summary } from './stats';

/*
 * How long a search takes, in this process and without HTTP:
 *   npx tsx packages/bench/search.ts [workloads] [addresses]   (5000, 100000)
 * As an administrator, and as a viewer of one of 20 tenants. The bar: the median of each at most 100 ms.
 * The floor is a search for nothing, which reads no table but those of the session.
 */
const [workloads = 5_000, addresses = 100_000] = process.argv.slice(2).map(Number);
const RUNS = 25;
const BAR_MS = 100;

const database = await startBenchDatabase();
const { sqlClient } = await import('@/server/db/client');
const { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser } = await import('@/test/factories');
const { call } = await import('@/test/request');
const sql = sqlClient();

async function fill(): Promise<{ id: string }> {
  const cluster = await makeCluster({ name: 'bench' });
  for (let i = 0; i < 20; i++) await makeNode(cluster, { name: `pve-${i}` });
  const tenants = [];
  for (let i = 0; i < 20; i++) tenants.push(await makeTenant({ name: `tenant-${i}` }));
  for (const tenant of tenants) await makeProject(tenant, { name: 'main' });
  await sql`insert into networks (id, cluster_id, name, kind, source, vlan_tag)
    select gen_random_uuid(), ${cluster.id}, 'vnet' || i, 'vnet', 'manual', i from generate_series(1, 400) i`;
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    select gen_random_uuid(), cluster_id, id, ('10.' || vlan_tag / 200 || '.' || vlan_tag % 200 || '.0/24')::cidr, 'manual' from networks`;
  await sql`insert into workloads (id, cluster_id, project_id, vmid, kind, external_id, name, status, tags)
    select gen_random_uuid(), ${cluster.id}, (array(select id from projects order by id))[1 + i % 20], 100 + i, 'qemu', 'qemu/' || 100 + i,
      (array['web', 'db', 'cache', 'queue', 'proxy'])[1 + i % 5] || '-' || i, 'running', array['env-' || i % 7]
    from generate_series(1, ${workloads}) i`;
  await sql`insert into workload_interfaces (id, workload_id, network_id, name, mac, firewall, raw)
    select gen_random_uuid(), w.id, n.id, 'net' || k, ('bc24.' || lpad(to_hex(w.vmid), 4, '0') || '.000' || k)::macaddr, true, ''
    from workloads w cross join generate_series(0, 1) k join networks n on n.vlan_tag = 1 + w.vmid % 400`;
  await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, hostname, source)
    select gen_random_uuid(), s.cluster_id, s.network_id, s.id, host(s.cidr)::inet + k, w.id,
      'host-' || k || '.net' || n.vlan_tag || '.example.org', 'manual'
    from generate_series(1, ${Math.ceil(addresses / 400)}) k cross join subnets s join networks n on n.id = s.network_id
      join workloads w on w.vmid = 101 + (k + n.vlan_tag * 250) % ${workloads}`;
  await sql`insert into policies (id, name, tier, definition) select gen_random_uuid(), 'Policy ' || i, 'platform_first',
    '{"enforcement_mode":"audit","direction":"both","sources":["any"],"targets":["any"]}' from generate_series(1, 500) i`;
  await sql`analyze`;
  return tenants[3] as { id: string };
}

try {
  const tenant = await fill();
  const people = {
    administrator: await bearer(await makeUser('admin')),
    'one tenant': await bearer(await makeUser('viewer', tenant)),
  };
  const texts = {
    floor: '',
    'a name': 'web-4000',
    'part of many names': 'web',
    'a typing error': 'porxy-44',
    'a VMID': '2300',
    'a MAC address': 'bc:24:08:98:00:00',
    'part of a MAC address': '08:98:00',
    'an address': '10.1.20.77',
    'part of an address': '10.1.2',
    'a prefix': '10.1.20.0/24',
    'a host name': 'host-33.net20',
    'a tag': 'env-3',
    'a VLAN': 'vlan 20',
    'words of a policy': 'policy 44',
    nothing: 'no such thing anywhere',
  };
  const rows: string[][] = [];
  let worst = 0;
  for (const [person, headers] of Object.entries(people)) {
    for (const [what, q] of Object.entries(texts)) {
      const samples: number[] = [];
      let found = 0;
      for (let run = 0; run < RUNS; run++) {
        const started = performance.now();
        const response = await call(`/search?q=${encodeURIComponent(q)}`, { headers });
        const answer = await response.json();
        samples.push(performance.now() - started);
        found = answer.items.length;
      }
      const { median, p95, max } = summary(samples);
      if (what !== 'floor') worst = Math.max(worst, median);
      rows.push([`${person}: ${what}`, String(found), ...[median, p95, max].map(ms)]);
    }
  }
  printTable(['search', 'results', 'median', 'p95', 'max'], rows);
  expectBar(`the median of every search at most ${BAR_MS} ms (${ms(worst)})`, worst <= BAR_MS);
} finally {
  await sql.end();
  await database.stop();
}

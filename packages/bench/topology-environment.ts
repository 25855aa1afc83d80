import { fork } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { findFreePort } from '@/runtime/postgres/server';
import { migrateDatabase } from '@/server/db/migrate';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ADMIN = { email: 'bench@example.org', password: 'seven grey herons' };
const SETUP_CODE = 'BENC-CODE-0001';

/** Guests on two clusters and six networks each, five projects, some tags; half of them filter. */
const INVENTORY = `
  with c as (insert into clusters (id, name, api_url)
      select gen_random_uuid(), 'bench-' || n, 'https://pve' || n || '.example.org:8006' from generate_series(1, 2) as n
      returning id, name),
    t as (insert into tenants (id, name) values (gen_random_uuid(), 'bench') returning id),
    p as (insert into projects (id, tenant_id, name)
      select gen_random_uuid(), t.id, 'project ' || n from t, generate_series(1, 5) as n returning id, name),
    net as (insert into networks (id, cluster_id, name, kind, source)
      select gen_random_uuid(), c.id, 'vmbr' || n, 'bridge', 'provider' from c, generate_series(0, 1) as n
      returning id, cluster_id, name),
    sub as (insert into subnets (id, cluster_id, network_id, cidr, source)
      select gen_random_uuid(), net.cluster_id, net.id, (case when net.name = 'vmbr0' then '10.0.0.0/17' else '10.0.128.0/17' end)::cidr, 'manual'
      from net returning id, cluster_id, network_id, cidr),
    w as (insert into workloads (id, cluster_id, project_id, vmid, kind, external_id, name, status, tags)
      select gen_random_uuid(), (select id from c where c.name = 'bench-' || (1 + i % 2)),
        (select id from p where p.name = 'project ' || (i % 6)), 1000 + i, 'qemu', 'qemu/' || (1000 + i),
        (array['web', 'db', 'cache', 'build', 'mail', 'proxy', 'monitor'])[1 + i % 7] || '-' || i,
        case when i % 11 = 0 then 'stopped' else 'running' end,
        array[(array['prod', 'test', 'shared'])[1 + i % 3]]
      from generate_series(1, $1::int) as i returning id, cluster_id, vmid),
    card as (insert into workload_interfaces (id, workload_id, network_id, name, bridge, vlan_tag, firewall, raw)
      select gen_random_uuid(), w.id, net.id, 'net0', net.name, nullif(10 * (w.vmid % 3), 0), true, ''
      from w join net on net.cluster_id = w.cluster_id and net.name = 'vmbr' || (w.vmid / 6 % 2)
      returning workload_id, network_id),
    address as (insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      select gen_random_uuid(), w.cluster_id, card.network_id, sub.id, host(sub.cidr)::inet + w.vmid, w.id, 'manual'
      from w join card on card.workload_id = w.id join sub on sub.network_id = card.network_id
      returning workload_id),
    read as (insert into cluster_firewall_snapshots (cluster_id, read_at, state_hash, state)
      select id, now(), 'c', '{"firewall_enabled": true, "groups": {}, "ipsets": {}, "aliases": {}, "unreadable": []}' from c
      returning cluster_id)
  insert into guest_firewall_snapshots (workload_id, cluster_id, read_at, state_hash, state)
  select id, cluster_id, now(), 'g', jsonb_build_object('presence', 'present', 'ipsets', '{}'::jsonb, 'aliases', '{}'::jsonb,
    'pending_nics', '[]'::jsonb, 'unreadable', '[]'::jsonb,
    'options', jsonb_build_object('enable', 1, 'policy_in', case when vmid % 4 = 0 then 'DROP' else 'ACCEPT' end),
    'nics', jsonb_build_array(jsonb_build_object('name', 'net0', 'firewall', vmid % 2 = 0, 'mac', null)),
    'rules', jsonb_build_array(jsonb_build_object('pos', 0, 'type', 'in', 'action', 'ACCEPT', 'enable', 1, 'proto', 'tcp', 'dport', '443,5432', 'source', '10.0.0.0/8')))
  from w`;

/** Conversations of the last 55 minutes: three of four between guests of one cluster, the others with the internet. */
const TRAFFIC = `
  with w as (select w.id, w.cluster_id, row_number() over (partition by w.cluster_id order by vmid) - 1 as at,
      count(*) over (partition by w.cluster_id) as of, s.cidr
    from workloads w join ip_addresses a on a.workload_id = w.id join subnets s on s.id = a.subnet_id),
    pair as (select n, n % 2 as reply, (n / 2) as talk from generate_series($2::int, $3::int) as n)
  insert into flow_rollup_minutes (node_id, cluster_id, bucket_at, rollup_key, source_workload_id, destination_workload_id,
    source_prefix, destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
  select '00000000-0000-4000-8000-000000000001', a.cluster_id,
    date_trunc('minute', now()) - make_interval(mins => 1 + (talk / $1::int) % 55), gen_random_uuid(),
    case when x.outside then null else a.id end, b.id, case when x.outside then x.prefix::cidr else a.cidr end, b.cidr,
    not x.outside, true, 'tcp', (array[443, 5432, 22, 8080, 53])[1 + talk % 5], false,
    case when x.outside and talk % 7 = 0 then 'drop' else 'observed' end, 500 + (talk::bigint * 7919) % 900000, 10, 1
  from pair
  cross join lateral (select talk % $1::int as edge) as e
  join w as a on a.at = (edge / 2 * 31) % a.of and a.cluster_id = (select id from clusters where name = 'bench-' || (1 + edge % 2))
  join w as b on b.at = (edge / 2 * 7 + edge / 2 / b.of * 29 + 3) % b.of and b.cluster_id = a.cluster_id and b.id <> a.id
  cross join lateral (select edge % 4 = 0 as outside, '203.0.' || edge % 64 || '.0/24' as prefix) as x
  where reply = 0`;

const CHUNK = 200_000;

/** Fills a store with `workloads` guests and what was read of their firewalls. */
export async function fillInventory(sql: postgres.Sql, workloads: number): Promise<void> {
  await sql.unsafe(INVENTORY, [workloads]);
}

/**
 * The production build over a store with `workloads` guests (0: an empty one), and `rows` rollups per minute of the last hour that make
 * up about `edges` different pairs.
 */
export async function startTopologyEnvironment(workloads: number, edges: number, rows: number) {
  if (!existsSync(file('../../.next/standalone/server.js'))) throw new Error('Run npm run build first.');
  const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  chmodSync(directory, 0o755);
  const database = await startEmbeddedDatabase(directory, () => {});
  await migrateDatabase(database.url);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: '',
    FABRIC_SECRET_KEY: 'bench-secret-key-bench-secret-key-bench',
    FABRIC_DATA_DIR: directory,
    FABRIC_SETUP_CODE: SETUP_CODE,
    PORT: String(await findFreePort()),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  Object.assign(process.env, environment);
  const { sqlClient, closeDb } = await import('@/server/db/client');
  const sql = sqlClient();
  if (workloads > 0) await fillInventory(sql, workloads);
  for (let from = 0; from < 2 * rows; from += CHUNK) {
    await sql.unsafe(TRAFFIC, [edges, from, Math.min(from + CHUNK, 2 * rows) - 1]);
  }
  await sql`vacuum analyze`;
  const web = fork(file('../../dist/web.mjs'), ['--embedded'], {
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...environment },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((resolve, reject) => {
    web.once('message', resolve);
    web.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
  });
  const url = `http://127.0.0.1:${environment.PORT}`;
  const setup = await fetch(`${url}/api/v1/setup/complete`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ADMIN, setup_code: SETUP_CODE }),
  });
  if (!setup.ok) throw new Error(`setup: ${setup.status} ${await setup.text()}`);
  return {
    url,
    admin: ADMIN,
    async stop(): Promise<void> {
      web.kill('SIGKILL');
      await closeDb();
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

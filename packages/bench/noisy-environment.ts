import { type ChildProcess, fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedDatabase } from '@/runtime/embedded-database';
import { findFreePort } from '@/runtime/postgres/server';
import { migrateDatabase } from '@/server/db/migrate';
import { PASSWORD } from './service-environment';
import { fillInventory } from './topology-environment';

const WORKLOADS = 2_000;
/** Those of one cluster. */
const HALF = WORKLOADS / 2;
const [EDGES, SUMS, FLOWS] = [4_000, 100_000, 60_000];
const [POLICIES, RULES] = [100, 5];

/**
 * Groups of forty workloads, policies of five rules between them; rollups and raw flows of the last hour between pairs
 * of workloads.
 */
const POLICY_SQL = `
  insert into security_groups (id, name) select gen_random_uuid(), 'group-' || i from generate_series(0, ${POLICIES - 1}) as i;
  insert into security_group_members (security_group_id, workload_id)
    select g.id, w.id from security_groups as g join (select id, row_number() over (order by vmid) as k from workloads) as w
      on g.name = 'group-' || w.k % ${POLICIES} or g.name = 'group-' || (w.k * 7 + 3) % ${POLICIES};
  insert into policies (id, tenant_id, tier, name, definition, priority, version)
    select gen_random_uuid(), (select id from tenants limit 1), 'tenant', 'policy ' || i, jsonb_build_object('enforcement_mode', case when i % 3 = 0 then 'audit' else 'enforced' end,
      'direction', 'in', 'sources', jsonb_build_array('sg:group-' || (i + 1) % ${POLICIES}), 'targets', jsonb_build_array('sg:group-' || i),
      'default_action', 'none'), i, 1 from generate_series(0, ${POLICIES - 1}) as i;
  insert into security_rules (id, policy_id, position, action, protocol, destination_ports)
    select gen_random_uuid(), id, n, 'accept', 'tcp', array[(1000 + n)::text] from policies, generate_series(0, ${RULES - 1}) as n;
  update security_groups set tenant_id = t.id from tenants as t;
  insert into nodes (id, cluster_id, name) select gen_random_uuid(), id, 'node-' || name from clusters;
  update workloads as w set node_id = n.id from nodes as n where n.cluster_id = w.cluster_id;
  create table bench_places as select w.id, w.vmid, w.node_id, w.cluster_id, a.address, s.cidr,
    row_number() over (order by w.cluster_id, w.vmid)::int - 1 as k
    from workloads as w join ip_addresses as a on a.workload_id = w.id join subnets as s on s.id = a.subnet_id;
  alter table bench_places add primary key (k);
  analyze bench_places;
  insert into flow_rollup_minutes (node_id, cluster_id, bucket_at, rollup_key, source_workload_id, destination_workload_id,
    source_prefix, destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
  select a.node_id, a.cluster_id, date_trunc('minute', now()) - make_interval(mins => 1 + (i / ${EDGES}) % 55), gen_random_uuid(),
    case when not e.outside then a.id end, b.id, case when e.outside then ('203.0.' || e.n % 64 || '.0/24')::cidr else a.cidr end, b.cidr,
    not e.outside, true, 'tcp', (array[443, 5432, 22, 1001, 53])[1 + i % 5], false, 'observed', 500 + (i::bigint * 7919) % 900000, 10, 1
  from generate_series(0, ${SUMS - 1}) as i
  cross join lateral (select i % ${EDGES} as n, i % 4 = 0 as outside) as e
  join bench_places as a on a.k = e.n % ${WORKLOADS}
  join bench_places as b on b.k = e.n % ${WORKLOADS} / ${HALF} * ${HALF} + (e.n % ${WORKLOADS} + 1 + e.n / ${WORKLOADS} * 7) % ${HALF};
  insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port, destination_port, decision, state,
    bytes, packets, first_seen_at, observed_at, collector, initiator, interface, vmid, nic, workload_id, source_workload_id,
    destination_workload_id, source_cidr, destination_cidr)
  select a.node_id, md5(i::text)::uuid, a.cluster_id, a.address, b.address, 'tcp', 32768 + i % 28000, (array[443, 5432, 22, 1001, 53])[1 + i % 5],
    'observed', 'ESTABLISHED', 500 + i, 10, now() - make_interval(secs => 60 + i % 3400), now() - make_interval(secs => 30 + i % 3400), 'ebpf',
    'source', 'tap1i0', a.vmid, 0, a.id, a.id, b.id, a.cidr, b.cidr
  from generate_series(0, ${FLOWS - 1}) as i
  join bench_places as a on a.k = i % ${WORKLOADS}
  join bench_places as b on b.k = i % ${WORKLOADS} / ${HALF} * ${HALF} + (i % ${WORKLOADS} + 1 + i % 9) % ${HALF};`;

/** Accounts: the attacker's in the large tenant, another one's in a tenant of its own with a few workloads, and one of the platform. */
async function makePeople() {
  const { sqlClient } = await import('@/server/db/client');
  const { makeProject, makeTenant, makeUser } = await import('@/test/factories');
  const { hashPassword } = await import('@/server/access/sign-in/passwords');
  const sql = sqlClient();
  const [large] = await sql<{ id: string }[]>`select id from tenants limit 1`;
  if (!large) throw new Error('the large tenant is missing');
  const quiet = await makeTenant({ name: 'quiet' });
  const project = await makeProject(quiet, { name: 'quiet' });
  await sql`update workloads set project_id = ${project.id} where vmid % 40 = 0`;
  const password_hash = await hashPassword(PASSWORD);
  const people = {
    attacker: 'attacker@example.org',
    neighbour: 'neighbour@example.org',
    operator: 'operator@example.org',
  };
  await makeUser('security_engineer', large, { email: people.attacker, password_hash });
  await makeUser('viewer', quiet, { email: people.neighbour, password_hash });
  await makeUser('auditor', undefined, { email: people.operator, password_hash });
  await sql`insert into system_settings (key, value) values ('setup', '{"completed_at": "2026-01-01T00:00:00Z"}')`;
  return people;
}

/** A store with 2,000 workloads, 500 rules and an hour of traffic, over which web processes of several builds can be started. */
export async function startNoisyEnvironment() {
  const directory = mkdtempSync(join(tmpdir(), 'fabric-bench-'));
  chmodSync(directory, 0o755);
  const database = await startEmbeddedDatabase(directory, () => {});
  await migrateDatabase(database.url);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: '',
    FABRIC_SECRET_KEY: 'bench-secret-key-bench-secret-key-bench',
    FABRIC_DATA_DIR: directory,
    LOG_LEVEL: 'error',
  };
  Object.assign(process.env, environment);
  const { sqlClient, closeDb } = await import('@/server/db/client');
  const sql = sqlClient();
  await fillInventory(sql, WORKLOADS);
  // Nothing listens there, so reading a cluster fails immediately.
  await sql`update clusters set api_url = 'https://127.0.0.1:9'`;
  await sql.unsafe(POLICY_SQL);
  const people = await makePeople();
  await sql`vacuum analyze`;
  return {
    people,
    sql,
    /** Starts the web process of the build in a directory. */
    async startWeb(build: string): Promise<{ url: string; stop(): Promise<void> }> {
      const port = String(await findFreePort());
      const web: ChildProcess = fork(resolve(build, 'dist/web.mjs'), ['--embedded'], {
        env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...environment, PORT: port, HOST: '127.0.0.1' },
        execArgv: [],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      await new Promise((done, reject) => {
        web.once('message', done);
        web.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)));
      });
      return {
        url: `http://127.0.0.1:${port}`,
        async stop() {
          const ended = new Promise((done) => web.once('exit', done));
          web.kill('SIGKILL');
          await ended;
        },
      };
    },
    async stop(): Promise<void> {
      await closeDb();
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

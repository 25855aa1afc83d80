import type { LiveRule } from '@/domain/firewall/live-state';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import type { IngestEnvironment } from './ingest-environment';

const WORKLOADS = 5_000;
const SUBNETS = 1_000;
const TENANTS = 20;
const POLICIES = 25;
/** Flows are made in chunks of this many, each stored once or, when two nodes saw it, twice. */
const CHUNK = 250_000;

/** More subnets and guests, up to the numbers above; tenants; policies between groups. All guests are numbered in `bench_world`. */
const SETUP_SQL = `
  insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || i from generate_series(1, ${TENANTS}) as i;
  insert into projects (id, tenant_id, name) select gen_random_uuid(), id, 'project' from tenants;
  insert into subnets (id, cluster_id, network_id, cidr, source)
    select gen_random_uuid(), cluster_id, id, format('10.%s.%s.0/24', 100 + i / 250, i % 250)::cidr, 'manual'
    from networks cross join generate_series(0, ${SUBNETS} - 1 - (select count(*)::int from subnets)) as i;
  insert into workloads (id, cluster_id, node_id, vmid, kind, external_id, name, status)
    select gen_random_uuid(), n.cluster_id, n.id, 10000 + i, 'qemu', 'qemu/' || 10000 + i, 'guest ' || 10000 + i, 'running'
    from generate_series(0, ${WORKLOADS} - 1 - (select count(*)::int from workloads)) as i join bench_nodes as n on n.number = i % 64;
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
    select gen_random_uuid(), w.cluster_id, s.network_id, s.id, host(s.cidr::inet + 10 + ((w.vmid - 10000) / s.total)::int)::inet, w.id, 'manual'
    from workloads as w join (select *, row_number() over (order by cidr) - 1 as k, count(*) over () as total
      from subnets where cidr <<= '10.100.0.0/14') as s on s.k = (w.vmid - 10000) % s.total
    where w.vmid >= 10000;
  update workloads as w set status = 'running', project_id = p.id
    from (select id, row_number() over (order by id) - 1 as k from projects) as p where w.vmid % (${TENANTS} + 5) = p.k;
  create table bench_world as
    select (row_number() over (order by vmid) - 1)::int as k, w.id, w.node_id, w.cluster_id, w.vmid, a.address, s.cidr
    from workloads as w join ip_addresses as a on a.workload_id = w.id join subnets as s on s.id = a.subnet_id;
  alter table bench_world add primary key (k);
  insert into security_groups (id, name) select gen_random_uuid(), 'group-' || i from generate_series(0, ${POLICIES - 1}) as i;
  insert into security_group_members (security_group_id, workload_id)
    select g.id, w.id from bench_world as w join security_groups as g on g.name = 'group-' || w.k % 50;
  insert into policies (id, name, tier, definition, priority, version)
    select gen_random_uuid(), 'policy ' || i, 'platform_first', jsonb_build_object('enforcement_mode', case when i % 5 = 0 then 'audit' else 'enforced' end,
      'direction', 'in', 'sources', jsonb_build_array('any'), 'targets', jsonb_build_array('sg:group-' || i), 'default_action', 'none'), i, 3
    from generate_series(0, ${POLICIES - 1}) as i;
  insert into security_rules (id, policy_id, position, action, protocol, destination_ports)
    select gen_random_uuid(), id, 0, 'accept', 'tcp', '{443}' from policies;`;

/**
 * Flows of the last day, one after the other, spread evenly: of 20 twelve between guests, seven to the internet and one from there; of a thousand
 * one comes from there to a sensitive port, from one of 500 addresses. Every third between guests of two nodes was seen by both.
 */
const FLOWS_SQL = `
  insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port, destination_port,
    decision, state, bytes, packets, first_seen_at, observed_at, collector, initiator, interface, vmid, nic, workload_id,
    source_workload_id, destination_workload_id, source_cidr, destination_cidr, raw)
  select case when seen.far then b.node_id else a.node_id end, md5(i || ' ' || seen.far)::uuid, a.cluster_id, f.source_ip,
    f.destination_ip, 'tcp', 32768 + i % 28000, f.port, f.decision, 'ESTABLISHED', 500 + r.r4 % 100000, 3 + r.r4 % 90,
    f.at - make_interval(secs => r.r5 % 900), f.at, 'ebpf', 'source', 'tap100i0', a.vmid, 0,
    case when seen.far then b.id else a.id end, f.source_id, f.destination_id, f.source_cidr, f.destination_cidr,
    case when i % 3 = 0 then '{"zone": 0, "source_translated": "198.51.100.7"}'::jsonb end
  from generate_series($1::int, $2::int - 1) as i
  cross join lateral (select abs(hashint8extended(i, 1)) as r1, abs(hashint8extended(i, 2)) as r2, abs(hashint8extended(i, 3)) as r3,
    abs(hashint8extended(i, 4)) as r4, abs(hashint8extended(i, 5)) as r5) as r
  join bench_world as a on a.k = r1 % ${WORKLOADS}
  join bench_world as b on b.k = (r1 % ${WORKLOADS} + 1 + 7 * (r2 % 40)) % ${WORKLOADS}
  cross join lateral (select case when i % 20 < 12 then 'pair' when i % 20 < 19 then 'out' else 'in' end as kind,
    (array[443, 443, 5432, 53, 80])[1 + r2 % 5] as service,
    format('203.0.%s.%s', r3 % 64, 1 + r4 % 250)::inet as outside, format('198.18.%s.%s', r3 % 2, 1 + r4 % 250)::inet as scanner) as k
  cross join lateral (select k.*,
    case kind when 'in' then case when i % 1000 = 19 then scanner else outside end else a.address end as source_ip,
    case kind when 'pair' then b.address when 'out' then outside else a.address end as destination_ip,
    case when i % 1000 = 19 then (array[22, 3389, 445, 5432, 6379])[1 + r5 % 5] when kind = 'in' then 443 else service end as port,
    case when i % 25 = 3 then 'drop' when i % 50 = 7 then 'accept' else 'observed' end as decision,
    now() - make_interval(secs => 86000 * (1 - i::float8 / $3::int)) as at,
    case when kind <> 'in' then a.id end as source_id, case kind when 'pair' then b.id when 'in' then a.id end as destination_id,
    case when kind <> 'in' then a.cidr end as source_cidr, case kind when 'pair' then b.cidr when 'in' then a.cidr end as destination_cidr) as f
  cross join (values (false), (true)) as seen(far)
  where not seen.far or (f.kind = 'pair' and a.node_id <> b.node_id and i % 3 = 0)`;

/** The minutes of these flows, as heartbeats would have made them; parameters: from and to. */
const MINUTES_SQL = `
  insert into flow_rollup_minutes (node_id, bucket_at, rollup_key, cluster_id, source_workload_id, destination_workload_id,
    source_prefix, destination_prefix, source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
  select node_id, at, md5(concat_ws('|', coalesce(source_workload_id::text, '-'), coalesce(destination_workload_id::text, '-'), sp, dp, port, decision))::uuid,
    cluster_id, source_workload_id, destination_workload_id, sp, dp, source_workload_id is not null, destination_workload_id is not null,
    'tcp', port, false, decision, sum(bytes), sum(packets), count(*)
  from (select *, date_trunc('minute', observed_at) as at, destination_port as port,
      coalesce(source_cidr, network(set_masklen(source_ip, 24))) as sp,
      coalesce(destination_cidr, network(set_masklen(destination_ip, 24))) as dp
    from traffic_flows where observed_at >= $1::timestamptz and observed_at < $2::timestamptz) as f
  group by node_id, at, cluster_id, source_workload_id, destination_workload_id, sp, dp, port, decision`;

/** The first rule is alike in all guests, the others are for ports and networks of their own. */
const buildRule = (k: number, pos: number): LiveRule => ({
  ...{ pos, type: pos % 10 === 9 ? 'out' : 'in', action: pos % 7 === 6 ? 'DROP' : 'ACCEPT', enable: 1, proto: 'tcp' },
  ...{ dport: pos === 0 ? '443' : String(1_000 + ((pos * 37 + k) % 4_000)), comment: 'manual' },
  ...(pos > 0 && { [pos % 10 === 9 ? 'dest' : 'source']: `10.${100 + (pos % 4)}.${(pos * 7 + k) % 250}.0/24` }),
});

const buildGuestState = (k: number, rules: number): GuestSnapshot => {
  const nics = [{ name: 'net0', firewall: k % 10 > 0, mac: 'BC:24:11:00:00:01' }];
  return {
    ...{ presence: 'present', options: { enable: 1 }, ipsets: {}, aliases: {}, nics },
    rules: Array.from({ length: rules }, (_, pos) => buildRule(k, pos)),
    ...{ pending_nics: [], unreadable: [] },
  };
};

/** What was read of every guest's firewall just now. */
async function insertSnapshots(sql: IngestEnvironment['sql'], rules: number): Promise<void> {
  const { db } = await import('@/server/db/client');
  const { hashSnapshot: hashOf } = await import('@/server/enforcement/guest-firewall/live-reader');
  const { storeClusterSnapshot, storeGuestSnapshots } = await import('@/server/enforcement/queries/firewall-snapshots');
  const read_at = new Date().toISOString();
  const guests = await sql<{ id: string; k: number; cluster_id: string }[]>`select id, k, cluster_id from bench_world`;
  for (let i = 0; i < guests.length; i += 500) {
    const rows = guests.slice(i, i + 500).map(({ id, k }) => {
      const state = buildGuestState(k, rules);
      return { workload_id: id, read_at, state, state_hash: hashOf(state) };
    });
    await storeGuestSnapshots(db, rows);
  }
  const nodes = await sql<{ name: string }[]>`select name from nodes order by name`;
  const state = {
    ...{ firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
    nodes: Object.fromEntries(
      nodes.map(({ name }, i) => [name, { options: {}, networks: [`10.99.0.${i + 1}/16`], rules: [] }]),
    ),
  };
  const cluster_id = guests[0]?.cluster_id ?? '';
  await storeClusterSnapshot(db, { cluster_id, read_at, state, state_hash: hashOf(state) });
}

/** Runs work while a table has no index: making them afterwards takes a fraction of the time. */
export async function withoutIndexes(
  sql: IngestEnvironment['sql'],
  table: string,
  work: () => Promise<void>,
): Promise<void> {
  const indexes = await sql<{ name: string; definition: string; key: string | null }[]>`
    select i.indexname as name, i.indexdef as definition, pg_get_constraintdef(c.oid) as key from pg_indexes as i
    left join pg_constraint as c on c.conname = i.indexname where i.tablename = ${table}`;
  for (const { name, key } of indexes) {
    await sql.unsafe(key === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`);
  }
  await work();
  for (const { name, definition, key } of indexes) {
    await sql.unsafe(key === null ? definition : `alter table ${table} add constraint ${name} ${key}`);
  }
}

/** Fills the service with a large installation, with so many rules of each workload, and about so many flows of the last day. @returns how many are stored */
export async function fillDashboard({ sql: pool }: IngestEnvironment, flows: number, rules = 1): Promise<number> {
  await pool.unsafe(SETUP_SQL);
  await insertSnapshots(pool, rules);
  const sql = await pool.reserve();
  await sql`set statement_timeout = 0`;
  await sql`set synchronous_commit = off`;
  await sql`set work_mem = '256MB'`;
  await sql`set maintenance_work_mem = '1GB'`;
  // Three of five are between guests of two nodes, a third of those counts twice.
  const different = Math.round(flows / 1.2);
  await withoutIndexes(sql as unknown as IngestEnvironment['sql'], 'traffic_flows', async () => {
    for (let i = 0; i < different; i += CHUNK) {
      await sql.unsafe(FLOWS_SQL, [i, Math.min(i + CHUNK, different), different]);
      console.error(`${i} flows`);
    }
  });
  await sql`vacuum analyze traffic_flows`;
  await withoutIndexes(sql as unknown as IngestEnvironment['sql'], 'flow_rollup_minutes', async () => {
    for (let hour = 25; hour >= 0; hour--) {
      const time = (hours: number) => new Date(Math.floor(Date.now() / 3_600_000 - hours) * 3_600_000).toISOString();
      await sql.unsafe(MINUTES_SQL, [time(hour), time(hour - 1)]);
    }
  });
  await sql`insert into traffic_marks (cluster_id, bucket_at)
    select distinct cluster_id, date_bin('5 minutes', bucket_at, 'epoch'::timestamptz) from flow_rollup_minutes`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  const [row] = await sql<{ flows: number }[]>`select count(*)::int as flows from traffic_flows`;
  await sql`reset all`;
  sql.release();
  return row?.flows ?? 0;
}

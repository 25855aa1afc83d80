import pg from 'pg';
import { applyMigrationSteps } from '@/server/backup/rebuild-schema';
import { migrationSteps } from '@/server/db/migrate';

/** How many migrations the old installation has: telemetry is there, address management (0005) and all later are not. */
const OLD_MIGRATIONS = 5;

export type Volume = { workloads: number; flows: number };

/**
 * A database as an early release left it, with people, clusters, addresses, policies, history and traffic in it, and with
 * what later migrations have to deal with: gateways outside their subnet, rules without a log level, ports as text, texts
 * that need escaping, networks of one name in several
 * clusters.
 */
export async function makeOldInstallation(url: string, { workloads, flows }: Volume): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await applyMigrationSteps(client, migrationSteps().slice(0, OLD_MIGRATIONS));
    for (const statement of statements(workloads, flows)) await client.query(statement);
  } finally {
    await client.end();
  }
}

const statements = (workloads: number, flows: number): string[] => [
  `insert into system_settings (key, value) values
    ('instance', '{"id": "0190a000-0000-7000-8000-000000000001"}'),
    ('setup', '{"completed_at": "2026-01-05T10:00:00Z"}')`,
  `insert into tenants (id, name) select gen_random_uuid(), 'tenant ' || n from generate_series(1, 20) n`,
  `insert into projects (id, tenant_id, name) select gen_random_uuid(), id, 'project of ' || name from tenants`,
  `insert into roles (id, name, title, permissions) values
    (gen_random_uuid(), 'super_admin', 'Super administrator', '{*}'), (gen_random_uuid(), 'old_role', 'Old', '{cluster:read}')`,
  `insert into users (id, email, name, password_hash)
    select gen_random_uuid(), 'user' || n || '@example.org', E'tab\\t line\\n back\\\\slash \\u00e9\\u4e2d "quoted", ' || n, 'none'
    from generate_series(1, 200) n`,
  `insert into users (id, email, name, password_hash) values (gen_random_uuid(), 'empty@example.org', '', '\\N')`,
  `insert into role_assignments (id, user_id, role_id) select gen_random_uuid(), u.id, r.id from users u, roles r`,
  `insert into clusters (id, name, api_url, entry_points, api_token_encrypted, api_token_key_id)
    select gen_random_uuid(), 'cluster ' || n, 'https://10.0.' || n || '.1:8006', '[{"host": "a", "port": 8006}]',
      encode(sha256(n::text::bytea), 'base64'), '0123456789abcdef' from generate_series(1, 4) n`,
  `insert into nodes (id, cluster_id, name, status, address, memory_bytes)
    select gen_random_uuid(), c.id, 'node' || n, 'online', ('10.0.0.' || n)::inet, 137438953472 from clusters c, generate_series(1, 8) n`,
  `insert into node_agents (node_id, status, token_hash, payload, firewall_status)
    select id, 'ok', md5(id::text), '{"interfaces": [1.5, null, "\\u20ac"]}', 'null' from nodes`,
  `insert into workloads (id, cluster_id, node_id, project_id, vmid, kind, external_id, name, status, tags)
    select gen_random_uuid(), n.cluster_id, n.id, (select id from projects p order by md5(p.id::text || g) limit 1),
      100 + g * 32 + (row_number() over (partition by n.cluster_id, g)), 'qemu', 'qemu/' || g, 'guest ' || g, 'running',
      array['web', 'it''s, "odd" {tag}']
    from nodes n, generate_series(1, ${Math.max(1, Math.ceil(workloads / 32))}) g`,
  `insert into workload_interfaces (id, workload_id, name, mac, firewall, raw)
    select gen_random_uuid(), id, 'net0', ('02' || substr(md5(id::text), 1, 10))::macaddr, true, 'virtio=02' from workloads`,
  `insert into networks (id, cluster_id, name, kind, source)
    select gen_random_uuid(), id, 'vmbr0', 'bridge', 'provider' from clusters`,
  `insert into subnets (id, cluster_id, network_id, cidr, gateway, dns_servers, source)
    select gen_random_uuid(), cluster_id, id, '10.0.0.0/8', case when row_number() over () % 2 = 0 then '192.0.2.1' else '10.0.0.1' end::inet,
      '{1.1.1.1,2606:4700::1111}', 'manual' from networks`,
  `insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, state, source)
    select gen_random_uuid(), s.cluster_id, s.network_id, s.id, '10.1.0.0'::inet + (row_number() over ()), w.id,
      case when row_number() over () % 10 = 0 then 'stale' else 'active' end, 'agent'
    from workloads w join subnets s on s.cluster_id = w.cluster_id`,
  `insert into networks (id, cluster_id, name, kind, source)
    select gen_random_uuid(), id, unnest(array['lan/50%', 'bare']), 'bridge', 'provider' from clusters where name in ('cluster 1', 'cluster 2')`,
  `insert into subnets (id, cluster_id, network_id, cidr, source)
    select gen_random_uuid(), n.cluster_id, n.id, '192.168.1.0/24', 'manual' from networks n join clusters c on c.id = n.cluster_id
    where n.name = 'lan/50%' and c.name = 'cluster 2'`,
  `insert into tenants (id, name) values (gen_random_uuid(), 'without addresses')`,
  `insert into policies (id, tenant_id, name, version, definition) select gen_random_uuid(), t.id, p.name, p.version,
      jsonb_build_object('enforcement_mode', 'enforced', 'direction', 'in', 'sources', p.sources, 'targets', '["tag:web"]'::jsonb,
        'default_action', 'none')
    from (values ('net all', null, 7, '["10.0.0.0/8", "network:vmbr0", "network:cluster 1/vmbr0"]'::jsonb),
      ('net some', null, 1, '["network:lan/50%", "network:bare", "network:gone/100%"]'),
      ('net tenant', 'tenant 1', 1, '["network:vmbr0", "network:lan/50%"]'),
      ('net nothing', 'without addresses', 1, '["network:vmbr0"]')) as p (name, tenant, version, sources)
    left join tenants t on t.name = p.tenant`,
  `insert into security_groups (id, name) select gen_random_uuid(), 'group ' || n from generate_series(1, 30) n`,
  `insert into security_group_members (security_group_id, workload_id)
    select g.id, w.id from security_groups g, (select id from workloads order by id limit 40) w`,
  `insert into policies (id, name, definition)
    select gen_random_uuid(), 'policy ' || n, '{"enforcement_mode": "audit", "sources": ["any"], "targets": []}' from generate_series(1, 60) n`,
  `insert into security_rules (id, policy_id, position, action, protocol, destination_ports, source_ports, log)
    select gen_random_uuid(), id, n, 'accept', 'tcp', '80,443', null, case when n = 0 then 'info' end from policies, generate_series(0, 4) n`,
  `insert into policy_versions (id, policy_id, version, snapshot) select gen_random_uuid(), id, 1, definition from policies`,
  `insert into sync_runs (id, cluster_id, kind, status, trigger, finished_at, counters)
    select gen_random_uuid(), id, 'inventory', 'ok', 'auto', now(), '{"nodes": {"seen": 8}}' from clusters, generate_series(1, 200)`,
  `insert into audit_records (seq, id, at, actor_kind, actor_name, action, object_kind, after, previous_hash, hash)
    select n, gen_random_uuid(), now(), 'system', 'an early release', 'thing.changed', 'thing', jsonb_build_object('n', n),
      repeat('0', 64), repeat('f', 64) from generate_series(1, 5000) n`,
  `insert into traffic_flows (node_id, flow_key, cluster_id, source_ip, destination_ip, protocol, source_port, destination_port,
      decision, bytes, packets, first_seen_at, observed_at, collector, raw, destination_cidr)
    select n.id, gen_random_uuid(), n.cluster_id, '10.1.0.0'::inet + g, '2001:db8::'::inet + g, 'tcp', g % 65536, 443, 'observed',
      9007199254740993, g, now() - g * interval '1 ms', now(), 'ebpf', jsonb_build_object('g', g, 'f', 0.1::float8 + g), '10.0.0.0/8'
    from (select id, cluster_id from nodes order by id limit 8) n, generate_series(1, ${Math.ceil(flows / 8)}) g`,
  ...['flow_rollup_minutes', 'flow_rollup_hours'].map(
    (
      table,
    ) => `insert into ${table} (node_id, bucket_at, rollup_key, cluster_id, source_workload_id, source_prefix, destination_prefix,
      source_internal, destination_internal, protocol, service_port, reply, decision, bytes, packets, flows)
    select n.id, date_trunc('hour', now()) - g * interval '1 ${table.endsWith('hours') ? 'hour' : 'minute'}', gen_random_uuid(), n.cluster_id,
      null, '10.0.0.0/8', '192.0.2.0/24', true, false, 'udp', 53, false, 'accept', 1000, 10, 1
    from nodes n, generate_series(1, 60) g`,
  ),
];

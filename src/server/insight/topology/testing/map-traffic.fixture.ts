import { expect } from 'vitest';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { db, sqlClient } from '@/server/db/client';
import { clusterFirewallSnapshots, guestFirewallSnapshots } from '@/server/db/schema/firewall-snapshots';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser, makeWorkload, placeOn } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../../traffic/agents/testing/heartbeat.fixture';

const MINUTE = 60_000;
const NOW = Date.now();
export const ago = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString();

const WEB = '10.1.0.10';
export const DATABASE = '10.1.0.20';
export const DATABASE_6 = 'fd00:1::20';

const CLUSTER: ClusterSnapshot = { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] };
const GUARDED: GuestSnapshot = {
  presence: 'present',
  options: { enable: 1, policy_in: 'DROP' },
  rules: [{ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source: WEB, proto: 'tcp', dport: '5432' }],
  ipsets: {},
  aliases: {},
  nics: [{ name: 'net0', firewall: true, mac: null }],
  pending_nics: [],
  unreadable: [],
};
const OPEN: GuestSnapshot = { ...GUARDED, options: { enable: 1, policy_in: 'ACCEPT' }, rules: [] };

/**
 * Web (tenant `ours`) and database (tenant `theirs`) on VLAN 10 of one bridge, nodes n1 and n2, and a guest without
 * traffic.
 */
async function build() {
  const sql = sqlClient();
  const tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  const [n1, n2] = [await makeNode(cluster, { name: 'n1' }), await makeNode(cluster, { name: 'n2' })];
  await placeOn(n1, ours.workload);
  await placeOn(n2, theirs.workload);
  const idle = await makeWorkload(cluster, ours.project);
  await makeWorkload(cluster, ours.project, { template: true });
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  for (const cidr of ['10.1.0.0/16', 'fd00:1::/64']) {
    await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${cidr}, 'manual')`;
  }
  const holders = [
    [WEB, ours.workload.id],
    [DATABASE, theirs.workload.id],
    [DATABASE_6, theirs.workload.id],
  ] as const;
  for (const [address, workload] of holders) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      select gen_random_uuid(), ${cluster.id}, ${network?.id}, id, ${address}, ${workload}, 'manual'
      from subnets where network_id = ${network?.id} and cidr >>= ${address}::inet`;
  }
  for (const workload of [ours.workload, theirs.workload]) {
    await sql`insert into workload_interfaces (id, workload_id, network_id, name, bridge, vlan_tag, firewall, raw)
      values (gen_random_uuid(), ${workload.id}, ${network?.id}, 'net0', 'vmbr0', 10, true, '')`;
  }
  const read_at = ago(3);
  await db
    .insert(clusterFirewallSnapshots)
    .values({ cluster_id: cluster.id, read_at, state_hash: 'c', state: CLUSTER });
  await db.insert(guestFirewallSnapshots).values([
    { workload_id: theirs.workload.id, cluster_id: cluster.id, read_at: ago(1), state_hash: 'd', state: GUARDED },
    { workload_id: ours.workload.id, cluster_id: cluster.id, read_at: ago(2), state_hash: 'w', state: OPEN },
  ]);
  return { ...tenants, n1, n2, idle, read_at, network: `${network?.id}.10` };
}

const flow = (values: Parameters<typeof makeFlow>[0]) => ({
  ...makeFlow({ first_seen_at: ago(10), observed_at: ago(5), ...values }),
});
/** Seen by both nodes. */
const BETWEEN = [
  flow({ source_ip: WEB, destination_ip: DATABASE, destination_port: 5432, bytes: 900, packets: 9 }),
  flow({
    source_ip: DATABASE,
    destination_ip: WEB,
    source_port: 5432,
    destination_port: 40_000,
    bytes: 9_000,
    packets: 10,
  }),
];
const INTERNET = '203.0.113.7';
const FIRST = [
  ...BETWEEN,
  flow({ source_ip: INTERNET, destination_ip: WEB, destination_port: 443, bytes: 50, packets: 5 }),
  flow({ source_ip: INTERNET, destination_ip: WEB, destination_port: 8080, bytes: 40, packets: 4 }),
  flow({ source_ip: INTERNET, destination_ip: WEB, destination_port: 22, decision: 'drop', bytes: 60, packets: 1 }),
  // Before the hour that is looked at.
  flow({
    source_ip: INTERNET,
    destination_ip: WEB,
    destination_port: 25,
    first_seen_at: ago(100),
    observed_at: ago(90),
  }),
  // Unknown ends.
  flow({ source_ip: '10.1.0.99', destination_ip: '10.1.0.98', destination_port: 53, protocol: 'udp' }),
];
const SECOND = [
  ...BETWEEN,
  flow({ source_ip: '2001:db8::5', destination_ip: DATABASE_6, destination_port: 22, bytes: 80, packets: 1 }),
  // Of this network one address may, the others may not.
  flow({ source_ip: '10.1.0.99', destination_ip: DATABASE, destination_port: 5432, bytes: 7, packets: 1 }),
];

export async function plantTraffic() {
  const fixture = await build();
  const admin = await bearer(await makeUser('admin'));
  for (const [node, flows] of [[fixture.n1, FIRST] as const, [fixture.n2, SECOND] as const]) {
    const response = await call('/agents/heartbeat', {
      method: 'POST',
      body: makeHeartbeat(flows),
      headers: await makeAgent(node),
    });
    expect(await response.json()).toMatchObject({ accepted: flows.length, rejected: [] });
  }
  const policy = await call('/policies', {
    method: 'POST',
    headers: admin,
    body: {
      name: 'no web from outside',
      priority: 10,
      definition: {
        enforcement_mode: 'audit',
        direction: 'in',
        sources: ['any'],
        targets: [fixture.ours.workload.name],
        default_action: 'none',
      },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['443'] }],
    },
  });
  expect(policy.status, await policy.clone().text()).toBe(201);
  return { ...fixture, admin };
}
export type PlantedTraffic = Awaited<ReturnType<typeof plantTraffic>>;

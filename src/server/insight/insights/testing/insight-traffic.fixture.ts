import { sqlClient } from '@/server/db/client';
import { addFormerPlacements, makeNode, makeTwoTenants, makeWorkload } from '@/test/factories';
import { makeFlow } from '../../../traffic/agents/testing/heartbeat.fixture';

const MINUTE = 60_000;
/** Two nodes report the same packets a minute apart. That must be one hour: each hour counts by itself. */
const STARTED = Date.now();
const SHIFT = new Date(STARTED - 3 * MINUTE).getUTCMinutes() < 3 ? 3 * MINUTE : 0;
export const ago = (minutes: number) => new Date(STARTED - SHIFT - minutes * MINUTE).toISOString();
export const WEB = '10.1.0.10';
export const DATABASE = '10.1.2.20';
export const OUTSIDE = '203.0.113.7';
const SIX = 'fd00:1::20';

/**
 * Web (tenant `ours`, on node one) and database (tenant `theirs`, on node two) in nested subnets of both families,
 * and a stranger.
 */
export async function makeInsightTraffic() {
  const tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  const one = await makeNode(cluster, { name: 'one' });
  const two = await makeNode(cluster, { name: 'two' });
  await sqlClient()`update workloads set vmid = 901, node_id = ${one.id} where id = ${ours.workload.id}`;
  await sqlClient()`update workloads set vmid = 902, node_id = ${two.id} where id = ${theirs.workload.id}`;
  const [network] = await sqlClient()`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const subnets = new Map<string, string>();
  for (const cidr of ['10.1.0.0/16', '10.1.2.0/24', 'fd00:1::/64']) {
    const [subnet] = await sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${cidr}, 'manual') returning id`;
    subnets.set(cidr, subnet?.id);
  }
  const holders = [
    [WEB, ours.workload.id, '10.1.0.0/16'],
    [DATABASE, theirs.workload.id, '10.1.2.0/24'],
    ['fd00:1::10', ours.workload.id, 'fd00:1::/64'],
    [SIX, theirs.workload.id, 'fd00:1::/64'],
  ] as const;
  for (const [address, workload, cidr] of holders) {
    await sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnets.get(cidr) ?? null}, ${address}, ${workload}, 'manual')`;
  }
  const three = await makeNode(cluster);
  const four = await makeNode(cluster);
  const [stranger, before, many] = [
    await makeWorkload(cluster),
    await makeWorkload(cluster),
    await makeWorkload(cluster),
  ];
  for (const node of [one, two, three, four])
    await addFormerPlacements(node, ours.workload, theirs.workload, stranger, before, many);
  return { ...tenants, one, two, three, four, stranger, before, many };
}

export const flow = (values: Parameters<typeof makeFlow>[0]) =>
  makeFlow({ first_seen_at: ago(10), observed_at: ago(5), initiator: 'source', ...values });
/** Web's interface on node one, and the database's on node two. */
export const atWeb = { vmid: 901, nic: 0, interface: 'tap901i0' };
const atDatabase = { vmid: 902, nic: 0, interface: 'tap902i0' };
export const query = { source_ip: WEB, destination_ip: DATABASE, source_port: 41_000, destination_port: 5432 };
export const answer = {
  source_ip: DATABASE,
  destination_ip: WEB,
  source_port: 5432,
  destination_port: 41_000,
  initiator: 'destination' as const,
};
/** By node. Each flow of web has a distinct byte count, so that totals reveal which were counted. */
export const ONE = [
  flow({ ...query, ...atWeb, bytes: 1, packets: 1 }),
  flow({ ...answer, ...atWeb, bytes: 10, packets: 1 }),
  flow({ source_ip: OUTSIDE, destination_ip: WEB, destination_port: 443, ...atWeb, bytes: 100, packets: 1 }),
  flow({
    source_ip: OUTSIDE,
    destination_ip: WEB,
    destination_port: 22,
    decision: 'drop',
    ...atWeb,
    bytes: 1_000,
    packets: 1,
  }),
  // Web has an unknown address.
  flow({
    source_ip: '192.0.2.77',
    destination_ip: '198.51.100.9',
    destination_port: 80,
    ...atWeb,
    bytes: 10_000,
    packets: 1,
  }),
  flow({ source_ip: 'fd00:1::10', destination_ip: SIX, destination_port: 443, ...atWeb, bytes: 100_000, packets: 1 }),
];
export const TWO = [
  // The same two packets' ways, seen where the database is, and later.
  flow({ ...query, ...atDatabase, bytes: 5_000_000, packets: 7, observed_at: ago(4) }),
  flow({ ...answer, ...atDatabase, bytes: 6_000_000, packets: 7, observed_at: ago(4) }),
  // Seen only there.
  flow({
    source_ip: WEB,
    destination_ip: DATABASE,
    destination_port: 9999,
    ...atDatabase,
    bytes: 1_000_000,
    packets: 1,
  }),
  flow({ source_ip: OUTSIDE, destination_ip: DATABASE, destination_port: 5432, ...atDatabase, bytes: 1, packets: 1 }),
];

export type InsightTraffic = Awaited<ReturnType<typeof makeInsightTraffic>>;

import { beforeAll, describe, expect, it } from 'vitest';
import type { Flow } from '@/domain/flow/flow';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeCluster, makeNode, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';

type Headers = { authorization: string };
type Listed = { items: Flow[]; next_cursor: string | null; total: number };

const sql = sqlClient();
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
let admin: Headers;
let agent: Headers;
let world: Awaited<ReturnType<typeof build>>;

/**
 * Web (10.1.0.10, ours) and database (10.1.0.20, theirs) on one subnet, and the internet. What they say to each other is
 * told by one node.
 */
async function build() {
  const tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  const node = await makeNode(cluster, { name: 'n1' });
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.1.0.0/16', 'manual') returning id`;
  const holders = [
    ['10.1.0.10', ours.workload.id],
    ['10.1.0.20', theirs.workload.id],
  ] as const;
  for (const [address, workload] of holders) {
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${workload}, 'manual')`;
  }
  return { ...tenants, node, stranger: await makeWorkload(cluster) };
}

const WEB = '10.1.0.10';
const DATABASE = '10.1.0.20';
const flow = (values: Parameters<typeof makeFlow>[0]) => ({
  ...makeFlow({ first_seen_at: ago(10), observed_at: ago(5), ...values }),
});
const FLOWS = [
  flow({ source_ip: WEB, destination_ip: DATABASE, destination_port: 5432, bytes: 900, packets: 9 }),
  flow({
    source_ip: DATABASE,
    destination_ip: WEB,
    source_port: 5432,
    destination_port: 40_000,
    bytes: 9_000,
    packets: 10,
    initiator: 'destination',
  }),
  flow({
    source_ip: '203.0.113.7',
    destination_ip: WEB,
    destination_port: 443,
    bytes: 50,
    packets: 5,
    observed_at: ago(2),
  }),
  flow({
    source_ip: '203.0.113.7',
    destination_ip: WEB,
    destination_port: 22,
    decision: 'drop',
    bytes: 60,
    packets: 1,
  }),
  flow({
    source_ip: '203.0.113.8',
    destination_ip: DATABASE,
    destination_port: 22,
    decision: 'reject',
    bytes: null,
    packets: null,
  }),
  flow({
    source_ip: '10.1.0.99',
    destination_ip: '10.1.0.98',
    protocol: 'udp',
    destination_port: 53,
    bytes: 7,
    packets: 1,
  }),
];

beforeAll(async () => {
  world = await build();
  admin = await bearer(await makeUser('admin'));
  agent = await makeAgent(world.node);
  const response = await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(FLOWS), headers: agent });
  expect(await response.json()).toMatchObject({ accepted: FLOWS.length, rejected: [] });
});

const read = async <T>(path: string, headers: Headers = admin): Promise<T> => {
  const response = await call(path, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
};
const list = (query = '', headers = admin) => read<Listed>(`/flows?${query}`, headers);

describe('GET /flows', () => {
  it('gives the newest first, with names, labels and evidence', async () => {
    const { items, total } = await list();
    expect(total).toBe(FLOWS.length);
    expect(items[0]).toMatchObject({
      source_ip: '203.0.113.7',
      source_label: '203.0.113.7 external',
      source_workload_id: null,
      destination_label: '10.1.0.10 internal (10.1.0.0/16)',
      destination_workload_id: world.ours.workload.id,
      destination_workload_name: world.ours.workload.name,
      node_name: 'n1',
      bytes: 50,
    });
  });
});

import { expect } from 'vitest';
import type { Flow, FlowTail } from '@/domain/flow/flow';
import type { FlowGroups, FlowSeries } from '@/domain/flow/flow-sums';
import { sqlClient } from '@/server/db/client';
import { bearer, makeAgent, makeNode, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../agents/testing/heartbeat.fixture';

export type Headers = { authorization: string };
export type Listed = {
  items: Flow[];
  next_cursor: string | null;
  total: number;
  kept_since: string;
  retention_hours: number;
};

export const MINUTE = 60_000;
/** One moment for the whole file: what a test asks is as far from what was planted after a slow start as after a quick one. */
const NOW = Date.now();
export const ago = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString();
/** Planted by `plantFlows`. */
export let admin: Headers;
export let agent: Headers;
export let fixture: Awaited<ReturnType<typeof build>>;

/**
 * Web (10.1.0.10, `ours`) and database (10.1.0.20, `theirs`) on one subnet, and the internet. One node reports the
 * traffic between them.
 */
async function build() {
  const tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  const node = await makeNode(cluster, { name: 'n1' });
  const [network] = await sqlClient()`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const [subnet] = await sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network?.id}, '10.1.0.0/16', 'manual') returning id`;
  const holders = [
    ['10.1.0.10', ours.workload.id],
    ['10.1.0.20', theirs.workload.id],
  ] as const;
  for (const [address, workload] of holders) {
    await sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${address}, ${workload}, 'manual')`;
  }
  return { ...tenants, node, stranger: await makeWorkload(cluster) };
}

export const WEB = '10.1.0.10';
export const DATABASE = '10.1.0.20';
export const flow = (values: Parameters<typeof makeFlow>[0]) => ({
  ...makeFlow({ first_seen_at: ago(10), observed_at: ago(5), ...values }),
});
export const FLOWS = [
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

/** An installation whose only flows are `FLOWS`. */
export async function plantFlows(): Promise<void> {
  fixture = await build();
  admin = await bearer(await makeUser('admin'));
  agent = await makeAgent(fixture.node);
  const response = await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat(FLOWS), headers: agent });
  expect(await response.json()).toMatchObject({ accepted: FLOWS.length, rejected: [] });
}

export const read = async <T>(path: string, headers: Headers = admin): Promise<T> => {
  const response = await call(path, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
};
export const list = (query = '', headers = admin) => read<Listed>(`/flows?${query}`, headers);
export const groups = (query = '', headers = admin) => read<FlowGroups>(`/flows/groups?${query}`, headers);
export const series = (query = '', headers = admin) => read<FlowSeries>(`/flows/series?${query}`, headers);
export const tail = (query = '', headers = admin) => read<FlowTail>(`/flows/tail?${query}`, headers);

/** Which of FLOWS an answer holds, by their ports: none has the same pair twice. */
export const findFlowIndexes = (items: readonly Pick<Flow, 'source_ip' | 'destination_port'>[]) =>
  items
    .map((item) =>
      FLOWS.findIndex((f) => f.source_ip === item.source_ip && f.destination_port === item.destination_port),
    )
    .sort();
export const id = (name: 'web' | 'database' | 'stranger' | 'node' | 'cluster') =>
  ({
    web: fixture.ours.workload.id,
    database: fixture.theirs.workload.id,
    stranger: fixture.stranger.id,
    node: fixture.node.id,
    cluster: fixture.cluster.id,
  })[name];
export const EVERY = FLOWS.map((_, i) => i);

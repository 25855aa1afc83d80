import type { Flow } from '@fabric/agent-contract';
import { expect } from 'vitest';
import type { Dashboard } from '@/domain/dashboard/dashboard';
import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { db, sqlClient } from '@/server/db/client';
import { storeClusterSnapshot, storeGuestSnapshots } from '@/server/enforcement/queries/firewall-snapshots';
import { addFormerPlacements, bearer, makeAgent, makeNode, makeTwoTenants, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../../traffic/agents/testing/heartbeat.fixture';

export const NOW = new Date();
const MINUTE = 60_000;
export const ago = (minutes: number) => new Date(NOW.getTime() - minutes * MINUTE).toISOString();
export const SINCE = ago(60);
export const UNTIL = ago(1);
const before = (iso: string) => new Date(Date.parse(iso) - 1).toISOString();
export type Headers = { authorization: string };
export const WEB = '10.1.0.10';
export const WEB6 = '2001:db8:1::10';
export const DATABASE = '10.1.0.20';

export const guest = (values: Partial<GuestSnapshot>): GuestSnapshot => ({
  options: {},
  rules: [],
  ipsets: {},
  aliases: {},
  presence: 'present',
  nics: [{ name: 'net0', firewall: true, mac: null }],
  pending_nics: [],
  unreadable: [],
  ...values,
});

async function buildPolicyInputs() {
  const tenants = await makeTwoTenants('viewer');
  const { cluster, ours, theirs } = tenants;
  const nodes = [await makeNode(cluster, { name: 'n1' }), await makeNode(cluster, { name: 'n2' })] as const;
  const agents = [await makeAgent(nodes[0]), await makeAgent(nodes[1])] as const;
  await sqlClient()`update workloads set status = 'running', node_id = ${nodes[0].id} where id = ${ours.workload.id}`;
  await sqlClient()`update workloads set status = 'running', node_id = ${nodes[1].id} where id = ${theirs.workload.id}`;
  for (const node of nodes) await addFormerPlacements(node, ours.workload, theirs.workload);
  const [network] = await sqlClient()`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  const subnet = async (cidr: string) => {
    const [row] = await sqlClient()`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${cidr}, 'manual') returning id`;
    return row?.id as string;
  };
  const subnets = {
    v4: await subnet('10.1.0.0/16'),
    v6: await subnet('2001:db8:1::/64'),
    // Half of a documentation network is a known subnet, a quarter of it is another prefix: the rest is outside.
    half: await subnet('203.0.113.0/25'),
    quarter: await subnet('203.0.113.0/26'),
    gone: await subnet('198.18.0.0/15'),
  };
  const address = (ip: string, subnetId: string, workload: string) =>
    sqlClient()`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnetId}, ${ip}, ${workload}, 'manual')`;
  await address(WEB, subnets.v4, ours.workload.id);
  await address(WEB6, subnets.v6, ours.workload.id);
  await address(DATABASE, subnets.v4, theirs.workload.id);

  const read_at = NOW.toISOString();
  await storeClusterSnapshot(db, {
    cluster_id: cluster.id,
    read_at,
    state_hash: 'c',
    state: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, unreadable: [] },
  });
  // Nothing filters at the web server; the database lets SSH in and drops the rest.
  await storeGuestSnapshots(db, [
    { workload_id: ours.workload.id, read_at, state_hash: 'w', state: guest({ options: { enable: 0 } }) },
    {
      workload_id: theirs.workload.id,
      read_at,
      state_hash: 'd',
      state: guest({
        options: { enable: 1, policy_in: 'DROP' },
        rules: [{ pos: 0, type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '22', enable: 1 }],
      }),
    },
  ]);
  return { ...tenants, nodes, agents, network: network?.id as string, subnets, subnet };
}

export const flow = (source_ip: string, destination_ip: string, destination_port: number, values: Partial<Flow> = {}) =>
  makeFlow({
    source_ip,
    destination_ip,
    destination_port,
    first_seen_at: ago(30),
    observed_at: ago(20),
    bytes: 100,
    packets: 2,
    initiator: 'source',
    ...values,
  });

/**
 * Two tenants with a guest each, on nodes with agents; flows to sensitive ports from inside and outside, at the
 * edges of `SINCE` and `UNTIL` and just beyond; a policy in audit mode. The clock has to be set to `NOW`.
 */
export async function plantDashboard() {
  const fixture = await buildPolicyInputs();
  const admin = await bearer(await makeUser('admin'));
  let sequence = 0;

  const report = async (node: 0 | 1, flows: readonly Flow[]): Promise<void> => {
    const body = makeHeartbeat([...flows], { sequence: sequence++, sent_at: NOW.toISOString() });
    const response = await call('/agents/heartbeat', { method: 'POST', body, headers: fixture.agents[node] });
    expect(await response.json()).toMatchObject({ rejected: [] });
  };
  const read = async (
    query = '',
    headers: Headers = admin,
    range = `since=${SINCE}&until=${UNTIL}`,
  ): Promise<Dashboard> => {
    const response = await call(`/dashboard?${range}${query}`, { headers });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text);
  };

  const { status } = await call('/policies', {
    headers: await bearer(await makeUser('security_engineer')),
    body: {
      name: 'No database from outside',
      tenant_id: fixture.ours.tenant.id,
      definition: { enforcement_mode: 'audit', sources: ['any'], targets: [`vmid:${fixture.ours.workload.vmid}`] },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['3306'] }],
    },
  });
  expect(status).toBe(201);
  await report(0, [
    flow('198.51.100.7', WEB, 445, { bytes: 300 }),
    flow('198.51.100.7', WEB, 3306),
    flow('198.51.100.7', '10.1.0.99', 6379, { initiator: undefined }),
    flow('203.0.113.200', WEB, 22),
    flow('2001:db8:ffff::1', WEB6, 5901),
    // On the edges of the range: the last packet at its beginning, the first just before its end.
    flow('198.51.100.10', WEB, 22, { source_port: 1, first_seen_at: ago(90), observed_at: SINCE }),
    flow('198.51.100.10', WEB, 22, { source_port: 2, first_seen_at: before(UNTIL), observed_at: NOW.toISOString() }),
    // And just beyond.
    flow('198.51.100.11', WEB, 22, { first_seen_at: ago(90), observed_at: before(SINCE) }),
    flow('198.51.100.12', WEB, 22, { first_seen_at: UNTIL, observed_at: NOW.toISOString() }),
    // From known subnets, to other ports, over other protocols, and answers.
    flow('203.0.113.5', WEB, 22),
    flow('203.0.113.100', WEB, 22),
    flow('10.1.0.77', WEB, 22),
    flow('198.18.0.1', WEB, 22),
    flow('198.51.100.13', WEB, 443),
    flow('198.51.100.13', WEB, 22, { protocol: 'udp' }),
    flow(WEB, '198.51.100.7', 40_001, { source_port: 22, initiator: 'destination' }),
    flow('198.51.100.14', WEB, 5999, { source_port: 443, initiator: 'destination' }),
  ]);
  await report(1, [
    // The same conversation as above, seen on its way.
    flow('198.51.100.7', WEB, 445, { bytes: 200, observed_at: ago(10) }),
    flow('198.51.100.8', DATABASE, 5432, { state: 'SYN_SENT' }),
    flow('198.51.100.8', DATABASE, 22),
    flow('198.51.100.9', DATABASE, 3389, { source_port: 1, decision: 'drop', state: null, bytes: 60, packets: 1 }),
    flow('198.51.100.9', DATABASE, 3389, { source_port: 2, decision: 'drop', state: null, bytes: 60, packets: 1 }),
    flow('198.51.100.9', DATABASE, 3389, { source_port: 2, state: 'SYN_SENT', bytes: 60, packets: 1 }),
  ]);
  return { ...fixture, admin, report, read };
}
export type PlantedDashboard = Awaited<ReturnType<typeof plantDashboard>>;

import { beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { type Topology, type TopologyEdge, TopologyInput } from '@/domain/topology/topology';
import { systemScope } from '@/server/auth/scope';
import { db, sqlClient } from '@/server/db/client';
import { clusterFirewallSnapshots, guestFirewallSnapshots } from '@/server/db/schema/firewall-snapshots';
import { countQueries } from '@/test/count-queries';
import {
  bearer,
  makeAgent,
  makeNode,
  makeTenant,
  makeTwoTenants,
  makeUser,
  makeWorkload,
  placeOn,
} from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../../traffic/agents/testing/heartbeat.fixture';
import { readTopology } from './read-topology';

type Headers = { authorization: string };

const sql = sqlClient();
const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
let admin: Headers;
let world: Awaited<ReturnType<typeof build>>;

const WEB = '10.1.0.10';
const DATABASE = '10.1.0.20';
const DATABASE_6 = 'fd00:1::20';

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

/** Web (ours) and database (theirs) on VLAN 10 of one bridge, nodes n1 and n2, and a guest without traffic. */
async function build() {
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
  // Nobody that is known.
  flow({ source_ip: '10.1.0.99', destination_ip: '10.1.0.98', destination_port: 53, protocol: 'udp' }),
];
const SECOND = [
  ...BETWEEN,
  flow({ source_ip: '2001:db8::5', destination_ip: DATABASE_6, destination_port: 22, bytes: 80, packets: 1 }),
  // Of this network one address may, the others may not.
  flow({ source_ip: '10.1.0.99', destination_ip: DATABASE, destination_port: 5432, bytes: 7, packets: 1 }),
];

beforeAll(async () => {
  world = await build();
  admin = await bearer(await makeUser('admin'));
  for (const [node, flows] of [[world.n1, FIRST] as const, [world.n2, SECOND] as const]) {
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
        targets: [world.ours.workload.name],
        default_action: 'none',
      },
      rules: [{ action: 'drop', protocol: 'tcp', destination_ports: ['443'] }],
    },
  });
  expect(policy.status, await policy.clone().text()).toBe(201);
});

async function read(query = '', headers = admin): Promise<Topology> {
  const response = await call(`/topology?${query}`, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}
const names = (topology: Topology) => {
  const named = new Map([
    [world.ours.workload.id, 'web'],
    [world.theirs.workload.id, 'database'],
    ...topology.peers.map(({ id, kind }) => [id, kind] as const),
  ]);
  return (edge: TopologyEdge) =>
    [named.get(edge.source), named.get(edge.destination), edge.verdict, edge.bytes] as const;
};

describe('GET /topology', () => {
  it('shows who talks to whom, counted once, with what becomes of it', async () => {
    const topology = await read();
    expect(topology.source).toBe('minutes');
    expect(topology.edges.map(names(topology))).toEqual([
      ['external', 'database', 'dropped', 80],
      ['external', 'web', 'dropped', 60],
      ['external', 'web', 'would_drop', 50],
      // Both directions, as two nodes saw them.
      ['web', 'database', 'accepted', 9_900],
      ['external', 'web', 'default', 40],
      ['internal', 'database', 'observed', 7],
    ]);
    expect(topology.edges.map(({ services }) => services.map(({ port }) => port))).toEqual([
      [22],
      [22],
      [443],
      [5432],
      [8080],
      [5432],
    ]);
    expect(topology.edges[3]).toMatchObject({ packets: 19, flows: 2, services_total: 1 });
  });

  it('says of each edge what was observed, what the rules say, and where they differ', async () => {
    const topology = await read();
    const told = topology.edges.map(({ action, rules_say, audit_say, differs }) => [
      ...[action, rules_say?.action, rules_say?.kind, rules_say?.workload_id, differs],
      audit_say.map((say) => `${say.action} by ${say.policy_name}`).join(),
    ]);
    const [web, database] = [world.ours.workload.id, world.theirs.workload.id];
    expect(told).toEqual([
      ['unknown', 'dropped', 'default', database, false, ''],
      // The log says that it was dropped, and nothing that was read drops it.
      ['dropped', 'allowed', 'default', web, true, ''],
      ['unknown', 'allowed', 'default', web, false, 'dropped by no web from outside'],
      ['unknown', 'allowed', 'rule', database, false, ''],
      ['unknown', 'allowed', 'default', web, false, ''],
      ['unknown', 'unknown', 'unknown', database, false, ''],
    ]);
    // Of the older one of the two readings.
    for (const { rules_say } of topology.edges) expect(rules_say?.read_at).toBe(world.read_at);

    // A tenant is told of its own guests only.
    const ours = await read('', world.ours.headers);
    const ends = new Set(ours.edges.map(({ rules_say }) => rules_say?.workload_id));
    expect([...ends]).toEqual([web]);
    // Without the permission to read rules.
    const { edges: seen } = await readTopology(systemScope('flow:read', 'test'), null, TopologyInput.parse({}));
    expect(seen.map(({ action, rules_say, audit_say }) => [action, rules_say, audit_say])).toEqual(
      topology.edges.map(({ action }) => [action, null, []]),
    );
  });

  it('says since when traffic is kept', async () => {
    const { kept_since } = await read();
    expect(Date.now() - Date.parse(kept_since)).toBeGreaterThan(399 * 24 * 3_600_000);
  });

  it('tells of networks with their tags, of workloads with and without traffic, and of prefixes outside', async () => {
    const topology = await read();
    expect(topology.clusters).toEqual([{ id: world.cluster.id, name: world.cluster.name }]);
    expect(topology.networks).toEqual([expect.objectContaining({ id: world.network, name: 'vmbr0', vlan_tag: 10 })]);
    expect(topology.workloads.map(({ id }) => id).sort()).toEqual(
      [world.ours.workload.id, world.theirs.workload.id, world.idle.id].sort(),
    );
    expect(topology.workloads.find(({ id }) => id === world.theirs.workload.id)).toMatchObject({
      network_ids: [world.network],
      addresses: expect.arrayContaining([DATABASE, DATABASE_6]),
      project_name: world.theirs.project.name,
    });
    const external = topology.peers.find(({ kind }) => kind === 'external');
    expect(external).toMatchObject({ id: `external:${world.network}`, prefixes_total: 2 });
    expect(external?.prefixes.map(({ prefix }) => prefix)).toEqual(['203.0.113.0/24', '2001:db8::/48']);
  });

  it('takes a longer time, one cluster, or one workload with its neighbours', async () => {
    const long = await read(`since=${ago(120)}`);
    const ports = long.edges.flatMap((edge) =>
      edge.destination === world.ours.workload.id ? edge.services.map(({ port }) => port) : [],
    );
    expect(ports).toEqual([22, 443, 25, 8080]);
    expect((await read(`until=${ago(200)}`)).edges).toEqual([]);
    const other = await makeTenant();
    expect((await read(`cluster_id=${other.id}`)).workloads).toEqual([]);
    const focused = await read(`workload_id=${world.ours.workload.id}`);
    expect(focused.workloads.map(({ id }) => id).sort()).toEqual(
      [world.ours.workload.id, world.theirs.workload.id].sort(),
    );
    expect(focused.edges.map(names(focused))).toEqual([
      ['external', 'web', 'dropped', 60],
      ['external', 'web', 'would_drop', 50],
      ['web', 'database', 'accepted', 9_900],
      ['external', 'web', 'default', 40],
    ]);
    expect((await read(`workload_id=${world.idle.id}`)).workloads.map(({ id }) => id)).toEqual([world.idle.id]);
  });

  it("shows a tenant its own workloads; others are hosts of a network, and the platform's audited policies are silent", async () => {
    const topology = await read('', world.ours.headers);
    expect(topology.edges.map(names(topology))).toEqual([
      ['external', 'web', 'dropped', 60],
      ['web', 'internal', 'default', 9_900],
      ['external', 'web', 'default', 90],
    ]);
    const text = JSON.stringify(topology);
    for (const secret of [world.theirs.workload.id, world.theirs.workload.name, world.theirs.project.name, DATABASE]) {
      expect(text).not.toContain(secret);
    }
    const response = await call(`/topology?workload_id=${world.theirs.workload.id}`, { headers: world.ours.headers });
    expect(response.status).toBe(404);
    const stranger = await bearer(await makeUser('viewer', await makeTenant()));
    const nothing = await read('', stranger);
    expect([nothing.workloads, nothing.edges, nothing.clusters, nothing.networks, nothing.peers]).toEqual([
      [],
      [],
      [],
      [],
      [],
    ]);
  });

  it('refuses what it does not understand, and who may not', async () => {
    for (const query of ['since=yesterday', `since=${ago(1)}&until=${ago(2)}`, 'workload_id=web', 'depth=2']) {
      expect((await call(`/topology?${query}`, { headers: admin })).status, query).toBe(400);
    }
    expect((await call('/topology', { headers: await bearer(await makeUser()) })).status).toBe(403);
  });

  it('takes a constant number of queries', async () => {
    await read();
    const { queries } = await countQueries(() => read());
    // Two more stand for the session.
    expect(queries).toBeLessThanOrEqual(14);
  });
});

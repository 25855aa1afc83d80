import { beforeAll, describe, expect, it } from 'vitest';
import { type Topology, type TopologyEdge, TopologyInput } from '@/domain/topology/topology';
import { systemScope } from '@/server/auth/scope';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { readTopology } from './read-topology';
import { ago, DATABASE, DATABASE_6, type PlantedTraffic, plantTraffic } from './testing/map-traffic.fixture';

const sql = sqlClient();
let admin: PlantedTraffic['admin'];
let fixture: PlantedTraffic;

beforeAll(async () => {
  fixture = await plantTraffic();
  admin = fixture.admin;
});

async function read(query = '', headers = admin): Promise<Topology> {
  const response = await call(`/topology?${query}`, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}
const names = (topology: Topology) => {
  const named = new Map([
    [fixture.ours.workload.id, 'web'],
    [fixture.theirs.workload.id, 'database'],
    ...topology.peers.map(({ id, kind }) => [id, kind] as const),
  ]);
  return (edge: TopologyEdge) =>
    [named.get(edge.source), named.get(edge.destination), edge.verdict, edge.bytes] as const;
};

describe('GET /topology', () => {
  it('shows who connects to whom, counted once, with the outcome', async () => {
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

  it('reports for each edge what was observed, what the rules say, and where they differ', async () => {
    const topology = await read();
    const conversations = topology.edges.map(({ action, rules_say, audit_say, differs }) => [
      ...[action, rules_say?.action, rules_say?.kind, rules_say?.workload_id, differs],
      audit_say.map((say) => `${say.action} by ${say.policy_name}`).join(),
    ]);
    const [web, database] = [fixture.ours.workload.id, fixture.theirs.workload.id];
    expect(conversations).toEqual([
      ['unknown', 'dropped', 'default', database, false, ''],
      // The log says that it was dropped, and nothing that was read drops it.
      ['dropped', 'allowed', 'default', web, true, ''],
      ['unknown', 'allowed', 'default', web, false, 'dropped by no web from outside'],
      ['unknown', 'allowed', 'rule', database, false, ''],
      ['unknown', 'allowed', 'default', web, false, ''],
      ['unknown', 'unknown', 'unknown', database, false, ''],
    ]);
    // Of the older one of the two readings.
    for (const { rules_say } of topology.edges) expect(rules_say?.read_at).toBe(fixture.read_at);

    // A tenant sees its own guests only.
    const ours = await read('', fixture.ours.headers);
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

  it('returns networks with their tags, workloads with and without traffic, and prefixes outside', async () => {
    const topology = await read();
    expect(topology.clusters).toEqual([{ id: fixture.cluster.id, name: fixture.cluster.name }]);
    expect(topology.networks).toEqual([expect.objectContaining({ id: fixture.network, name: 'vmbr0', vlan_tag: 10 })]);
    expect(topology.workloads.map(({ id }) => id).sort()).toEqual(
      [fixture.ours.workload.id, fixture.theirs.workload.id, fixture.idle.id].sort(),
    );
    expect(topology.workloads.find(({ id }) => id === fixture.theirs.workload.id)).toMatchObject({
      network_ids: [fixture.network],
      addresses: expect.arrayContaining([DATABASE, DATABASE_6]),
      project_name: fixture.theirs.project.name,
    });
    const external = topology.peers.find(({ kind }) => kind === 'external');
    expect(external).toMatchObject({ id: `external:${fixture.network}`, prefixes_total: 2 });
    expect(external?.prefixes.map(({ prefix }) => prefix)).toEqual(['203.0.113.0/24', '2001:db8::/48']);
  });

  it('accepts a longer time range, one cluster, or one workload with its neighbors', async () => {
    const long = await read(`since=${ago(120)}`);
    const ports = long.edges.flatMap((edge) =>
      edge.destination === fixture.ours.workload.id ? edge.services.map(({ port }) => port) : [],
    );
    expect(ports).toEqual([22, 443, 25, 8080]);
    expect((await read(`until=${ago(200)}`)).edges).toEqual([]);
    const other = await makeTenant();
    expect((await read(`cluster_id=${other.id}`)).workloads).toEqual([]);
    const focused = await read(`workload_id=${fixture.ours.workload.id}`);
    expect(focused.workloads.map(({ id }) => id).sort()).toEqual(
      [fixture.ours.workload.id, fixture.theirs.workload.id].sort(),
    );
    expect(focused.edges.map(names(focused))).toEqual([
      ['external', 'web', 'dropped', 60],
      ['external', 'web', 'would_drop', 50],
      ['web', 'database', 'accepted', 9_900],
      ['external', 'web', 'default', 40],
    ]);
    expect((await read(`workload_id=${fixture.idle.id}`)).workloads.map(({ id }) => id)).toEqual([fixture.idle.id]);
  });

  it("shows a tenant its own workloads; others are hosts of a network, and the platform's audited policies are silent", async () => {
    const topology = await read('', fixture.ours.headers);
    expect(topology.edges.map(names(topology))).toEqual([
      ['external', 'web', 'dropped', 60],
      ['web', 'internal', 'default', 9_900],
      ['external', 'web', 'default', 90],
    ]);
    const text = JSON.stringify(topology);
    for (const secret of [
      fixture.theirs.workload.id,
      fixture.theirs.workload.name,
      fixture.theirs.project.name,
      DATABASE,
    ]) {
      expect(text).not.toContain(secret);
    }
    const response = await call(`/topology?workload_id=${fixture.theirs.workload.id}`, {
      headers: fixture.ours.headers,
    });
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
    for (const query of [
      'since=yesterday',
      `since=${ago(1)}&until=${ago(2)}`,
      'workload_id=web',
      'depth=2',
      'group_by=color',
      'verdict=red',
    ]) {
      expect((await call(`/topology?${query}`, { headers: admin })).status, query).toBe(400);
    }
    expect((await call('/topology', { headers: await bearer(await makeUser()) })).status).toBe(403);
  });

  it('takes a constant number of queries', async () => {
    for (const query of ['', 'group_by=auto&expand=all&q=web&tag=none']) {
      await read(query);
      const { queries } = await countQueries(() => read(query));
      // Two more are for the session.
      expect(queries, query).toBeLessThanOrEqual(14);
    }
  });
});

describe('GET /topology?group_by=', () => {
  type Totals = { bytes: number; packets: number; flows: number };
  const totals = (items: readonly Totals[]) => {
    const of = (field: keyof Totals) => items.reduce((total, item) => total + item[field], 0);
    return { bytes: of('bytes'), packets: of('packets'), flows: of('flows') };
  };
  const readFlowTotals = async (query: string, headers = admin): Promise<Totals> =>
    ((await (await call(`/flows/groups?${query}`, { headers })).json()) as { sums: Totals }).sums;
  const named = ({ groups }: Topology) => groups.map(({ kind, name, workloads }) => [kind, name, workloads]);

  it('totals what Flows totals, for every grouping, expansion, range and reader', async () => {
    const { ours, theirs, cluster } = fixture;
    const ranges = ['', `since=${ago(60 * 30)}`, `since=${ago(120)}&cluster_id=${cluster.id}`];
    for (const headers of [admin, ours.headers, theirs.headers]) {
      for (const range of ranges) {
        const flows = await readFlowTotals(range, headers);
        for (const grouping of ['auto', 'tag&expand=all', `network&expand=${ours.workload.id}`]) {
          const query = `group_by=${grouping}&${range}`;
          const { edges, sums } = await read(query, headers);
          expect(totals(edges), query).toEqual(flows);
          expect(sums, query).toEqual(flows);
        }
      }
    }
    // Also conversations at whose ends no workload is.
    expect((await readFlowTotals('')).flows).toBeGreaterThan(totals((await read()).edges).flows);
  });

  it('starts with groups, has External once, and expands the group that is asked for', async () => {
    const { ours, theirs, network } = fixture;
    const collapsed = await read('group_by=auto');
    expect(collapsed.group_by).toBe('project');
    const projects = [
      ['project', ours.project.name, 2],
      ['project', theirs.project.name, 1],
    ].sort((a, b) => String(a[1]).localeCompare(String(b[1]), 'en', { numeric: true }));
    expect(named(collapsed)).toEqual([...projects, ['internal', null, 0], ['external', null, 0]]);
    expect([collapsed.workloads, collapsed.peers, collapsed.workloads_total]).toEqual([[], [], 3]);
    const own = `project:${ours.project.id}`;
    for (const asked of [own, ours.workload.id]) {
      const { groups, workloads, edges } = await read(`group_by=project&expand=${asked}`);
      expect(groups.filter(({ expanded }) => expanded).map(({ id }) => id)).toEqual([own]);
      expect(workloads.map(({ id }) => id).sort()).toEqual([ours.workload.id, fixture.idle.id].sort());
      const ends = new Set(edges.flatMap(({ source, destination }) => [source, destination]));
      expect(ends).toEqual(new Set(['external', 'internal', ours.workload.id, `project:${theirs.project.id}`]));
    }
    const networks = await read('group_by=network');
    expect(networks.groups.find(({ kind }) => kind === 'network')).toMatchObject({
      id: `network:${network}`,
      name: 'vmbr0, VLAN 10',
      cluster_id: fixture.cluster.id,
      workloads: 2,
    });
    expect(networks.groups.map(({ kind }) => kind)).toEqual(['network', 'none', 'internal', 'external']);
    expect((await read(`group_by=project&q=${ours.workload.name}`)).groups.map(({ found }) => found)).toEqual(
      collapsed.groups.map(({ id }) => (id === own ? 1 : 0)),
    );
  });

  it('filters by project, tag, policy and verdict', async () => {
    const { ours, theirs } = fixture;
    const all = await read('group_by=project&expand=all');
    const ids = [theirs.workload.id];
    const touched = (topology: Topology) =>
      topology.edges.filter(({ source, destination }) => ids.includes(source) || ids.includes(destination));
    const project = await read(`group_by=project&expand=all&project_id=${theirs.project.id}`);
    expect(project.edges).toEqual(touched(all));
    expect(project.workloads.map(({ id }) => id).sort()).toEqual([ours.workload.id, theirs.workload.id].sort());
    await sql`update workloads set tags = '{db}' where id = ${theirs.workload.id}`;
    try {
      const tagged = await read('group_by=project&expand=all&tag=db');
      expect(tagged.edges).toEqual(project.edges);
      expect(tagged.tags).toEqual(['db']);
      expect((await read('group_by=project&tag=none-such')).edges).toEqual([]);
    } finally {
      await sql`update workloads set tags = '{}' where id = ${theirs.workload.id}`;
    }
    const denied = await read('group_by=project&expand=all&verdict=dropped,would_drop');
    expect(denied.edges).toEqual(all.edges.filter(({ verdict }) => ['dropped', 'would_drop'].includes(verdict)));
    const { items } = (await (await call('/policies', { headers: admin })).json()) as { items: { id: string }[] };
    const policy = await read(`group_by=project&expand=all&policy_id=${items[0]?.id}`);
    expect(policy.edges).toEqual(all.edges.filter(({ verdict }) => verdict === 'would_drop'));
    expect(policy.edges.length).toBe(1);
    expect((await read(`policy_id=${ours.project.id}`)).edges).toEqual([]);
  });

  it('claims nothing about traffic of a workload whose firewall could not be read, as flows do', async () => {
    const { ours, theirs } = fixture;
    const setState = (state: object) =>
      sql`update guest_firewall_snapshots set state_hash = ${JSON.stringify(Object.keys(state))},
        state = state || ${JSON.stringify(state)}::text::jsonb where workload_id = ${ours.workload.id}`;
    const find = ({ edges }: Topology) =>
      edges.filter(({ source, destination }) => source === ours.workload.id && destination === theirs.workload.id);
    const [before] = await sql`select state from guest_firewall_snapshots where workload_id = ${ours.workload.id}`;
    await setState({ options: null, rules: null });
    try {
      const all = await read();
      expect(find(all)).toMatchObject([{ verdict: 'observed', rules_say: { action: 'unknown' } }]);
      for (const { verdict, rules_say, action } of all.edges) {
        if (rules_say?.action !== 'unknown' || action !== 'unknown') continue;
        expect(['observed', 'dropped', 'would_drop']).toContain(verdict);
      }
      expect(find(await read('verdict=accepted'))).toEqual([]);
      // Without the permission to read rules.
      const blind = await readTopology(systemScope('flow:read', 'test'), null, TopologyInput.parse({}));
      expect(find(blind)).toMatchObject([{ verdict: 'observed', rules_say: null }]);
    } finally {
      await setState(before?.state);
    }
    expect(find(await read())).toMatchObject([{ verdict: 'accepted' }]);
  });

  it("never names another tenant's groups, workloads or tags", async () => {
    const { ours, theirs } = fixture;
    await sql`update workloads set tags = '{secret-tag}' where id = ${theirs.workload.id}`;
    try {
      for (const grouping of ['auto', 'project', 'tag', 'network']) {
        for (const expand of ['', 'all', `project:${theirs.project.id}`, theirs.workload.id, 'tag:secret-tag']) {
          const query = `group_by=${grouping}&expand=${expand}&q=${theirs.workload.name}`;
          const topology = await read(query, ours.headers);
          const text = JSON.stringify(topology);
          const secrets = [theirs.workload.id, theirs.workload.name, theirs.project.name, theirs.project.id];
          for (const secret of [...secrets, DATABASE, 'secret-tag']) expect(text, query).not.toContain(secret);
          expect(topology.groups.every(({ found }) => found === 0)).toBe(true);
        }
      }
      for (const filter of [`project_id=${theirs.project.id}`, 'tag=secret-tag']) {
        const { edges, groups } = await read(`group_by=project&${filter}`, ours.headers);
        expect([edges, groups], filter).toEqual([[], []]);
      }
    } finally {
      await sql`update workloads set tags = '{}' where id = ${theirs.workload.id}`;
    }
  });
});

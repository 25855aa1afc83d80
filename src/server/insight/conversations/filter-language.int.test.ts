import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { CONDITION } from '@/domain/filter-language/condition.fixture';
import { type EvaluatedEnd, type EvaluatedRow, evaluateCondition } from '@/domain/filter-language/evaluate.fixture';
import { formatCondition } from '@/domain/filter-language/format';
import { MAX_FILTER_TEXT } from '@/domain/filter-language/parse';
import type { ConversationPage } from '@/domain/flow/conversation';
import { db, sqlClient } from '@/server/db/client';
import { trafficConversations } from '@/server/db/schema/flows';
import { bearer, makeCluster, makeNode, makeProject, makeTenant, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { getRunCount } from '@/test/thorough';

const MINUTE = 60_000;
const sql = sqlClient();
let headers: { authorization: string };
/** What is stored, by id, in plain values. */
const rows = new Map<string, EvaluatedRow>();

type End = EvaluatedEnd & { workload: string | null; cidr: string | null };

async function ask(q: string, by = headers) {
  const response = await call(`/conversations?limit=500&q=${encodeURIComponent(q)}`, { headers: by });
  return { status: response.status, body: await response.json() };
}
async function listMatches(q: string, by = headers): Promise<string[]> {
  const { status, body } = await ask(q, by);
  expect(status, `${q}: ${JSON.stringify(body)}`).toBe(200);
  return (body as ConversationPage).items.map(({ id }) => id).sort();
}

beforeAll(async () => {
  headers = await bearer(await makeUser('super_admin'));
  const cluster = await makeCluster({ name: 'lab' });
  const nodes = [await makeNode(cluster, { name: 'web-01' }), await makeNode(cluster, { name: 'größe' })];
  const [network] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'dmz', 'bridge', 'provider') returning id`;
  const guests = [
    await makeWorkload(cluster, null, { name: 'web-01', vmid: 105, tags: ['prod'], node_id: nodes[0]?.id }),
    await makeWorkload(cluster, null, { name: 'db 01', vmid: 106, tags: [], node_id: nodes[1]?.id }),
    await makeWorkload(cluster, null, { name: 'and', vmid: 107, tags: ['prod'], node_id: nodes[1]?.id }),
  ];
  const [web = '', base = '', and = ''] = guests.map(({ id }) => id);
  await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${String(network?.id)}, '10.1.9.0/24', 'manual')`;
  for (const [name, members] of [
    ['web-01', [web, and]],
    ['größe', [base]],
    ['x=1', []],
  ] as const) {
    const made = await call('/security-groups', { headers, body: { name } });
    const { id } = await made.json();
    for (const workload_id of members) await call(`/security-groups/${id}/members`, { headers, body: { workload_id } });
  }
  const inside = (ip: string, workload: string, ...endpoints: string[]): End => ({
    ...{ ip, workload, cidr: '10.1.0.0/24' },
    endpoints: new Set(['internal', ...endpoints]),
  });
  const ends: End[] = [
    inside('10.1.0.1', web, 'web-01', 'group:web-01', 'vmid:105', 'vmid:lab/105', 'tag:prod'),
    inside('10.1.0.2', base, 'db 01', 'group:größe'),
    inside('10.1.0.3', and, 'and', 'group:web-01', 'tag:prod'),
    { ip: '10.1.9.9', workload: null, cidr: '10.1.9.0/24', endpoints: new Set(['internal', 'network:lab/dmz']) },
    { ip: '10.0.0.5', workload: null, cidr: null, endpoints: new Set(['external']) },
    { ip: '2001:db8::7', workload: null, cidr: null, endpoints: new Set(['external']) },
  ];
  const services = [
    ['tcp', 443],
    ['tcp', 8005],
    ['udp', 53],
    ['icmp', null],
    ['gre', null],
    ['tcp', null],
  ] as const;
  const amounts = [null, 0, 1000, 4096, 2 ** 20, 3e12];
  const actions = ['allowed', 'dropped', 'rejected', 'unknown'] as const;
  const now = Date.now();
  const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T;
  for (let i = 0; i < 72; i++) {
    const [client, server] = [pick(ends, i), pick(ends, i + 1 + (i % 5))];
    const [protocol, service_port] = pick(services, i * 5 + (i >> 3));
    const [bytes, packets, action] = [pick(amounts, i * 7), pick(amounts, i >> 1), pick(actions, i >> 2)];
    const seconds = pick([0, 30, 400, 3600], i >> 1);
    const isClosed = i % 3 === 0;
    const reporters = i % 4 === 0 ? nodes : [pick(nodes, i)];
    const id = randomUUID();
    const seen = (at: number) => new Date(at).toISOString();
    await db.insert(trafficConversations).values({
      ...{ id, conversation_key: randomUUID(), ordinal: 0, cluster_id: cluster.id, protocol, service_port },
      ...{ client_ip: client.ip, server_ip: server.ip, client_port: 40_000 + i, server_port: service_port },
      ...{ client_workload_id: client.workload, server_workload_id: server.workload },
      ...{ client_cidr: client.cidr, server_cidr: server.cidr, bytes, packets, action },
      ...{
        decision: 'observed',
        is_closed: isClosed,
        is_client_known: true,
        node_ids: reporters.map((node) => node.id),
      },
      ...{ first_seen_at: seen(now - MINUTE - seconds * 1000), last_seen_at: seen(now - MINUTE) },
      ...{ created_at: seen(now), updated_at: seen(now) },
    });
    rows.set(id, {
      ...{ client, server, protocol, service_port, action, bytes, packets, seconds },
      state: isClosed ? 'ended' : 'active',
      nodes: reporters.flatMap((node) => [node.id, node.name]),
      cluster: [cluster.id, 'lab'],
    });
  }
});

it('finds what the definition of a condition finds, through text, parser and SQL', async () => {
  expect(await listMatches('')).toHaveLength(rows.size);
  let [matching, asked] = [0, 0];
  await fc.assert(
    fc.asyncProperty(CONDITION, async (condition) => {
      const text = formatCondition(condition);
      if (text.length > MAX_FILTER_TEXT / 2) return;
      const expected = [...rows].filter(([, row]) => evaluateCondition(condition, row)).map(([id]) => id);
      asked += 1;
      if (expected.length > 0 && expected.length < rows.size) matching += 1;
      expect(await listMatches(text), text).toEqual(expected.sort());
    }),
    { numRuns: getRunCount(120, 1_000) },
  );
  // Conditions that select everything or nothing prove little.
  expect(matching).toBeGreaterThan(asked / 4);
});

it('returns 400 with the place of the first problem and a remedy', async () => {
  const { status, body } = await ask('client = web-01 and acton = dropped');
  expect([status, body.errors]).toEqual([
    400,
    [
      {
        field: 'q',
        message: expect.stringMatching(/^At character 21: expected a field, .*found "acton"\. Did you mean action\?$/),
      },
    ],
  ]);
});

it('finds nothing by a name that the reader may not see, as by one that does not exist', async () => {
  const cluster = await makeCluster({ name: 'shared' });
  const [ours, theirs] = [await makeTenant(), await makeTenant()];
  const own = await makeWorkload(cluster, await makeProject(ours), { name: 'open-01' });
  const hidden = await makeWorkload(cluster, await makeProject(theirs), {
    name: 'hidden-01',
    vmid: 201,
    tags: ['secret'],
  });
  const group = { name: 'hidden-group', tenant_id: theirs.id, member_tags: ['secret'] };
  expect((await call('/security-groups', { headers, body: group })).status).toBe(201);
  const [id, at] = [randomUUID(), new Date(Date.now() - MINUTE).toISOString()];
  await db.insert(trafficConversations).values({
    ...{ id, conversation_key: randomUUID(), ordinal: 0, cluster_id: cluster.id, protocol: 'tcp', service_port: 443 },
    ...{ client_ip: '10.7.0.1', server_ip: '10.7.0.2', client_port: 40_000, server_port: 443 },
    ...{ client_workload_id: own.id, server_workload_id: hidden.id, action: 'allowed', decision: 'observed' },
    ...{ is_closed: false, is_client_known: true, node_ids: [randomUUID()], first_seen_at: at, last_seen_at: at },
    ...{ created_at: at, updated_at: at },
  });
  const reader = await bearer(await makeUser('viewer', ours));
  expect(await listMatches('client = open-01', reader)).toEqual([id]);
  for (const name of ['hidden-01', 'group:hidden-group', 'vmid:201', 'vmid:shared/201', 'tag:secret', 'nothing']) {
    expect(await listMatches(`server = ${name}`, reader), name).toEqual([]);
    expect(await listMatches(`not server = ${name}`, reader), name).toEqual([id]);
  }
  expect(await listMatches('server = group:hidden-group and client = open-01')).toEqual([id]);
});

it('finds all visible objects of a name that several have', async () => {
  const clusters = [await makeCluster({ name: 'twin-1' }), await makeCluster({ name: 'twin-2' })];
  const [ours, theirs] = [await makeTenant(), await makeTenant()];
  const projects = [await makeProject(ours), await makeProject(theirs)];
  const at = new Date(Date.now() - MINUTE).toISOString();
  /** A conversation with a workload of a tenant in a cluster; each has the same names as the others. */
  const store = async (i: number, cluster: { id: string }, project: { id: string }) => {
    const server = await makeWorkload(cluster, project, { name: 'same-01', vmid: 301 + Math.floor(i / 2) });
    const id = randomUUID();
    await db.insert(trafficConversations).values({
      ...{ id, conversation_key: randomUUID(), ordinal: 0, cluster_id: cluster.id, protocol: 'tcp', service_port: 443 },
      ...{ client_ip: '192.0.2.1', server_ip: `10.8.${i}.2`, client_port: 40_000, server_port: 443 },
      ...{ server_workload_id: server.id, server_cidr: `10.8.${i}.0/24`, action: 'allowed', decision: 'observed' },
      ...{ is_closed: false, is_client_known: true, node_ids: [randomUUID()], first_seen_at: at, last_seen_at: at },
      ...{ created_at: at, updated_at: at },
    });
    const [network] = await sql`select id from networks where cluster_id = ${cluster.id}`;
    const [subnet] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${`10.8.${i}.0/24`}, 'manual') returning id`;
    await sql`insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
      values (gen_random_uuid(), ${cluster.id}, ${network?.id}, ${subnet?.id}, ${`10.8.${i}.2`}, ${server.id}, 'manual')`;
    return { id, workload_id: server.id };
  };
  for (const { id } of clusters) {
    await sql`insert into networks (id, cluster_id, name, kind, source) values (gen_random_uuid(), ${id}, 'same-net', 'bridge', 'provider')`;
  }
  const stored = [];
  for (const [i, project] of [projects[0], projects[0], projects[1], projects[1]].entries()) {
    stored.push(await store(i, clusters[i % 2] as { id: string }, project as { id: string }));
  }
  for (const [tenant, own] of [
    [ours, stored.slice(0, 2)],
    [theirs, stored.slice(2)],
  ] as const) {
    const body = { name: 'same-group', tenant_id: tenant.id };
    const { id } = await (await call('/security-groups', { headers, body })).json();
    for (const { workload_id } of own) await call(`/security-groups/${id}/members`, { headers, body: { workload_id } });
  }
  const all = stored.map(({ id }) => id).sort();
  const [first, last] = [stored.slice(0, 2), stored.slice(2)].map((part) => part.map(({ id }) => id).sort());
  const reader = await bearer(await makeUser('viewer', ours));
  for (const [name, everyone, own] of [
    ['same-01', all, first],
    ['vmid:301', first, first],
    ['vmid:twin-1/301', [stored[0]?.id], [stored[0]?.id]],
    ['vmid:302', last, []],
    ['group:same-group', all, first],
    ['network:same-net', all, first],
    ['network:twin-2/same-net', [stored[1], stored[3]].map((one) => one?.id).sort(), [stored[1]?.id]],
  ] as const) {
    expect(await listMatches(`server = ${name}`), name).toEqual(everyone);
    expect(await listMatches(`server = ${name}`, reader), name).toEqual(own);
    expect(await listMatches(`server in (10.8.0.0/16) and not server = ${name}`), name).toEqual(
      all.filter((id) => !everyone?.includes(id)),
    );
  }
});

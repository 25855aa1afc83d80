import { beforeAll, describe, expect, it } from 'vitest';
import { FLOW_SORTS, type Flow, type FlowTail } from '@/domain/flow/flow';
import {
  FLOW_GROUP_SORTS,
  FLOW_GROUPINGS,
  type FlowGroup,
  type FlowGroups,
  type FlowSeries,
} from '@/domain/flow/flow-sums';
import { sqlClient } from '@/server/db/client';
import { countQueries } from '@/test/count-queries';
import { bearer, makeAgent, makeNode, makeTenant, makeTwoTenants, makeUser, makeWorkload } from '@/test/factories';
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
const groups = (query = '', headers = admin) => read<FlowGroups>(`/flows/groups?${query}`, headers);
const series = (query = '', headers = admin) => read<FlowSeries>(`/flows/series?${query}`, headers);
const tail = (query = '', headers = admin) => read<FlowTail>(`/flows/tail?${query}`, headers);

/** Which of FLOWS an answer holds, by their ports: none has the same pair twice. */
const which = (items: readonly Pick<Flow, 'source_ip' | 'destination_port'>[]) =>
  items
    .map((item) =>
      FLOWS.findIndex((f) => f.source_ip === item.source_ip && f.destination_port === item.destination_port),
    )
    .sort();
const id = (name: 'web' | 'database' | 'stranger' | 'node' | 'cluster') =>
  ({
    web: world.ours.workload.id,
    database: world.theirs.workload.id,
    stranger: world.stranger.id,
    node: world.node.id,
    cluster: world.cluster.id,
  })[name];
const EVERY = FLOWS.map((_, i) => i);

describe('GET /flows', () => {
  it('gives the newest first, with names, labels and evidence', async () => {
    const { items, total } = await list();
    expect(total).toBe(FLOWS.length);
    expect(items[0]).toMatchObject({
      source_ip: '203.0.113.7',
      source_label: '203.0.113.7 external',
      source_workload_id: null,
      destination_label: '10.1.0.10 internal (10.1.0.0/16)',
      destination_workload_id: id('web'),
      destination_workload_name: world.ours.workload.name,
      node_name: 'n1',
      bytes: 50,
    });
    expect(items.find((item) => item.decision === 'reject')).toMatchObject({ bytes: null, packets: null });
  });

  it.each<[() => string, number[]]>([
    [() => `workload_id=${id('web')}`, [0, 1, 2, 3]],
    [() => `workload_id=${id('stranger')}`, []],
    [() => `source_workload_id=${id('web')}`, [0]],
    [() => `destination_workload_id=${id('web')}`, [1, 2, 3]],
    [() => 'source_workload_id=none', [2, 3, 4, 5]],
    [() => `source_workload_id=none&destination_workload_id=${id('database')}`, [4]],
    [() => `node_id=${id('node')}&cluster_id=${id('cluster')}`, EVERY],
    [() => `node_id=${id('stranger')}`, []],
    [() => 'address=10.1.0.10', [0, 1, 2, 3]],
    [() => 'address=10.1.0.96/29', [5]],
    [() => 'address=::ffff:10.1.0.99', [5]],
    [() => 'source=203.0.113.0/24', [2, 3, 4]],
    [() => 'source=203.0.113.7/24', [2, 3, 4]],
    [() => 'destination=203.0.113.0/24', []],
    [() => 'address=2001:db8::/32', []],
    [() => 'source=external', [2, 3, 4]],
    [() => 'source=internal&destination=internal', [0, 1, 5]],
    [() => 'address=external', [2, 3, 4]],
    [() => 'port=5432', [0, 1]],
    [() => 'port=22&decision=drop', [3]],
    [() => 'port=40000', EVERY.filter((i) => i !== 6)],
    [() => 'protocol=udp', [5]],
    [() => 'protocol=UDP', [5]],
    [() => 'decision=drop,reject', [3, 4]],
    [() => 'decision=drop&decision=reject', [3, 4]],
    [() => 'decision=', EVERY],
    [() => `q=${world.ours.workload.name}`, [0, 1, 2, 3]],
    [() => 'q=203.0.113', [2, 3, 4]],
    [() => 'q=udp', [5]],
    [() => 'q=established', EVERY],
    [() => 'q=%25', []],
    [() => `since=${ago(4)}`, [2]],
    [() => `since=${ago(20)}&until=${ago(11)}`, []],
    [() => `since=${ago(9)}&until=${ago(8)}`, EVERY],
    [() => `until=${ago(3)}`, EVERY],
  ])('finds by %s', async (query, expected) => {
    const { items, total } = await list(query());
    expect([which(items), total]).toEqual([expected, expected.length]);
  });

  it.each([
    ['since=yesterday', 'since'],
    [`since=${ago(1)}&until=${ago(2)}`, 'since'],
    ['since=2999-01-01T00:00:00Z', 'since'],
    ['address=10.0.0', 'address'],
    ['source=everywhere', 'source'],
    ['port=65536', 'port'],
    ['decision=maybe', 'decision.0'],
    ['workload_id=web', 'workload_id'],
    ['sort=raw', 'sort'],
    ['limit=501', 'limit'],
    ['colour=red', 'body'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('["x","y"]').toString('base64url')}`, 'cursor'],
  ])('refuses %s, naming the field', async (query, field) => {
    const response = await call(`/flows?${query}`, { headers: admin });
    expect(response.status).toBe(400);
    const { errors } = (await response.json()) as { errors: { field: string }[] };
    if (field !== 'body') expect(errors.map((error) => error.field)).toContain(field);
  });

  it.each(FLOW_SORTS.flatMap((sort) => [sort, `-${sort}`]))(
    'pages by %s without gaps and repetitions',
    async (sort) => {
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Listed = await list(`limit=2&sort=${sort}${cursor && `&cursor=${cursor}`}`);
        seen.push(...page.items.map((item) => item.id));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual((await list(`sort=${sort}`)).items.map((item) => item.id));
      expect(new Set(seen).size).toBe(FLOWS.length);
    },
  );

  it('takes as many queries for many flows as for one', async () => {
    const { queries } = await countQueries(() => list('limit=1'));
    expect((await countQueries(() => list('limit=100'))).queries).toBe(queries);
    expect((await countQueries(() => list('', world.ours.headers))).queries).toBeLessThanOrEqual(queries + 1);
  });

  it('gives all of them as a file', async () => {
    const response = await call('/flows?format=csv', { headers: admin });
    const lines = (await response.text()).trim().split('\r\n');
    expect(lines).toHaveLength(FLOWS.length + 1);
    expect(lines[1]).toContain('203.0.113.7,40000,,,10.1.0.10,443');
  });
});

describe('what a tenant sees', () => {
  it('is what its workloads say and hear; the other end is an address', async () => {
    const { items, total } = await list('', world.ours.headers);
    expect([which(items), total]).toEqual([[0, 1, 2, 3], 4]);
    const toDatabase = items.find((item) => item.destination_ip === DATABASE);
    expect(toDatabase).toMatchObject({
      source_workload_id: id('web'),
      destination_workload_id: null,
      destination_workload_name: null,
      destination_label: '10.1.0.20 internal (10.1.0.0/16)',
    });
    expect(which((await list('', world.theirs.headers)).items)).toEqual([0, 1, 4]);
    expect(JSON.stringify(items)).not.toContain(id('database'));
  });

  it('holds for filters, sums, series and the live view', async () => {
    const { headers } = world.ours;
    expect((await list(`workload_id=${id('database')}&source=external`, headers)).total).toBe(0);
    expect((await list(`q=${world.theirs.workload.name}`, headers)).total).toBe(0);
    expect(which((await list('destination_workload_id=none', headers)).items)).toEqual([0]);
    const bytes = 900 + 9_000 + 50 + 60;
    for (const group_by of FLOW_GROUPINGS) {
      const answer = await groups(`group_by=${group_by}`, headers);
      expect(answer.sums.bytes).toBe(bytes);
      expect(JSON.stringify(answer)).not.toContain(id('database'));
    }
    expect((await series('', headers)).sums.bytes).toBe(bytes);
    expect((await series('address=10.0.0.0/8', headers)).sums.bytes).toBe(bytes);
    expect(which((await tail('', headers)).items)).toEqual([0, 1, 2, 3]);
    const nobody = await bearer(await makeUser('viewer', await makeTenant()));
    expect([(await list('', nobody)).total, (await series('', nobody)).sums.bytes]).toEqual([0, 0]);
  });
});

describe('GET /flows/groups', () => {
  const keyed = ({ items }: FlowGroups, key: (group: FlowGroup) => unknown) =>
    Object.fromEntries(items.map((group) => [String(key(group)), group.bytes]));

  it('sums up by workloads, and where there are none by subnet', async () => {
    const answer = await groups();
    const end = (name: string | null, label: string | null) => name ?? label;
    const [web, database] = [world.ours.workload.name, world.theirs.workload.name];
    expect(
      keyed(
        answer,
        (g) =>
          `${end(g.source_workload_name, g.source_label)} > ${end(g.destination_workload_name, g.destination_label)}`,
      ),
    ).toEqual({
      [`${database} > ${web}`]: 9_000,
      [`${web} > ${database}`]: 900,
      [`external > ${web}`]: 110,
      'internal (10.1.0.0/16) > internal (10.1.0.0/16)': 7,
      [`external > ${database}`]: 0,
    });
    expect(answer).toMatchObject({ source: 'minutes', total: 5, sums: { bytes: 10_017, packets: 26, flows: 6 } });
  });

  it('sums up by address, service, verdict and node', async () => {
    expect(keyed(await groups('group_by=source'), (g) => g.source_label)).toEqual({
      '10.1.0.20 internal (10.1.0.0/16)': 9_000,
      '10.1.0.10 internal (10.1.0.0/16)': 900,
      '203.0.113.7 external': 110,
      '10.1.0.99 internal (10.1.0.0/16)': 7,
      '203.0.113.8 external': 0,
    });
    expect(keyed(await groups('group_by=service'), (g) => `${g.protocol} ${g.port}`)).toEqual({
      'tcp 5432': 9_900,
      'tcp 22': 60,
      'tcp 443': 50,
      'udp 53': 7,
    });
    expect(keyed(await groups('group_by=decision'), (g) => g.decision)).toEqual({
      observed: 9_957,
      drop: 60,
      reject: 0,
    });
    expect(keyed(await groups('group_by=node'), (g) => g.node_name)).toEqual({ n1: 10_017 });
  });

  it.each(['', 'port=22', `decision=observed`, 'source=external', 'address=10.1.0.10', 'q=tcp', 'port=40000'])(
    'agrees with the series and, where both can tell, the flows (%s)',
    async (filter) => {
      const line = await series(filter);
      for (const group_by of ['workloads', 'service', 'decision', 'node']) {
        const answer = await groups(`group_by=${group_by}&${filter}`);
        expect([answer.source, answer.sums]).toEqual([line.source, line.sums]);
      }
      const byAddress = await groups(`group_by=source&${filter}`);
      expect(byAddress.source).toBe('flows');
      expect(byAddress.sums).toEqual(line.sums);
    },
  );

  it.each(FLOW_GROUP_SORTS.flatMap((sort) => [sort, `-${sort}`]))('pages by %s', async (sort) => {
    const seen: string[] = [];
    const range = `group_by=destination&since=${ago(30)}&until=${ago(0)}`;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: FlowGroups = await groups(`${range}&limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`);
      expect(page.total).toBe(3);
      seen.push(...page.items.map((item) => item.id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual((await groups(`${range}&sort=${sort}`)).items.map((item) => item.id));
  });
});

describe('GET /flows/series', () => {
  it('puts traffic where it happened, by verdict, and counts each flow where it began', async () => {
    const { bucket_seconds, bucket_at, lines, source } = await series();
    expect([bucket_seconds, source]).toEqual([60, 'minutes']);
    expect(bucket_at).toHaveLength(
      Math.round((Date.parse(bucket_at.at(-1) ?? '') - Date.parse(bucket_at[0] ?? '')) / MINUTE) + 1,
    );
    expect(lines.map((line) => line.decision)).toEqual(['drop', 'observed', 'reject']);
    const at = bucket_at.indexOf(
      new Date(Math.floor(Date.parse(FLOWS[3]?.observed_at ?? '') / MINUTE) * MINUTE).toISOString(),
    );
    expect(lines[0]?.bytes[at]).toBe(60);
    for (const line of lines)
      for (const values of [line.bytes, line.packets, line.flows]) expect(values).toHaveLength(bucket_at.length);
  });

  it('spreads flows over their time where only they can tell', async () => {
    const { source, lines, bucket_at } = await series('address=10.1.0.20&decision=observed');
    expect(source).toBe('flows');
    const filled = lines[0]?.bytes.filter((value) => value > 0) ?? [];
    // From ten to five minutes ago: five whole minutes and two parts of one.
    expect(filled.length).toBeGreaterThanOrEqual(5);
    expect(filled.length).toBeLessThanOrEqual(6);
    expect(Math.max(...filled)).toBeLessThanOrEqual(9_900 / 5 + 1);
    expect(bucket_at[lines[0]?.flows.findIndex((value) => value > 0) ?? -1]).toBe(
      new Date(Math.floor(Date.parse(FLOWS[0]?.first_seen_at ?? '') / MINUTE) * MINUTE).toISOString(),
    );
  });

  it('takes wider buckets for longer ranges, and hours beyond a day', async () => {
    const of = async (hours: number) => {
      const { bucket_seconds, source, bucket_at } = await series(`since=${ago(hours * 60)}`);
      expect(bucket_at.length).toBeLessThanOrEqual(122);
      return [bucket_seconds, source];
    };
    expect(await of(2)).toEqual([60, 'minutes']);
    expect(await of(24)).toEqual([900, 'minutes']);
    expect(await of(26)).toEqual([3_600, 'hours']);
    expect(await of(24 * 30)).toEqual([6 * 3_600, 'hours']);
    expect((await series(`since=${ago(24 * 60 * 30)}`)).sums.bytes).toBe(10_017);
  });
});

describe('GET /flows/tail', () => {
  it('begins with the last minutes, then gives what is new, and misses nothing', async () => {
    const first = await tail();
    expect(which(first.items)).toEqual(EVERY);
    expect(first.more).toBe(false);
    expect(Date.parse(first.next_after)).toBeLessThan(Date.now());
    const again = flow({
      source_ip: WEB,
      destination_ip: DATABASE,
      destination_port: 5432,
      bytes: 901,
      packets: 10,
      observed_at: ago(0),
    });
    await call('/agents/heartbeat', { method: 'POST', body: makeHeartbeat([again]), headers: agent });
    const next = await tail(`after=${first.next_after}&port=5432`);
    expect(next.items[0]).toMatchObject({
      bytes: 901,
      id: first.items.find((item) => item.destination_ip === DATABASE && item.destination_port === 5432)?.id,
    });
    expect((await tail('limit=2')).more).toBe(true);
    expect((await tail(`after=${new Date(Date.now() + MINUTE).toISOString()}`)).items).toEqual([]);
  });
});

it('is for those who may read flows', async () => {
  const stranger = await bearer(await makeUser());
  for (const path of ['/flows', '/flows/tail', '/flows/groups', '/flows/series']) {
    expect((await call(path, { headers: stranger })).status).toBe(403);
    expect((await call(path)).status).toBe(401);
  }
});

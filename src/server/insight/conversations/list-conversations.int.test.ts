import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Conversation, ConversationPage } from '@/domain/flow/conversation';
import type { FlowPage } from '@/domain/flow/flow';
import type { FlowGroups, FlowSeries } from '@/domain/flow/flow-sums';
import { makeHeartbeat } from '@/server/traffic/agents/testing/heartbeat.fixture';
import {
  admin,
  agent,
  ago,
  DATABASE,
  fixture,
  flow,
  plantFlows,
  WEB,
} from '@/server/traffic/flows/testing/planted-flows.fixture';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';

const get = async <T>(path: string, headers = admin): Promise<T> => {
  const response = await call(path, { headers });
  expect(response.status, `${path} ${await response.clone().text()}`).toBe(200);
  return (await response.json()) as T;
};
const list = (query: string, headers = admin) =>
  get<ConversationPage>(`/conversations?since=${ago(600)}&limit=500&${query}`, headers);
const getIds = (page: { items: readonly { id: string }[] }) => page.items.map(({ id }) => id);

const OUTSIDE = ['203.0.113.7', '203.0.113.8'];
const SERVICES = [22, 443, 5432, 8443];

/** Conversations of all kinds, from four hours ago until now; some lasted for hours. */
beforeAll(async () => {
  await plantFlows();
  const flows = Array.from({ length: 60 }, (_, i) => {
    const isOutside = i % 3 === 0;
    const [source_ip, destination_ip] = isOutside
      ? [OUTSIDE[i % 2] as string, WEB]
      : i % 3 === 1
        ? [WEB, DATABASE]
        : [DATABASE, WEB];
    const ended = 5 + (i % 12) * 20;
    const ends = { source_ip, destination_ip, source_port: 50_000 + i, destination_port: SERVICES[i % 4] as number };
    const times = { first_seen_at: ago(ended + (i % 5) * 30 + i / 60), observed_at: ago(ended) };
    const sent = flow({
      ...{ ...ends, ...times, initiator: 'source' },
      state: i % 2 ? 'TIME_WAIT' : i % 7 === 0 ? 'SYN_SENT' : 'ESTABLISHED',
      decision: (['observed', 'drop', 'observed', 'reject', 'observed'] as const)[i % 5] ?? 'observed',
      bytes: i % 11 === 0 ? null : i * i * 100,
      packets: i % 11 === 0 ? null : i,
    });
    return i % 4
      ? [sent]
      : [
          sent,
          flow({
            ...times,
            source_ip: destination_ip,
            destination_ip: source_ip,
            source_port: ends.destination_port,
            destination_port: ends.source_port,
            initiator: 'destination',
            bytes: 7,
            packets: 1,
          }),
        ];
  });
  const response = await call('/agents/heartbeat', {
    method: 'POST',
    headers: agent,
    body: makeHeartbeat(flows.flat()),
  });
  expect(response.status).toBe(200);
});

const within = (ip: string, cidr: string) => ip === cidr || (cidr.endsWith('/24') && ip.startsWith(cidr.slice(0, -4)));

/** What a comparison means, over what the API shows. */
function holds(
  { field, operator, value }: { field: string; operator: string; value: string },
  row: Conversation,
): boolean {
  const isAt = ({ ip, workload, external }: Conversation['client']) =>
    value === 'external' ? external : value === 'internal' ? !external : workload?.name === value || within(ip, value);
  const amount = { bytes: row.bytes, packets: row.packets, duration: Math.floor(row.duration_ms / 1000) }[field];
  const sides: Record<string, () => boolean> = {
    client: () => isAt(row.client),
    server: () => isAt(row.server),
    end: () => isAt(row.client) || isAt(row.server),
    address: () => within(row.client.ip, value) || within(row.server.ip, value),
    service: () => value === `${row.service.protocol}/${row.service.port}` || value === row.service.protocol,
    port: () => String(row.service.port) === value,
    protocol: () => row.service.protocol === value,
    action: () => row.action === value,
    state: () => (row.ended_at === null ? 'active' : 'ended') === value,
    node: () => row.nodes.some(({ name }) => name === value),
    cluster: () => row.cluster_name === value,
  };
  if (amount !== undefined) {
    const number = Number(value);
    if (operator === '=' || operator === '!=') return (amount === number) === (operator === '=');
    if (amount === null) return false;
    if (operator === '<') return amount < number;
    if (operator === '<=') return amount <= number;
    return operator === '>' ? amount > number : amount >= number;
  }
  const is = sides[field]?.() ?? false;
  return operator === '!=' ? !is : is;
}

type Tree = { of: Tree[]; kind: 'and' | 'or' | 'not' } | { kind: 'is'; field: string; operator: string; value: string };
const toText = (tree: Tree): string =>
  tree.kind === 'is'
    ? `${tree.field} ${tree.operator} "${tree.value}"`
    : tree.kind === 'not'
      ? `not (${toText(tree.of[0] as Tree)})`
      : `(${tree.of.map(toText).join(` ${tree.kind} `)})`;
const isTrue = (tree: Tree, row: Conversation): boolean => {
  if (tree.kind === 'is') return holds(tree, row);
  const parts = tree.of.map((part) => isTrue(part, row));
  return tree.kind === 'not' ? !parts[0] : tree.kind === 'and' ? parts.every(Boolean) : parts.some(Boolean);
};

/** The ids in the order of a sort; what is not counted comes last. */
function sortRows(rows: readonly Conversation[], by: string): string[] {
  const field = by.replace('-', '') as 'last_seen_at' | 'bytes' | 'duration_ms';
  const sign = by.startsWith('-') ? -1 : 1;
  const sorted = [...rows].sort((a, b) => {
    const [x, y] = [a[field], b[field]];
    if (x === null || y === null) return x === y ? (a.id < b.id ? -sign : sign) : x === null ? 1 : -1;
    return x === y ? (a.id < b.id ? -sign : sign) : x < y ? -sign : sign;
  });
  return sorted.map(({ id }) => id);
}

/** The ids of all pages, and the total that each page has. */
async function listAllPages(query: string): Promise<[ids: string[], total: number]> {
  const found: string[] = [];
  const totals = new Set<number>();
  let cursor = '';
  do {
    const page = await get<ConversationPage>(`/conversations?${query}${cursor}`);
    expect(page.is_total_capped).toBe(false);
    totals.add(page.total);
    found.push(...getIds(page));
    cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  const [total] = totals;
  return [found, totals.size === 1 ? (total as number) : Number.NaN];
}

describe('GET /conversations', () => {
  it('finds for any text of the filter language what it means, whatever the order and the size of pages', async () => {
    const all = (await list('')).items;
    expect(all.length).toBeGreaterThan(55);
    expect(new Set(all.map(({ action }) => action))).toEqual(new Set(['allowed', 'dropped', 'rejected', 'unknown']));
    const VALUES: Record<string, string[]> = {
      client: [WEB, 'external', 'internal', '10.1.0.0/24', fixture.ours.workload.name],
      server: [DATABASE, fixture.theirs.workload.name, 'internal'],
      end: ['203.0.113.0/24', fixture.ours.workload.name, 'no-such-workload'],
      address: [WEB, '203.0.113.7'],
      service: ['tcp/443', 'tcp/22', 'udp', 'tcp'],
      port: ['443', '5432'],
      protocol: ['tcp', 'udp'],
      action: ['allowed', 'dropped', 'rejected', 'unknown'],
      state: ['active', 'ended'],
      bytes: ['0', '1000', '40000'],
      packets: ['0', '20'],
      duration: ['60', '1800'],
      node: ['n1', 'n2'],
      cluster: [fixture.cluster.name],
    };
    const leaf = fc.constantFrom(...Object.keys(VALUES)).chain((field) =>
      fc.record({
        kind: fc.constant('is' as const),
        field: fc.constant(field),
        operator: ['bytes', 'packets', 'duration'].includes(field)
          ? fc.constantFrom('=', '!=', '<', '<=', '>', '>=')
          : fc.constantFrom('=', '!='),
        value: fc.constantFrom(...(VALUES[field] as string[])),
      }),
    );
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          of: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
        }),
        fc.record({ kind: fc.constant('not' as const), of: fc.tuple(tie('tree')) }),
      ) as fc.Arbitrary<Tree>,
    }));
    const sort = fc
      .constantFrom('last_seen_at', 'bytes', 'duration_ms')
      .chain((field) => fc.constantFrom(field, `-${field}`));
    await fc.assert(
      fc.asyncProperty(tree, sort, fc.constantFrom(7, 500), async (condition, by, limit) => {
        const expected = sortRows(
          all.filter((row) => isTrue(condition, row)),
          by,
        );
        const query = `since=${ago(600)}&limit=${limit}&sort=${by}&q=${encodeURIComponent(toText(condition))}`;
        expect(await listAllPages(query)).toEqual([expected, expected.length]);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  it('lists what was active in a range, also what lasted longer, in any order', async () => {
    const all = (await list('')).items;
    for (const [since, until] of [
      [300, 200],
      [180, 100],
      [150, 149],
      [90, 30],
      [106, -10],
      [46, -10],
    ] as const) {
      const [from, to] = [ago(since), ago(until)];
      const active = all.filter((row) => row.last_seen_at >= from && row.first_seen_at < to);
      expect(active.length).toBeGreaterThan(0);
      for (const sort of ['-last_seen_at', '-bytes']) {
        const query = `since=${from}&limit=7&sort=${sort}${until < 0 ? '' : `&until=${to}`}`;
        expect(await listAllPages(query)).toEqual([sortRows(active, sort), active.length]);
      }
    }
  });

  it('has the filters of flows, one by id with its flows, and a file', async () => {
    const all = (await list('')).items;
    const filters: [string, (row: Conversation) => boolean][] = [
      [
        `workload_id=${fixture.ours.workload.id}`,
        ({ client, server }) => [client, server].some(({ workload }) => workload?.id === fixture.ours.workload.id),
      ],
      [
        `source_workload_id=${fixture.theirs.workload.id}`,
        ({ client }) => client.workload?.id === fixture.theirs.workload.id,
      ],
      ['source_workload_id=none', ({ client }) => client.workload === null],
      [`destination=${WEB}`, ({ server }) => server.ip === WEB],
      ['address=external', ({ client, server }) => client.external || server.external],
      ['port=443,5432', ({ service }) => service.port === 443 || service.port === 5432],
      ['action=dropped,rejected', ({ action }) => action === 'dropped' || action === 'rejected'],
      ['decision=drop', ({ action }) => action === 'dropped'],
      [`node_id=${fixture.node.id}`, () => true],
      ['protocol=udp', ({ service }) => service.protocol === 'udp'],
    ];
    for (const [filter, isMeant] of filters) {
      expect(getIds(await list(filter)), filter).toEqual(all.filter(isMeant).map(({ id }) => id));
    }
    const [answered] = all.filter(({ server_bytes, client_bytes }) => server_bytes === 7 && client_bytes !== null);
    expect(await get(`/conversations/${answered?.id}`)).toEqual(answered);
    const flows = await get<FlowPage>(`/flows?conversation_id=${answered?.id}`);
    expect(flows.items.map(({ bytes }) => bytes).sort()).toEqual([answered?.client_bytes, 7].sort());
    const file = await (await call(`/conversations?since=${ago(600)}&format=csv`, { headers: admin })).text();
    expect(file.trim().split('\n')).toHaveLength(all.length + 1);
  });

  it('shows a tenant its conversations, without the workload of another tenant at the other end', async () => {
    const page = await list('', fixture.ours.headers);
    const mine = (await list(`workload_id=${fixture.ours.workload.id}`)).items;
    expect(getIds(page)).toEqual(mine.map(({ id }) => id));
    const ends = page.items.flatMap(({ client, server }) => [client.workload?.id, server.workload?.id]);
    expect(new Set(ends)).toEqual(new Set([undefined, fixture.ours.workload.id]));
    const named = encodeURIComponent(`end = "${fixture.theirs.workload.name}"`);
    expect((await list(`q=${named}`, fixture.ours.headers)).items).toEqual([]);
    expect((await list(`q=${named}`)).items.length).toBeGreaterThan(0);
    const [hidden] = (await list('')).items.filter(({ id }) => !mine.some((row) => row.id === id));
    const path = `/conversations/${hidden?.id}`;
    if (hidden) expect((await call(path, { headers: fixture.ours.headers })).status).toBe(404);
    const reader = await bearer(await makeUser('viewer', fixture.theirs.tenant));
    expect((await list(`tenant_id=${fixture.ours.tenant.id}`)).items.length).toBe(mine.length);
    expect((await call(`/conversations?tenant_id=${fixture.ours.tenant.id}`, { headers: reader })).status).toBe(404);
  });

  it('says where a text is wrong', async () => {
    const response = await call(`/conversations?q=${encodeURIComponent('bytes > many')}`, { headers: admin });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('At character 9');
  });
});

/** What conversations add up to, by one key or several of each. */
function sumBy(rows: readonly Conversation[], listKeys: (row: Conversation) => readonly string[]) {
  const sums: Record<string, { bytes: number; flows: number }> = {};
  for (const row of rows) {
    for (const key of listKeys(row)) {
      const { bytes, flows } = sums[key] ?? { bytes: 0, flows: 0 };
      sums[key] = { bytes: bytes + (row.bytes ?? 0), flows: flows + 1 };
    }
  }
  return sums;
}

describe('a filter as text of flows', () => {
  it.each([
    'service = tcp/443 and not action = dropped',
    'client = external and bytes > 1000',
    'state = ended or duration > 1h',
    'client = no-such-workload',
  ])('selects the flows of exactly the conversations for which %j holds, in lists, groups and series', async (text) => {
    const range = `since=${ago(600)}&limit=500`;
    const filter = `filter=${encodeURIComponent(text)}`;
    const meant = (await list(`q=${encodeURIComponent(text)}`)).items;
    const total = sumBy(meant, () => ['all']).all ?? { bytes: 0, flows: 0 };
    const flows = await get<FlowPage>(`/flows?${range}&${filter}`);
    const expected = await Promise.all(
      meant.map(({ id }) => get<FlowPage>(`/flows?conversation_id=${id}&${range}`).then(getIds)),
    );
    expect([getIds(flows).sort(), flows.total]).toEqual([expected.flat().sort(), expected.flat().length]);

    const by = async (grouping: string, keyOf: (group: FlowGroups['items'][number]) => string | null) => {
      const groups = await get<FlowGroups>(`/flows/groups?${range}&${filter}&group_by=${grouping}`);
      expect(groups).toMatchObject({ source: 'conversations', sums: total });
      return Object.fromEntries(
        groups.items.map((group) => [keyOf(group), { bytes: group.bytes, flows: group.flows }]),
      );
    };
    const formatService = ({ protocol, port }: { protocol: string | null; port: number | null }) =>
      `${protocol}/${port}`;
    expect(await by('service', formatService)).toEqual(sumBy(meant, ({ service }) => [formatService(service)]));
    expect(await by('source', ({ source_ip }) => source_ip)).toEqual(sumBy(meant, ({ client }) => [client.ip]));
    expect(await by('destination', ({ destination_ip }) => destination_ip)).toEqual(
      sumBy(meant, ({ server }) => [server.ip]),
    );
    expect(await by('node', ({ node_id }) => node_id)).toEqual(sumBy(meant, ({ nodes }) => nodes.map(({ id }) => id)));

    const series = await get<FlowSeries>(`/flows/series?since=${ago(600)}&${filter}`);
    expect(series).toMatchObject({ source: 'conversations', sums: { flows: total.flows } });
    // Parts of a byte are rounded in each bucket and line.
    expect(Math.abs(series.sums.bytes - total.bytes)).toBeLessThanOrEqual(
      series.bucket_at.length * series.lines.length,
    );
  });
});

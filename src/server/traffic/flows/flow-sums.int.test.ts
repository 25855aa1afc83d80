import { beforeAll, describe, expect, it } from 'vitest';
import { FLOW_GROUP_SORTS } from '@/domain/choices';
import type { FlowGroup, FlowGroups } from '@/domain/flow/flow-sums';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import {
  agent,
  ago,
  DATABASE,
  EVERY,
  FLOWS,
  findFlowIndexes,
  fixture,
  flow,
  groups,
  MINUTE,
  plantFlows,
  series,
  tail,
  WEB,
} from './testing/planted-flows.fixture';

beforeAll(plantFlows);

describe('GET /flows/groups', () => {
  const keyed = ({ items }: FlowGroups, key: (group: FlowGroup) => unknown) =>
    Object.fromEntries(items.map((group) => [String(key(group)), group.bytes]));

  it('sums up by workloads, and where there are none by subnet', async () => {
    const answer = await groups();
    const end = (name: string | null, label: string | null) => name ?? label;
    const [web, database] = [fixture.ours.workload.name, fixture.theirs.workload.name];
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
    // Some minutes short of the hours, for an hour may end between the question and the answer.
    const of = async (hours: number) => {
      const since = new Date(Date.now() - hours * 60 * MINUTE + 3 * MINUTE).toISOString();
      const { bucket_seconds, source, bucket_at } = await series(`since=${since}`);
      expect(bucket_at.length).toBeLessThanOrEqual(122);
      return [bucket_seconds, source];
    };
    expect(await of(1)).toEqual([60, 'minutes']);
    expect(await of(3)).toEqual([300, 'minutes']);
    expect(await of(24)).toEqual([900, 'minutes']);
    expect(await of(26)).toEqual([3_600, 'hours']);
    expect(await of(24 * 30)).toEqual([6 * 3_600, 'hours']);
    expect((await series(`since=${ago(24 * 60 * 30)}`)).sums.bytes).toBe(10_017);
  });
});

describe('GET /flows/tail', () => {
  it('begins with the last minutes, then gives what is new, and misses nothing', async () => {
    const first = await tail();
    expect(findFlowIndexes(first.items)).toEqual(EVERY);
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

it('requires flow:read', async () => {
  const stranger = await bearer(await makeUser());
  for (const path of ['/flows', '/flows/tail', '/flows/groups', '/flows/series']) {
    expect((await call(path, { headers: stranger })).status).toBe(403);
    expect((await call(path)).status).toBe(401);
  }
});

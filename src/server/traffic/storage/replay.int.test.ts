import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import { getServicePort } from '@/domain/flow/service-port';
import type { ObservedConversation } from '@/domain/impact/replay';
import { db } from '@/server/db/client';
import { trafficFlows } from '@/server/db/schema/flows';
import type { ReplaySelection } from './flow-selection';
import { flowStore } from './flow-store';

type Row = typeof trafficFlows.$inferInsert;

const random = randomSource(16);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const ids = Array.from({ length: 7 }, () => randomUUID());
const nodes = [randomUUID(), randomUUID()];
const cluster_id = randomUUID();
const HOUR = 3_600_000;
const NOW = Math.floor(Date.now() / HOUR) * HOUR;
const iso = (time: number) => new Date(time).toISOString();
const SUBNET = '10.7.0.0/24';

const end = () => {
  const at = Math.floor(random() * 12);
  const workload = at < ids.length ? (ids[at] ?? null) : null;
  return workload === null
    ? { ip: `203.0.${at}.${Math.floor(random() * 3)}`, workload, cidr: null }
    : { ip: `10.7.0.${at}`, workload, cidr: SUBNET };
};

function randomRow(): Row {
  const [source, destination] = [end(), end()];
  const protocol = pick(['tcp', 'tcp', 'udp', 'icmp']);
  const ports = protocol === 'icmp' ? [null, null] : [pick([443, 40_000, 50_000]), pick([443, 22, 45_000])];
  const seen = NOW - Math.floor(random() * 40) * HOUR;
  return {
    ...{ node_id: pick(nodes), flow_key: randomUUID(), cluster_id, protocol },
    ...{ source_ip: source.ip, source_workload_id: source.workload, source_cidr: source.cidr, source_port: ports[0] },
    ...{ destination_ip: destination.ip, destination_workload_id: destination.workload },
    ...{ destination_cidr: destination.cidr, destination_port: ports[1] },
    ...{
      decision: 'observed',
      collector: 'ebpf',
      state: null,
      initiator: pick([null, 'source', 'destination'] as const),
    },
    ...(protocol === 'icmp' && { icmp_type: pick([0, 8, 3]), icmp_code: 0 }),
    ...{ bytes: Math.floor(random() * 1_000), packets: 1 + Math.floor(random() * 9) },
    ...{ first_seen_at: iso(seen - HOUR / 2), observed_at: iso(seen) },
  };
}

const rows: Row[] = Array.from({ length: 1_500 }, randomRow);
// The other node saw less of some.
const twice: Row[] = rows
  .filter(({ source_workload_id, destination_workload_id }) => source_workload_id && destination_workload_id)
  .slice(0, 100)
  .map((row) => ({ ...row, node_id: nodes.find((id) => id !== row.node_id) ?? '', bytes: (row.bytes ?? 0) - 1 }));

beforeAll(async () => {
  for (let at = 0; at < rows.length; at += 300) await db.insert(trafficFlows).values(rows.slice(at, at + 300));
  await db.insert(trafficFlows).values(twice);
});

const selection: ReplaySelection = {
  ...{ visible: 'all', prefixes: 'all', periods: [] },
  ...{ cutoff: iso(NOW - 30 * HOUR), since: iso(NOW - 24 * HOUR), until: iso(NOW) },
  at: ids.slice(0, 3).sort(),
  exact_callers: true,
};

async function read(given: Partial<ReplaySelection> = {}): Promise<ObservedConversation[]> {
  const found: ObservedConversation[] = [];
  let last = 0;
  for await (const { conversations, done } of flowStore().replay({ ...selection, ...given }, 'flows')) {
    // Whichever query was faster, what is one conversation is not torn apart.
    expect(done).toBeGreaterThanOrEqual(last);
    last = done;
    found.push(...conversations);
  }
  return found;
}

/** What people call one conversation. */
const toConversationKey = (flow: ObservedConversation) => {
  const ends = [flow.source_workload_id ?? flow.source_prefix, flow.destination_workload_id ?? flow.destination_prefix];
  return [...(flow.reply ? ends.reverse() : ends), flow.protocol, flow.service_port].join(' ');
};

const inWindow = ({ observed_at, first_seen_at }: Row) =>
  observed_at >= selection.since && first_seen_at < selection.until;
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

describe('conversations of some workloads', () => {
  it('contain all flows with one of them at an end, each once', async () => {
    const expected = rows.filter(
      (row) =>
        inWindow(row) &&
        [row.source_workload_id, row.destination_workload_id].some((id) => id && selection.at.includes(id)),
    );
    const found = await read();
    expect(expected.length).toBeGreaterThan(200);
    expect(sum(found.map(({ flows }) => flows))).toBe(expected.length);
    expect(sum(found.map(({ bytes }) => bytes))).toBe(sum(expected.map(({ bytes }) => bytes ?? 0)));
    expect(sum(found.map(({ packets }) => packets))).toBe(sum(expected.map(({ packets }) => packets ?? 0)));
  });

  it('come one after the other where they are one to people', async () => {
    const seen = new Set<string>();
    let last = '';
    for (const flow of await read({ at: [...ids].sort() })) {
      const key = toConversationKey(flow);
      if (key !== last) expect(seen.has(key), key).toBe(false);
      seen.add(key);
      last = key;
    }
    expect(seen.size).toBeGreaterThan(50);
  });

  it('name the service and who called as everywhere else', async () => {
    for (const flow of await read()) {
      const { service_port, reply } = getServicePort(flow);
      expect(flow.service_port).toBe(service_port);
      if (flow.initiator !== null) expect(flow.reply).toBe(flow.initiator === 'destination');
      else if (flow.protocol !== 'icmp' && service_port !== null) expect(flow.reply).toBe(reply);
    }
  });

  it('have one port for all that systems give to callers, where no rule distinguishes these', async () => {
    const apart = await read();
    const joined = await read({ exact_callers: false });
    expect(joined.length).toBeLessThan(apart.length);
    expect(sum(joined.map(({ bytes }) => bytes))).toBe(sum(apart.map(({ bytes }) => bytes)));
    const callers = new Set(joined.filter((flow) => flow.initiator === 'source').map((flow) => flow.source_port));
    expect([...callers].filter((port) => port !== null && port >= 32_768)).toEqual([49_152]);
  });

  it('name only workloads that the reader may see', async () => {
    const visible = ids.slice(0, 4);
    const found = await read({ visible, prefixes: [] });
    const named = new Set(found.flatMap((flow) => [flow.source_workload_id, flow.destination_workload_id]));
    expect([...named].filter((id) => id !== null).sort()).toEqual([...visible].sort());
    const hidden = found.filter((flow) => flow.source_workload_id === null && flow.source_ip?.startsWith('10.7.'));
    expect(hidden.length).toBeGreaterThan(0);
    expect(sum(found.map(({ flows }) => flows))).toBe(sum((await read()).map(({ flows }) => flows)));
  });

  it('have the same totals in batches as in one query', async () => {
    const all = { at: [...ids].sort() };
    const batches = await read(all);
    const whole = await read({
      ...all,
      periods: [{ workload_id: randomUUID(), from: null, to: '2020-01-01T00:00:00.000000Z', name: null }],
    });
    const totals = (flows: readonly ObservedConversation[]) => {
      const sums = new Map<string, number>();
      for (const flow of flows)
        sums.set(toConversationKey(flow), (sums.get(toConversationKey(flow)) ?? 0) + flow.bytes);
      return [...sums].sort();
    };
    expect(totals(batches)).toEqual(totals(whole));
  });

  it('leave their connections to the next reader when theirs stops early', async () => {
    for (let round = 0; round < 12; round++) {
      for await (const { conversations } of flowStore().replay({ ...selection, at: [...ids].sort() }, 'flows')) {
        expect(conversations.length).toBeGreaterThan(0);
        break;
      }
    }
    expect((await read()).length).toBeGreaterThan(200);
  });
});

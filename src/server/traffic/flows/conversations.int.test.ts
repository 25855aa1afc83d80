import { randomUUID } from 'node:crypto';
import type { Flow } from '@fabric/agent-contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { db, sqlClient } from '@/server/db/client';
import { makeAgent, makeCluster, makeNode, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';
import { makeFlow, makeHeartbeat } from '../agents/testing/heartbeat.fixture';
import { flowStore } from '../storage/flow-store';
import { computeConversations, type SeenDirection } from './testing/conversation-oracle.fixture';
import { resolveFlowEnds } from './upkeep';

const sql = sqlClient();
const MINUTE = 60_000;
const OUTSIDE = '203.0.113.9';

type Agent = { id: string; headers: { authorization: string } };
type Guest = Awaited<ReturnType<typeof makeWorkload>>;
let first: Agent;
let second: Agent;
let network: string;
let subnet: string;
let cluster: { id: string };
/** Addresses of the workloads: of the first node, and of the second. */
const ADDRESSES = ['10.1.0.1', '10.1.0.2'] as const;
let guests: [string, string];
/** Of either node, too, without an address. What heartbeats know of guests may be older than a test, so all are there from the start. */
let unaddressed: [Guest, Guest];

async function makeReporter(): Promise<Agent> {
  const node = await makeNode(cluster);
  return { id: node.id, headers: await makeAgent(node) };
}

const makeGuest = (agent: Agent) => makeWorkload(cluster, null, { node_id: agent.id });

const assign = (address: string, workload: string) => sql`
  insert into ip_addresses (id, cluster_id, network_id, subnet_id, address, workload_id, source)
  values (gen_random_uuid(), ${cluster.id}, ${network}, ${subnet}, ${address}, ${workload}, 'manual')`;

beforeAll(async () => {
  cluster = await makeCluster();
  const [row] = await sql`insert into networks (id, cluster_id, name, kind, source)
    values (gen_random_uuid(), ${cluster.id}, 'vmbr0', 'bridge', 'provider') returning id`;
  network = String(row?.id);
  const [made] = await sql`insert into subnets (id, cluster_id, network_id, cidr, source)
    values (gen_random_uuid(), ${cluster.id}, ${network}, '10.1.0.0/24', 'manual') returning id`;
  subnet = String(made?.id);
  [first, second] = [await makeReporter(), await makeReporter()];
  guests = [(await makeGuest(first)).id, (await makeGuest(second)).id];
  unaddressed = [await makeGuest(first), await makeGuest(second)];
  await assign(ADDRESSES[0], guests[0]);
  await assign(ADDRESSES[1], guests[1]);
});
beforeEach(async () => {
  await sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_rollup_hours, flow_unresolved_minutes, traffic_marks`;
});

async function report(agent: Agent, flows: readonly Flow[]): Promise<void> {
  await sql`delete from rate_limits`;
  const response = await call('/agents/heartbeat', {
    ...{ method: 'POST', headers: agent.headers },
    body: makeHeartbeat([...flows], { boot_id: randomUUID(), machine_id: agent.id.replaceAll('-', '') }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  expect(((await response.json()) as { rejected: unknown[] }).rejected).toEqual([]);
}

/** What is stored, in the form of the oracle. */
const stored = async () =>
  (
    await sql`select host(client_ip) || ' ' || client_port || ' ' || coalesce(client_workload_id::text, 'null') as client,
      host(server_ip) || ' ' || server_port || ' ' || coalesce(server_workload_id::text, 'null') as server, service_port,
      client_bytes::float8, client_packets::float8, server_bytes::float8, server_packets::float8, action,
      (select string_agg(n::text, ' ' order by n) from unnest(node_ids) as n) as nodes,
      (extract(epoch from first_seen_at) * 1000)::float8 as first, (extract(epoch from last_seen_at) * 1000)::float8 as last
    from traffic_conversations`
  ).map((row) => ({ ...row }));

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

const ids = async () => (await sql`select id from traffic_conversations`).map(({ id }) => String(id));

const PAIRS = [
  { client: 0, server: 1, port: 443 },
  { client: 1, server: 0, port: 22 },
  { client: 0, server: null, port: 443 },
  { client: null, server: 1, port: 25 },
] as const;

const CONNECTION = fc.record({
  /** Since the one before with the same ends and ports: idle for longer, or opened again after it was closed. */
  gap: fc.constantFrom(1, 11, 30),
  reports: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('answered', 'answered', 'one_way', 'drop', 'reject', 'accept'),
  closed: fc.boolean(),
  opener: fc.boolean(),
  /** How many packets each node sees in each direction. */
  packets: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
  shuffle: fc.array(fc.nat(100), { minLength: 6, maxLength: 6 }),
});
type Connection = typeof CONNECTION extends fc.Arbitrary<infer T> ? T : never;
type Event = { agent: Agent; flows: Flow[]; seen: SeenDirection[]; ofFirst: boolean };

/** The heartbeats that a connection causes, of all nodes that see it, in any order. */
function makeEvents(name: string, pairIndex: number, start: number, connection: Connection): Event[] {
  const { reports, kind, closed, opener, packets, shuffle } = connection;
  const pair = PAIRS[pairIndex] as (typeof PAIRS)[number];
  const end = (guest: 0 | 1 | null, port: number) => ({
    ip: guest === null ? OUTSIDE : ADDRESSES[guest],
    port,
    workload: guest === null ? null : guests[guest],
  });
  const [client, server] = [end(pair.client, 40_000), end(pair.server, pair.port)];
  const agents = [first, second].filter((_, i) => pair.client === i || pair.server === i);
  const events = agents.flatMap((agent, which) =>
    Array.from({ length: reports }, (_, k): Event => {
      const at = start + k * 2 * MINUTE + which * 300;
      const isLast = closed && k === reports - 1;
      const made = (from_client: boolean, decision: SeenDirection['decision']) => {
        const added = packets[which * 2 + Number(from_client)] as number;
        const isLogged = decision !== 'observed';
        const bytes = isLogged ? null : added * 100;
        const replied = !isLogged && kind !== 'one_way' && kind !== 'drop' && kind !== 'reject';
        const state = isLogged ? null : isLast ? 'TIME_WAIT' : replied ? 'ESTABLISHED' : 'SYN_SENT';
        const [source, destination] = from_client ? [client, server] : [server, client];
        const flow = makeFlow({
          ...{ source_ip: source.ip, destination_ip: destination.ip },
          ...{ source_port: source.port, destination_port: destination.port, decision, state },
          ...{ bytes: bytes && bytes * (k + 1), packets: added * (k + 1), delta_packets: added },
          ...(bytes !== null && { delta_bytes: bytes }),
          ...(!isLogged && { first_seen_at: new Date(start + which * 300).toISOString() }),
          observed_at: new Date(at).toISOString(),
          ...(opener && !isLogged && { initiator: from_client ? ('source' as const) : ('destination' as const) }),
        });
        const seen: SeenDirection = {
          ...{ connection: name, node: agent.id, client, server, from_client, decision, bytes, packets: added, at },
          replied: replied || state === 'TIME_WAIT',
          first: isLogged ? at : start + which * 300,
        };
        return { flow, seen };
      };
      const answered = kind === 'answered' || kind === 'accept';
      const rows = [
        made(true, 'observed'),
        ...(answered ? [made(false, 'observed')] : []),
        ...(kind === 'drop' || kind === 'reject' || kind === 'accept' ? [made(true, kind)] : []),
      ];
      return {
        agent,
        flows: rows.map(({ flow }) => flow),
        seen: rows.map(({ seen }) => seen),
        ofFirst: pair.client === 0 || pair.server === 0,
      };
    }),
  );
  return events
    .map((event, i) => ({ event, rank: shuffle[i] ?? i }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ event }) => event);
}

describe('the table of conversations', () => {
  it('equals an oracle that merges what was reported, in any order, with moves and retention', async () => {
    const history = fc.record({
      connections: fc.array(fc.tuple(fc.nat(PAIRS.length - 1), CONNECTION), { minLength: 2, maxLength: 10 }),
      interleave: fc.array(fc.nat(PAIRS.length - 1), { minLength: 60, maxLength: 60 }),
      /** Null: nothing moves. Which part of a connection closed it is lost with a move. */
      moveAfter: fc.option(fc.nat(20)),
      together: fc.integer({ min: 1, max: 4 }),
      kept: fc.integer({ min: 0, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ connections, interleave, moveAfter, together, kept }) => {
        await sql`truncate traffic_flows, traffic_conversations, flow_rollup_minutes, flow_unresolved_minutes`;
        const begin = Date.now() - 12 * 60 * MINUTE;
        const queues = PAIRS.map((): Event[] => []);
        const cursor = PAIRS.map(() => begin);
        const wasClosed = PAIRS.map(() => true);
        for (const [i, [pair, connection]] of connections.entries()) {
          const isReopened = moveAfter === null && wasClosed[pair] && ['answered', 'one_way'].includes(connection.kind);
          const gap = isReopened ? connection.gap : Math.max(connection.gap, 11);
          const start = (cursor[pair] as number) + gap * MINUTE;
          queues[pair]?.push(...makeEvents(`c${i}`, pair, start, connection));
          cursor[pair] = start + (connection.reports - 1) * 2 * MINUTE + 300;
          wasClosed[pair] = connection.closed;
        }
        const events = [...interleave, ...PAIRS.keys()].flatMap((pair) => queues[pair]?.shift() ?? []);
        events.push(...queues.flat());
        const seen: SeenDirection[] = [];
        let known: string[] | null = null;
        for (let i = 0; i < events.length; ) {
          if (moveAfter !== null && i >= moveAfter && known === null) {
            known = await ids();
            await db.transaction((tx) => flowStore().endFlows(tx, [guests[0]]));
          }
          const { agent } = events[i] as Event;
          const batch: Event[] = [];
          while (batch.length < together && events[i]?.agent === agent) {
            const event = events[i] as Event;
            // A heartbeat reports each flow once.
            if (
              batch.some(
                (other) =>
                  other.flows[0]?.source_ip === event.flows[0]?.source_ip &&
                  other.flows[0]?.destination_ip === event.flows[0]?.destination_ip,
              )
            )
              break;
            batch.push(event);
            i += 1;
            if (i === moveAfter) break;
          }
          await report(
            agent,
            batch.flatMap(({ flows }) => flows),
          );
          const moved = known !== null;
          seen.push(
            ...batch.flatMap((event) =>
              event.seen.map((row) => ({
                ...row,
                connection: event.ofFirst && moved ? `${row.connection} moved` : row.connection,
              })),
            ),
          );
        }
        expect(sorted(await stored())).toEqual(sorted(computeConversations(seen)));
        expect(await ids()).toEqual(expect.arrayContaining(known ?? []));
        const times = seen.map(({ at }) => at).sort((a, b) => a - b);
        const cutoff = times[Math.floor(((times.length - 1) * kept) / 100)] as number;
        await flowStore().upkeep.retain({ now: cutoff + 60 * MINUTE, flow_hours: 1 });
        const left = computeConversations(seen, cutoff);
        expect(sorted(await stored())).toEqual(sorted(left));
        const [lost] = await sql`select count(*)::int as n from traffic_flows as t
          where not exists (select 1 from traffic_conversations as c where c.id = t.conversation_id)`;
        expect(lost?.n).toBe(0);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });

  it('becomes one row when both ends become known', async () => {
    const [left, right] = unaddressed;
    const flow = (guest: { vmid: number }, bytes: number) =>
      makeFlow({
        source_ip: '10.1.0.8',
        destination_ip: '10.1.0.9',
        vmid: guest.vmid,
        bytes,
        first_seen_at: new Date(Date.now() - MINUTE).toISOString(),
      });
    await report(first, [flow(left, 500)]);
    await report(second, [flow(right, 700)]);
    expect(await stored()).toMatchObject([{ client_bytes: 500 }, { client_bytes: 700 }]);
    await assign('10.1.0.8', left.id);
    await assign('10.1.0.9', right.id);
    const settle = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      while (!(await resolveFlowEnds(undefined, 0)).done);
      await flowStore().upkeep.settleConversations();
    };
    await settle();
    expect(await stored()).toMatchObject([
      { client_bytes: 700, server_bytes: null, client: expect.stringContaining(left.id) },
    ]);
  });

  it('has flows that were stored before there were conversations', async () => {
    const begun = new Date(Date.now() - MINUTE).toISOString();
    const flow = (bytes: number) =>
      makeFlow({ source_ip: ADDRESSES[0], destination_ip: ADDRESSES[1], bytes, first_seen_at: begun });
    await report(first, [flow(500), makeFlow({ source_ip: ADDRESSES[0], destination_ip: OUTSIDE })]);
    await report(second, [flow(700)]);
    const before = await stored();
    expect(before).toHaveLength(2);
    await sql`update traffic_flows set conversation_id = null`;
    await sql`truncate traffic_conversations`;
    expect(await flowStore().upkeep.settleConversations()).toMatchObject({ assigned: 3 });
    expect(sorted(await stored())).toEqual(sorted(before));
    expect(await sql`select 1 from traffic_flows where conversation_id is null`).toHaveLength(0);
  });
});

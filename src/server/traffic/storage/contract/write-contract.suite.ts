import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { FlowListInput } from '@/domain/flow/flow';
import type { FlowGroupsInput } from '@/domain/flow/flow-sums';
import { db } from '@/server/db/client';
import { nodes } from '@/server/db/schema/clusters';
import type { EndResolver, FlowNode, ValidFlow } from '../flow-rows';
import type { FlowSelection } from '../flow-selection';
import {
  type Connection,
  type ContractEngine,
  HOUR,
  type Inventory,
  iso,
  makeInventory,
  makeSharedConnection,
  NOW,
  OTHER_SUBNET,
  type Report,
  SUBNET,
  storeFlows,
  toValidFlow,
} from './flow-history.fixture';
import { EVERYTHING } from './selections.fixture';

const MINUTE = 60_000;

/** What is stored after heartbeats, interruptions, moves and retention. */
export function describeWriteContract(name: string, { store, clear }: ContractEngine): void {
  describe(`writes of the flow store: ${name}`, () => {
    let inventory: Inventory;
    beforeEach(async () => {
      await clear();
      inventory = await makeInventory();
    });

    /** A connection of the first workload to the second, which are on one node, or to an address of a known subnet. */
    const makeConnection = (port: number, isKnown = true, begin = NOW - HOUR): Connection => ({
      ...{ name: String(port), protocol: 'tcp', begin, nodes: [0], router: null, is_opener_known: true, reports: [] },
      client: { ip: '10.7.0.1', port, workload: 0, cidr: SUBNET, prefix: SUBNET },
      server: isKnown
        ? { ip: '10.7.0.2', port: 443, workload: 1, cidr: SUBNET, prefix: SUBNET }
        : { ip: '10.8.0.1', port: 443, workload: null, cidr: OTHER_SUBNET, prefix: OTHER_SUBNET },
    });
    const makeReport = (at: number, values: Partial<Report> = {}): Report => ({
      ...{ node: 0, from_client: true, decision: 'observed', state: 'ESTABLISHED', bytes: 100, packets: 1, at },
      ...values,
    });
    type Seen = readonly [Connection, Report];
    const byKey = (a: ValidFlow, b: ValidFlow) => (a.record.flow_key < b.record.flow_key ? -1 : 1);
    const toFlows = (seen: readonly Seen[]): ValidFlow[] =>
      seen.map(([connection, report]) => toValidFlow(connection, report, inventory)).sort(byKey);
    const report = (seen: readonly Seen[], now = iso(NOW)) =>
      storeFlows(store, inventory.nodes[0] as FlowNode, toFlows(seen), now);
    const selectAll = (values: Partial<FlowSelection> = {}): FlowSelection => ({
      ...{ since: iso(NOW - 99 * HOUR), until: null, cutoff: iso(NOW - 99 * HOUR), named: [], filter: {} },
      ...{ visible: 'all', prefixes: 'all', periods: [], ...values },
    });
    const listFlows = async (values: Partial<FlowSelection> = {}) =>
      (await store.list(selectAll(values), { limit: 100, sort: 'bytes' } as FlowListInput)).items;
    const sumMinutes = async (filter: FlowSelection['filter'] = {}) => {
      const selection = { ...selectAll({ filter }), ...EVERYTHING };
      const sums = await store.series(selection, 'hours', { first: EVERYTHING.since, width: 300 });
      return sums.reduce((all, { bytes, flows }) => [(all[0] ?? 0) + bytes, (all[1] ?? 0) + flows], [0, 0]);
    };
    const listConversations = async () => {
      const text = { condition: undefined, resolved: new Map(), now: iso(NOW + HOUR), actions: undefined };
      return (await store.conversations.list({ ...selectAll(), ...text }, { limit: 100 })).items;
    };
    /** Fills in both ends of everything that has an unknown one in some networks. @param between what happens after each step */
    async function resolveEnds(
      ends: { source_workload_id: string; destination_workload_id: string },
      networks: string[],
      between: () => Promise<unknown> = async () => {},
    ) {
      const resolver: EndResolver = {
        endsOf: ({ workload_id }) => ({
          ...ends,
          ...{ source_cidr: SUBNET, destination_cidr: OTHER_SUBNET, workload_id, is_resolvable: () => false },
        }),
        observerOf: () => null,
        subnetAround: () => null,
        subnetsAmong: () => [SUBNET, OTHER_SUBNET],
      };
      for (let position = null, steps = 0; ; steps++) {
        const step = await store.upkeep.resolveEnds(resolver, { networks, vmids: [] }, position);
        await between();
        if (step.position === null) break;
        expect(steps).toBeLessThan(100);
        position = step.position as never;
      }
    }
    /** Everything that a heartbeat adds to. */
    const readSums = async () => [
      (await listFlows()).map(({ bytes }) => bytes),
      await sumMinutes(),
      (await listConversations()).map(({ bytes }) => bytes),
    ];

    it('stores nothing that is rolled back', async () => {
      const one = makeConnection(40_001);
      await report([[one, makeReport(NOW - 50 * MINUTE)]]);
      const before = await readSums();
      expect(before).toEqual([[100], [100, 1], [100]]);
      const seen: Seen[] = [
        [one, makeReport(NOW - 48 * MINUTE)],
        [makeConnection(40_002), makeReport(NOW - 48 * MINUTE)],
      ];
      const failed = db.transaction(async (tx) => {
        await store.append(tx, inventory.nodes[0] as FlowNode, toFlows(seen), iso(NOW));
        throw new Error('the caller is killed');
      });
      await expect(failed).rejects.toThrow('the caller is killed');
      expect(await readSums()).toEqual(before);
      // Sent again, all of it counts once.
      expect(await report(seen)).toBe(1);
      expect(await readSums()).toEqual(
        [
          [100, 200],
          [300, 2],
          [200, 100],
        ].map((row, i) => (i === 2 ? expect.arrayContaining(row) : row)),
      );
    });

    it('adds what came late to the totals and keeps what was seen last', async () => {
      const one = makeConnection(40_001);
      await report([[one, makeReport(NOW - 50 * MINUTE, { state: 'TIME_WAIT' })]], iso(NOW + 1_000));
      await report([[one, makeReport(NOW - 54 * MINUTE, { state: 'SYN_SENT', bytes: 7 })]], iso(NOW + 2_000));
      expect(await listFlows()).toMatchObject([
        {
          state: 'TIME_WAIT',
          bytes: 107,
          packets: 2,
          observed_at: iso(NOW - 50 * MINUTE),
          first_seen_at: iso(NOW - HOUR),
        },
      ]);
    });

    it('keeps a counter unknown until it was counted', async () => {
      const one = makeConnection(40_001);
      await report([[one, makeReport(NOW - 54 * MINUTE, { bytes: null, packets: null })]]);
      expect(await listFlows()).toMatchObject([{ bytes: null, packets: null }]);
      await report([[one, makeReport(NOW - 52 * MINUTE, { bytes: 5, packets: null })]]);
      await report([[one, makeReport(NOW - 50 * MINUTE, { bytes: null, packets: null })]]);
      expect(await listFlows()).toMatchObject([{ bytes: 5, packets: null }]);
    });

    it('counts a total once that is repeated when the observing workload has become known', async () => {
      const one = makeConnection(40_001, false);
      const repeat = async (at: number, bytes: number, workload_id: string | null) => {
        const flows = toFlows([[{ ...one }, makeReport(at, { bytes })]]);
        const ends = { workload_id, source_workload_id: null, destination_workload_id: null, reported_bytes: bytes };
        const total = { has_begin: false, delta_bytes: null, delta_packets: null };
        const seen = flows.map((flow) => ({ ...flow, ...total, record: { ...flow.record, ...ends } }));
        await storeFlows(store, inventory.nodes[0] as FlowNode, seen, iso(NOW));
      };
      await repeat(NOW - 54 * MINUTE, 100, null);
      await repeat(NOW - 52 * MINUTE, 130, inventory.workloads[0]?.id ?? '');
      await repeat(NOW - 50 * MINUTE, 145, inventory.workloads[0]?.id ?? '');
      expect((await listFlows()).map(({ bytes }) => bytes)).toEqual([45, 100]);
      expect((await listConversations()).map(({ bytes }) => bytes).sort()).toEqual([100, 45]);
      expect(await sumMinutes()).toEqual([145, 2]);
    });

    it('begins another flow for a workload that moves, with the new traffic only', async () => {
      const [moving, staying] = [makeConnection(40_001), makeConnection(40_002, false)];
      await report([[moving, makeReport(NOW - 54 * MINUTE)]]);
      await report([[staying, makeReport(NOW - 54 * MINUTE, { bytes: 9_000 })]]);
      await db.transaction((tx) => store.endFlows(tx, [inventory.workloads[1]?.id ?? '']));
      const next = [moving, staying].map((one): Seen => [one, makeReport(NOW - 52 * MINUTE, { bytes: 30 })]);
      expect(await report(next)).toBe(1);
      expect((await listFlows()).map(({ bytes }) => bytes)).toEqual([30, 100, 9_030]);
      expect((await listConversations()).map(({ bytes }) => bytes).sort()).toEqual([100, 30, 9_030]);
      expect(await sumMinutes()).toEqual([9_160, 3]);
    });

    it('counts a flow that two nodes reported once after one of its workloads moved', async () => {
      const shared = makeSharedConnection(40_001, NOW - HOUR);
      for (const [node, of] of inventory.nodes.entries()) {
        const flows = toFlows([[shared, makeReport(NOW - 54 * MINUTE, { node, bytes: 1_000 })]]);
        await storeFlows(store, of, flows, iso(NOW));
      }
      const answer = async () => {
        const bounded = { ...selectAll(), ...EVERYTHING };
        const insight = { ...bounded, filter: { workload_id: inventory.workloads[0]?.id ?? '' }, mode: 'all' as const };
        const input = { limit: 100 } as FlowGroupsInput;
        const groups = await store.groups(bounded, 'flows', { ...input, group_by: 'source' });
        const spans = await store.spans(bounded, { first: EVERYTHING.since, width: 300 });
        const replayed = [];
        const replay = { ...bounded, at: inventory.workloads.map(({ id }) => id), exact_callers: true };
        for await (const { conversations } of store.replay(replay, 'flows')) replayed.push(...conversations);
        return {
          ...{ groups: groups.items, sums: groups.sums, spans, summary: await store.insights.summary(insight) },
          listed: (await store.insights.list(insight, input as never)).total,
          replayed: replayed.map(({ bytes, flows }) => [bytes, flows]),
        };
      };
      const before = await answer();
      expect(before).toMatchObject({ groups: [{ bytes: 1_000, flows: 1 }], listed: 1 });
      for (const { id } of [inventory.workloads[0], inventory.workloads[2]] as { id: string }[]) {
        await db.transaction((tx) => store.endFlows(tx, [id]));
        await store.deliver(null);
        expect(await answer()).toEqual(before);
      }
    });

    it('fills in an end that becomes known after a workload moved, in flows and totals', async () => {
      const flows = toFlows([[makeConnection(40_001, false), makeReport(NOW - 54 * MINUTE)]]);
      const resolvable = flows.map((flow) => ({ ...flow, is_resolvable: true }));
      await storeFlows(store, inventory.nodes[0] as FlowNode, resolvable, iso(NOW));
      const [server, client] = [inventory.workloads[3]?.id ?? '', inventory.workloads[0]?.id ?? ''];
      await db.transaction((tx) => store.endFlows(tx, [client]));
      await store.deliver(null);
      await resolveEnds({ source_workload_id: client, destination_workload_id: server }, ['10.8.0.1/32']);
      expect(await listFlows({ visible: [server] })).toMatchObject([{ destination_workload_id: server, bytes: 100 }]);
      expect(await sumMinutes({ destination_workload_id: server })).toEqual([100, 1]);
    });

    it('fills in an end that becomes known, in flows, totals and conversations', async () => {
      const one = makeConnection(40_001, false);
      const flows = toFlows([[one, makeReport(NOW - 54 * MINUTE)]]).map((flow) => ({ ...flow, is_resolvable: true }));
      await storeFlows(store, inventory.nodes[0] as FlowNode, flows, iso(NOW));
      const [server, client] = [inventory.workloads[3]?.id ?? '', inventory.workloads[0]?.id ?? ''];
      expect(await listFlows({ visible: [server] })).toEqual([]);
      const walk = (networks: string[]) =>
        resolveEnds({ source_workload_id: client, destination_workload_id: server }, networks);
      await walk(['10.9.0.0/24', 'fd77::1/128']);
      expect(await listFlows({ visible: [server] })).toEqual([]);
      await walk(['10.9.0.0/24', '10.8.0.1/32']);
      expect(await listFlows({ visible: [server] })).toMatchObject([{ destination_workload_id: server, bytes: 100 }]);
      expect(await sumMinutes({ destination_workload_id: server })).toEqual([100, 1]);
      expect(await sumMinutes({ destination_workload_id: 'none' })).toEqual([0, 0]);
      expect((await listConversations()).map((row) => row.server.workload_id)).toEqual([server]);
      // What is reported next is a part of the same flow.
      expect(await report([[one, makeReport(NOW - 52 * MINUTE)]])).toBe(0);
      expect(await listFlows()).toMatchObject([{ bytes: 200 }]);
    });

    it.each(['after', 'in the middle of'])('joins conversations that turn out to be one, %s the walk', async (when) => {
      const [here, there] = inventory.nodes as [FlowNode, FlowNode];
      const of = (node: number, values: Partial<Report> = {}) => {
        const { client, server, ...one } = { ...makeConnection(40_001, false), nodes: [node] };
        const ends = {
          client: { ...client, workload: node === 0 ? 0 : null },
          server: { ...server, workload: node === 0 ? null : 2 },
        };
        const flows = toFlows([[{ ...one, ...ends }, makeReport(NOW - 54 * MINUTE, { node, ...values })]]);
        return flows.map((flow) => ({ ...flow, is_resolvable: true }));
      };
      // Each node knows the end that is its own.
      await storeFlows(store, here, of(0), iso(NOW));
      await storeFlows(store, there, of(1, { bytes: 60 }), iso(NOW));
      expect((await listConversations()).map(({ bytes }) => bytes).sort()).toEqual([100, 60]);
      const [client, server] = [inventory.workloads[0]?.id ?? '', inventory.workloads[2]?.id ?? ''];
      const ends = { source_workload_id: client, destination_workload_id: server };
      const join = () => store.upkeep.settleConversations();
      await resolveEnds(ends, ['10.8.0.1/32', '10.7.0.1/32'], when === 'after' ? undefined : join);
      if (when === 'after') await join();
      // Minutes know both ends of what either node reported, whichever flow it came from by now.
      expect(await sumMinutes(ends)).toEqual([100, 1]);
      expect(await sumMinutes()).toEqual([100, 1]);
      const nodeIds = [here.node_id, there.node_id].sort();
      const whole = { bytes: 100, client: { workload_id: client }, server: { workload_id: server } };
      const [joined, ...others] = await listConversations();
      expect(others).toEqual([]);
      expect(joined).toMatchObject(whole);
      expect([...new Set((await listFlows()).map(({ node_id }) => node_id))].sort()).toEqual(nodeIds);
      // What comes next is a part of the whole, also when the agent does not say how much of it is new.
      const next = of(1, { at: NOW - 52 * MINUTE, bytes: 150 }).map((flow) => ({ ...flow, delta_bytes: null }));
      expect(await storeFlows(store, there, next, iso(NOW))).toBe(0);
      expect((await listConversations()).map(({ id, bytes }) => [id, bytes])).toEqual([[joined?.id, 150]]);
    });

    it('deletes what nodes that are gone have left', async () => {
      const flows = (port: number, bytes = 100) =>
        toFlows([[makeConnection(port), makeReport(NOW - 40 * MINUTE, { bytes })]]);
      const [gone, other] = inventory.nodes as [FlowNode, FlowNode];
      await storeFlows(store, gone, [...flows(40_001), ...flows(40_003, 700)].sort(byKey), iso(NOW));
      await storeFlows(store, other, [...flows(40_002), ...flows(40_003, 50)].sort(byKey), iso(NOW));
      expect((await listConversations()).map(({ bytes }) => bytes).sort()).toEqual([100, 100, 700]);
      const sumSent = async () => {
        while (!(await store.upkeep.sum()).done);
        const range = { bucket_seconds: 3600 as const, since: NOW - 24 * HOUR, until: NOW };
        return (await store.talkers.byWorkload([range])).reduce((sum, { bytes_out }) => sum + bytes_out, 0);
      };
      expect(await sumSent()).toBe(800);
      await db.delete(nodes).where(eq(nodes.id, gone.node_id));
      expect((await store.upkeep.retain({ now: NOW, flow_hours: 4 })).rows_of_gone_nodes).toBeGreaterThan(0);
      expect((await listFlows()).map(({ node_id }) => node_id)).toEqual([other.node_id, other.node_id]);
      expect(await sumMinutes()).toEqual([150, 2]);
      expect((await listConversations()).map(({ bytes }) => bytes).sort()).toEqual([100, 50]);
      expect(await sumSent()).toBe(150);
      expect((await store.upkeep.retain({ now: NOW, flow_hours: 4 })).rows_of_gone_nodes).toBe(0);
    });

    it.each([5 * MINUTE, 30 * 24 * HOUR])(
      'shows what is stored after a retention run whose clock was %s ms ahead',
      async (ahead) => {
        const early = makeConnection(40_001);
        await report([[early, makeReport(NOW - 55 * MINUTE)]]);
        await report([[early, makeReport(NOW - 48 * MINUTE, { from_client: false, bytes: 7 })]]);
        await store.upkeep.retain({ now: NOW + 5 * MINUTE + ahead, flow_hours: 1 });
        await store.upkeep.retain({ now: NOW, flow_hours: 1 });
        const late = [40_002, 40_003].map((port): Seen => [makeConnection(port), makeReport(NOW - 2 * MINUTE)]);
        await report(late);
        const sum = (rows: readonly { bytes: number | null }[]) =>
          rows.reduce((all, { bytes }) => all + (bytes ?? 0), 0);
        const [flows, conversations] = [await listFlows(), await listConversations()];
        const isLate = (port: number | null) => late.some(([{ client }]) => client.port === port);
        expect(flows.filter(({ source_port }) => isLate(source_port))).toHaveLength(2);
        expect(conversations.filter(({ client }) => isLate(client.port))).toHaveLength(2);
        // Whether an engine had deleted the others already or shows them again.
        expect(sum(conversations)).toBe(sum(flows));
      },
    );

    it('keeps all of a flow that continues, and deletes what was last seen before the retention', async () => {
      const [lasting, over] = [40_001, 40_002].map((port) => makeConnection(port, true, NOW - 6 * HOUR)) as [
        Connection,
        Connection,
      ];
      let answered = 0;
      for (let minutes = 6 * 60 - 1; minutes > 30; minutes -= 9) {
        const at = NOW - minutes * MINUTE;
        const answer = makeReport(at, { from_client: false, bytes: 10 });
        const isEarly = minutes > 5 * 60;
        await report([
          [lasting, answer],
          ...(isEarly ? [lasting, over] : []).map((one): Seen => [one, makeReport(at)]),
        ]);
        answered += 10;
      }
      expect(await listFlows()).toHaveLength(3);
      const cutoff = iso(NOW - 4 * HOUR);
      expect((await listFlows({ cutoff })).map(({ bytes }) => bytes)).toEqual([answered]);
      await store.upkeep.retain({ now: NOW, flow_hours: 4 });
      expect((await listFlows()).map(({ bytes }) => bytes)).toEqual([answered]);
      expect(await listConversations()).toMatchObject([
        { client_bytes: null, server_bytes: answered, bytes: answered },
      ]);
    });
  });
}

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FLOW_GROUP_SORTS, FLOW_GROUPINGS } from '@/domain/choices';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { CountedSource, FlowGrouping, FlowGroupsInput } from '@/domain/flow/flow-sums';
import { readRows } from '@/domain/topology/conversation-table';
import { clock } from '@/server/lib/clock';
import type { GroupRow, GroupTraffic, GroupTrafficFilter } from '../flow-rows';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import {
  type ContractEngine,
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  storeHistory,
} from './flow-history.fixture';
import { isMatch, isShown, limitToPeriods, replayHeartbeats } from './flow-oracle.fixture';
import { EVERYTHING, listFilters, listReaches, makeFilter, makeFlowFilter, READERS } from './selections.fixture';
import { addUp, countAdditions, countFlows, groupBy, sumBetween, sumEdges, sumGroups } from './sum-oracle.fixture';

const MINUTE = 60_000;
const DAY = 24 * HOUR;
/** Totals by the minute have no addresses. */
const WITHOUT_ADDRESSES = FLOW_GROUPINGS.filter((grouping) => grouping !== 'source' && grouping !== 'destination');

/** Totals: groups, series, the map and the heaviest workloads, each conversation once, however many nodes reported it. */
export function describeSumContract(name: string, { store, clear, share = 1 }: ContractEngine): void {
  describe(`totals of the flow store: ${name}`, () => {
    let inventory: Inventory;
    let history: ReturnType<typeof makeHeartbeats>;
    let stored: ReturnType<typeof replayHeartbeats>;

    beforeAll(async () => {
      await clear();
      inventory = await makeInventory();
      history = makeHeartbeats(makeConnections(4, 80, inventory), 5, true);
      stored = replayHeartbeats(history, inventory);
      await storeHistory(store, history, inventory);
    });

    const findReach = (reader: string) => listReaches(inventory)[reader] as FlowReach;
    const makeSelection = (reach: FlowReach, filter = {}, range = {}): BoundedSelection => ({
      ...{ ...EVERYTHING, named: [], ...reach, filter, ...range },
    });
    const listGroups = async (selection: BoundedSelection, source: CountedSource, input: Partial<FlowGroupsInput>) => {
      const page = await store.groups(selection, source, { limit: 500, ...input } as FlowGroupsInput);
      expect(page.next_cursor).toBeNull();
      return page;
    };
    const inOrder = (rows: readonly object[], fields: readonly string[]) =>
      rows.map((row) => JSON.stringify(row, [...fields].sort())).sort();
    const countSelected = ({ filter, ...reach }: BoundedSelection) =>
      countFlows(
        stored.flows
          .map((flow) => limitToPeriods(flow, reach))
          .filter((flow) => isShown(flow, reach) && isMatch(flow, filter, reach)),
      );
    const expectGroups = (items: readonly GroupRow[], expected: readonly object[], why: string) => {
      const fields = Object.keys(expected[0] ?? {});
      expect(inOrder(items, fields), why).toEqual(inOrder(expected, fields));
      expect(new Set(items.map(({ id }) => id)).size).toBe(expected.length);
    };

    const expectMinuteGroups = async (reach: FlowReach, group_by: FlowGrouping, filters: readonly FlowFilter[]) => {
      const ranges = [
        { since: NOW - 24 * HOUR, until: NOW + HOUR },
        { since: NOW - 100 * MINUTE, until: NOW - 35 * MINUTE },
      ];
      for (const { since, until } of ranges) {
        for (const filter of filters) {
          const selection = makeSelection(reach, filter, { since: iso(since), until: iso(until) });
          const rows = countAdditions(stored.additions, { since, until }, filter, reach);
          const { items, sums } = await listGroups(selection, 'minutes', { group_by });
          expectGroups(items, sumGroups(rows, group_by, reach), JSON.stringify(selection));
          expect(sums).toEqual(addUp(rows.filter(({ counted }) => counted)));
        }
      }
    };

    /** Some workloads in one group, one in two, one in none, and the others outside. */
    const listGroupFilters = (): GroupTrafficFilter[] => {
      const [first = '', second = '', third = '', ...others] = inventory.workloads.map(({ id }) => id);
      const groups = new Map<string, number[]>([
        [first, [0]],
        [second, [0, 1]],
        [third, []],
        ...others.slice(2).map((id): [string, number[]] => [id, [2]]),
      ]);
      return [
        { groups, protocols: null, port: undefined },
        { groups, protocols: ['tcp'], port: 443 },
        { groups, protocols: ['udp', 'icmp'], port: undefined, at: [second, ...others] },
        { groups, protocols: null, port: undefined, at: [first] },
        { groups: new Map(), protocols: null, port: undefined },
      ];
    };
    let betweens = 0;
    /**
     * One of the filters after the other: of each of so many questions all of them would be half of what this file takes. Their number
     * is odd, so that each filter meets both ranges.
     */
    const expectBetween = async (
      selection: BoundedSelection,
      source: 'minutes' | 'hours',
      edges: ReturnType<typeof sumEdges>,
      toComparable: (row: GroupTraffic) => GroupTraffic = (row) => row,
    ) => {
      const filters = listGroupFilters();
      const filter = filters[betweens++ % filters.length] as GroupTrafficFilter;
      const found = (await store.between(selection, source, filter)).map(toComparable);
      const fields = ['from', 'to', 'flows', 'last_seen_at'];
      expect(inOrder(found, fields)).toEqual(inOrder(sumBetween(edges, filter), fields));
    };

    let maps = 0;
    /** Of more than are asked for, none is left out that is heavier than one of these. */
    const expectHeaviest = async (selection: BoundedSelection, found: readonly { bytes: number }[]) => {
      const most = Math.floor(found.length / 2);
      if (most === 0) return;
      const { table, complete } = await store.edges(selection, 'minutes', { hosts: true, most });
      expect(complete).toBe(false);
      const heaviest = found.map(({ bytes }) => bytes).sort((a, b) => b - a);
      expect([...table.bytes].sort((a, b) => b - a)).toEqual(heaviest.slice(0, most));
    };

    const expectMaps = async (reach: FlowReach, filters: readonly FlowFilter[]) => {
      const ranges = [
        { since: NOW - 2 * HOUR, until: NOW },
        { since: NOW - 170 * MINUTE, until: NOW - 35 * MINUTE },
      ];
      for (const filter of filters) {
        for (const range of ranges) {
          const selection = makeSelection(reach, filter, { since: iso(range.since), until: iso(range.until) });
          const expected = sumEdges(countAdditions(stored.additions, range, filter, reach), reach);
          // As many as there are: these are all.
          const { table, complete } = await store.edges(selection, 'minutes', { hosts: true, most: expected.length });
          const found = readRows(table);
          expect(complete).toBe(true);
          const fields = Object.keys(expected[0] ?? {});
          expect(inOrder(found, fields), JSON.stringify(selection)).toEqual(inOrder(expected, fields));
          await expectBetween(selection, 'minutes', expected);
          const known = found.filter((edge) => edge.source_workload_id ?? edge.destination_workload_id);
          if (maps++ % 3 === 0) await expectHeaviest(selection, found);
          else expect((await store.edges(selection, 'minutes')).table.size).toBe(known.length);
        }
      }
    };

    describe.each(READERS)('for a reader of %s', (reader) => {
      it.each(WITHOUT_ADDRESSES)('groups minutes by %s, in any range', (group_by) =>
        expectMinuteGroups(findReach(reader), group_by, listFilters(6, 20 * share, inventory, makeFilter)),
      );

      it.each(FLOW_GROUPINGS)('groups single flows by %s', async (group_by) => {
        const reach = findReach(reader);
        let groups = 0;
        for (const filter of listFilters(7, 20 * share, inventory, makeFlowFilter)) {
          const selection = makeSelection(reach, filter);
          const rows = countSelected(selection);
          const { items, sums } = await listGroups(selection, 'flows', { group_by });
          expectGroups(items, sumGroups(rows, group_by, reach), JSON.stringify(selection));
          expect(sums).toEqual(addUp(rows.filter(({ counted }) => counted)));
          groups += items.length;
        }
        expect(groups > 0).toBe(reader !== 'nothing');
      });

      it('has the same totals over time', async () => {
        const reach = findReach(reader);
        const [since, until, width] = [NOW - 3 * HOUR, NOW, 300];
        for (const filter of listFilters(8, 20 * share, inventory, makeFilter)) {
          const selection = makeSelection(reach, filter, { since: iso(since), until: iso(until) });
          const rows = countAdditions(stored.additions, { since, until }, filter, reach);
          const counted = rows.filter((row) => row.counted);
          const getBucket = ({ at }: { at: number }) => Math.floor((at - since) / (width * 1_000));
          const expected = [...groupBy(counted, (row) => [getBucket(row), row.flow.decision]).values()].map(
            (group) => ({
              bucket: getBucket(group[0] as (typeof counted)[number]),
              decision: group[0]?.flow.decision,
              ...addUp(group),
            }),
          );
          const found = await store.series(selection, 'minutes', { first: iso(since), width });
          const fields = ['bucket', 'decision', 'bytes', 'packets', 'flows'];
          expect(inOrder(found, fields), JSON.stringify(filter)).toEqual(inOrder(expected, fields));
        }
      });

      it('spreads single flows so that their parts add up to them', async () => {
        const reach = findReach(reader);
        for (const filter of listFilters(9, 15 * share, inventory, makeFlowFilter)) {
          const selection = makeSelection(reach, filter);
          const spans = await store.spans(selection, { first: EVERYTHING.since, width: 300 });
          const sum = spans.reduce((all, span) => {
            const between = Math.max(0, span.to_bucket - span.from_bucket - 1);
            return all + span.head_bytes + span.middle_bytes * between + span.tail_bytes;
          }, 0);
          const counted = countSelected(selection).filter((row) => row.counted);
          expect(sum).toBeCloseTo(addUp(counted).bytes, 3);
          expect(spans.reduce((all, { flows }) => all + flows, 0)).toBe(counted.length);
        }
      });

      it('draws the map of who opened conversations with whom', () =>
        expectMaps(findReach(reader), listFilters(10, 15 * share, inventory, makeFilter)));
    });

    it.each(FLOW_GROUP_SORTS.flatMap((sort) => [sort, `-${sort}`]))('pages groups by %s without gaps', async (sort) => {
      const selection = makeSelection(findReach('everything'));
      const input = { group_by: 'destination' as const, sort } as Partial<FlowGroupsInput>;
      const all = await listGroups(selection, 'flows', input);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store.groups(selection, 'flows', { ...input, limit: 2, cursor } as FlowGroupsInput);
        expect([page.total, page.sums]).toEqual([all.total, all.sums]);
        seen.push(...page.items.map(({ id }) => id));
        if (page.next_cursor === null) break;
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(all.items.map(({ id }) => id));
      expect(seen.length).toBeGreaterThan(4);
    });

    it('shows the minute in which a workload moved to neither owner', async () => {
      const id = inventory.workloads[0]?.id ?? '';
      const found = stored.additions.find(({ flow }) => flow.source_workload_id === id);
      const since = Math.floor((found?.at ?? 0) / MINUTE) * MINUTE;
      const range = { since: iso(since), until: iso(since + MINUTE) };
      const moved_at = iso(since + MINUTE / 2).replace('Z', '000Z');
      const read = (periods: FlowReach['periods']) =>
        store.series(makeSelection({ visible: [id], prefixes: [], periods }, {}, range), 'minutes', {
          ...{ first: range.since, width: 60 },
        });
      expect(await read([])).not.toEqual([]);
      expect(await read([{ workload_id: id, from: null, to: moved_at, name: null }])).toEqual([]);
      expect(await read([{ workload_id: id, from: moved_at, to: null, name: null }])).toEqual([]);
    });

    it('keeps totals by workload that equal those by the minute', async () => {
      while (!(await store.upkeep.sum()).done);
      const range = { since: NOW - 3 * HOUR, until: NOW };
      const counted = countAdditions(stored.additions, range, {}, findReach('everything')).filter((row) => row.counted);
      const found = await store.talkers.byWorkload([{ bucket_seconds: 3600, ...range }]);
      for (const { id } of inventory.workloads) {
        const out = addUp(counted.filter(({ flow }) => flow.source_workload_id === id));
        const into = addUp(counted.filter(({ flow }) => flow.destination_workload_id === id));
        const both = counted.filter(
          ({ flow }) => flow.source_workload_id === id && flow.destination_workload_id === id,
        );
        expect(found.find((row) => row.workload_id === id)).toMatchObject({
          ...{ bytes_in: into.bytes, bytes_out: out.bytes, packets: into.packets + out.packets },
          flows: into.flows + out.flows - addUp(both).flows,
        });
      }
    });

    /** What comes later about the same hours: one node sees how connections begin, the other one all of them. No port is that of an earlier one. */
    const storeLate = async (seed: number, first: number) => {
      const seen = makeConnections(seed, first + 40, inventory)
        .slice(first)
        .map((one, i) => ({
          ...one,
          reports: one.reports.filter(({ node, at }) => node === i % 2 || at < one.begin + 2 * MINUTE),
        }));
      const late = makeHeartbeats(seen, seed + 1, true);
      history = [...history, ...late];
      stored = replayHeartbeats(history, inventory);
      await storeHistory(store, late, inventory);
    };

    it('has the same maps and groups when the upkeep has been through, and of what comes after it', {
      timeout: 300_000,
    }, async () => {
      const { nodes, workloads } = inventory;
      const readers = ['everything', 'two workloads and one subnet', 'workloads that moved'].map(findReach);
      const expectAll = async () => {
        for (const reach of readers) {
          await expectMaps(reach, [{}, { node_id: nodes[0]?.node_id }]);
          await expectMinuteGroups(reach, 'workloads', [{}, { workload_id: workloads[1]?.id }]);
          await expectMinuteGroups(reach, 'node', [{ decision: ['observed'] }]);
        }
      };
      while (!(await store.upkeep.sum()).done);
      await expectAll();
      await storeLate(11, 80);
      await expectAll();
      while (!(await store.upkeep.sum()).done);
      await expectAll();
    });

    describe('days later', () => {
      const { now } = clock;
      const range = { since: NOW - (NOW % DAY) - 3 * DAY, until: NOW + 2 * DAY };
      const later = range.until + 2 * HOUR;
      afterEach(() => {
        clock.now = now;
      });

      // Minutes that came late are not part of their hour at first.
      const byHour = <T extends { last_seen_at: string }>(row: T): T => ({
        ...row,
        last_seen_at: iso(Date.parse(row.last_seen_at) - (Date.parse(row.last_seen_at) % HOUR)),
      });
      const expectDays = async (reach: FlowReach, filter: FlowFilter) => {
        const selection = makeSelection(reach, filter, { since: iso(range.since), until: iso(range.until) });
        const rows = countAdditions(stored.additions, range, filter, reach, HOUR);
        const { items, sums } = await listGroups(selection, 'hours', { group_by: 'workloads' });
        expectGroups(items.map(byHour), sumGroups(rows, 'workloads', reach), JSON.stringify(selection));
        const counted = rows.filter((row) => row.counted);
        expect(sums).toEqual(addUp(counted));
        const edges = sumEdges(rows, reach);
        const found = readRows((await store.edges(selection, 'hours', { hosts: true })).table).map(byHour);
        expect(inOrder(found, Object.keys(edges[0] ?? {}))).toEqual(inOrder(edges, Object.keys(edges[0] ?? {})));
        await expectBetween(selection, 'hours', edges, byHour);
        const series = await store.series(selection, 'hours', { first: iso(range.since), width: DAY / 1_000 });
        const byDay = (at: number) => Math.floor((at - range.since) / DAY);
        for (const bucket of [0, 1, 2, 3, 4]) {
          const here = series.filter((row) => row.bucket === bucket);
          expect(addUp(here)).toEqual(addUp(counted.filter(({ at }) => byDay(at) === bucket)));
        }
      };

      const tidy = async (time: number) => {
        while (!(await store.upkeep.sum()).done);
        await store.upkeep.retain({ now: time, flow_hours: 400 * 24 });
        while (!(await store.upkeep.sum()).done);
      };

      it('has the same totals by the hour while there are minutes of some hours, and of what comes after that', {
        timeout: 300_000,
      }, async () => {
        const soon = NOW + 23 * HOUR;
        clock.now = () => new Date(soon);
        const expectAll = async () => {
          await expectDays(findReach('everything'), {});
          await expectDays(findReach('everything'), { node_id: inventory.nodes[0]?.node_id });
          await expectDays(findReach('two workloads and one subnet'), { workload_id: inventory.workloads[1]?.id });
        };
        await tidy(soon);
        await expectAll();
        await storeLate(12, 160);
        await expectAll();
        await tidy(soon);
        await expectAll();
      });

      it('has the same totals by the hour, when days have been added up, and of what comes after that', {
        timeout: 300_000,
      }, async () => {
        clock.now = () => new Date(later);
        const ids = inventory.workloads.map(({ id }) => id);
        const [first = '', , second = ''] = ids;
        const at = iso(range.since - HOUR).replace('Z', '000Z');
        // One belonged to its reader before all of this, the other one since then.
        const periods = [
          { workload_id: first, from: null, to: at, name: null },
          { workload_id: second, from: at, to: null, name: null },
        ];
        const expectAll = async (isByHour = true) => {
          await expectDays(findReach('everything'), {});
          await expectDays(findReach('everything'), { node_id: inventory.nodes[0]?.node_id });
          await expectDays({ visible: ids.slice(0, 3), prefixes: [], periods }, { workload_id: second });
          // Within the hour in which they moved.
          if (isByHour) await expectDays(findReach('workloads that moved'), {});
        };
        await tidy(later);
        await expectAll();
        await storeLate(13, 120);
        await expectAll(false);
        await tidy(later);
        await expectAll();
      });
    });
  });
}

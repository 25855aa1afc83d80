import { beforeAll, describe, expect, it } from 'vitest';
import { FLOW_SORTS } from '@/domain/choices';
import type { Flow, FlowListInput } from '@/domain/flow/flow';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import { decodeCursor, encodeCursor } from '@/server/db/keyset';
import type { FlowReach, FlowSelection } from '../flow-selection';
import {
  type ContractEngine,
  getPageSize,
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  storeHistory,
} from './flow-history.fixture';
import {
  isMatch,
  isShown,
  limitToPeriods,
  type OracleFlow,
  replayHeartbeats,
  toShownFlow,
} from './flow-oracle.fixture';
import { EVERYTHING, listFilters, listReaches, makeFlowFilter, READERS } from './selections.fixture';

/** Lists of single flows: what is stored after any heartbeats, for every reader, with every filter and order. */
export function describeFlowContract(name: string, { store, clear, share = 1 }: ContractEngine): void {
  describe(`flows of the flow store: ${name}`, () => {
    let inventory: Inventory;
    let names: ReadonlyMap<string, string>;
    let flows: readonly OracleFlow[];
    let stored: number;

    beforeAll(async () => {
      await clear();
      inventory = await makeInventory();
      names = new Map(inventory.workloads.map((workload) => [workload.id, workload.name]));
      const history = makeHeartbeats(makeConnections(1, 80, inventory), 2, true);
      ({ flows } = replayHeartbeats(history, inventory));
      stored = await storeHistory(store, history, inventory);
    });

    const makeSelection = (
      reach: FlowReach,
      filter: FlowFilter,
      range: Partial<FlowSelection> = {},
    ): FlowSelection => ({
      ...{ ...EVERYTHING, until: null, named: [], ...reach, filter, ...range },
    });
    /** Workloads that moved away have the name of then. */
    const findNames = ({ periods }: FlowReach) =>
      new Map([
        ...names,
        ...periods.flatMap(({ workload_id, name: then }) => (then ? [[workload_id, then] as const] : [])),
      ]);
    const findReach = (reader: string) => listReaches(inventory)[reader] as FlowReach;
    const listAll = async (selection: FlowSelection, input: Partial<FlowListInput> = {}, limit = 500) => {
      const found: Flow[] = [];
      for (let cursor: string | undefined, total = -1; ; ) {
        const page = await store.list(selection, { ...input, limit, cursor } as FlowListInput);
        expect(total < 0 || page.total === total).toBe(true);
        total = page.total;
        found.push(...page.items);
        expect(found.length).toBeLessThanOrEqual(total);
        if (page.next_cursor === null) {
          expect(found.length).toBe(total);
          return found;
        }
        cursor = page.next_cursor;
      }
    };
    const findExpected = ({ filter, since, until, cutoff, ...reach }: FlowSelection) =>
      flows
        .map((flow) => limitToPeriods(flow, reach))
        .filter(
          (flow) =>
            isShown(flow, reach) &&
            isMatch(flow, filter, reach) &&
            iso(flow.at) >= since &&
            iso(flow.at) >= cutoff &&
            (until === null || iso(flow.first) < until),
        );
    const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort();
    const expectFlows = (found: readonly Flow[], selection: FlowSelection) => {
      const expected = findExpected(selection).map((flow) => toShownFlow(flow, selection, findNames(selection)));
      const fields = Object.keys(toShownFlow(flows[0] as OracleFlow, selection, names));
      const shown = found.map((flow) => Object.fromEntries(fields.map((field) => [field, flow[field as keyof Flow]])));
      expect(inOrder(shown), JSON.stringify(selection)).toEqual(inOrder(expected));
      return expected.length;
    };

    it('counts each flow as new once', () => {
      expect(stored).toBe(flows.length);
      expect(flows.length).toBeGreaterThan(150);
    });

    it.each(READERS)('lists what a reader of %s may see, with any filter', async (reader) => {
      const reach = findReach(reader);
      let compared = 0;
      for (const filter of listFilters(3, 40 * share, inventory, makeFlowFilter)) {
        const selection = makeSelection(reach, filter);
        compared += expectFlows(await listAll(selection), selection);
      }
      expect(compared > 0).toBe(reader !== 'nothing');
    });

    it('lists flows that were active in a range, and none that expired', async () => {
      for (const [from, to, cutoff] of [
        [170, 60, 200],
        [120, 119, 200],
        [200, 0, 90],
        [60, 170, 200],
      ] as const) {
        const at = (minutes: number) => iso(NOW - minutes * (HOUR / 60));
        const selection = makeSelection(
          findReach('everything'),
          {},
          { since: at(from), until: at(to), cutoff: at(cutoff) },
        );
        expectFlows(await listAll(selection), selection);
      }
    });

    it.each(FLOW_SORTS.flatMap((sort) => [sort, `-${sort}`]))('pages by %s without gaps', async (sort) => {
      const selection = makeSelection(findReach('two workloads and one subnet'), {});
      const input = { sort } as Partial<FlowListInput>;
      const pages = await listAll(selection, input, getPageSize(7, { share }));
      expect(pages.map(({ id }) => id)).toEqual((await listAll(selection, input)).map(({ id }) => id));
      const streamed: Flow[] = [];
      for await (const batch of store.stream(selection, input)) streamed.push(...batch);
      expect(streamed).toEqual(pages);
      expectFlows(pages, selection);
      const field = sort.replace('-', '') as keyof Flow;
      const values = pages.map((flow) => flow[field]).filter((value) => typeof value === 'number');
      const sorted = [...values].sort((a, b) => (sort.startsWith('-') ? b - a : a - b));
      expect(values).toEqual(sorted);
    });

    it.each(['source_ip', 'destination_ip'])('refuses a cursor with a %s that is no address', async (sort) => {
      const selection = makeSelection(findReach('everything'), {});
      const { next_cursor } = await store.list(selection, { sort, limit: 1 } as FlowListInput);
      const [, id] = decodeCursor(next_cursor ?? '', 'text');
      const cursor = encodeCursor('0:102:304', id);
      const list = store.list(selection, { sort, limit: 1, cursor } as FlowListInput);
      await expect(list).rejects.toMatchObject({ code: 'malformed' });
    });

    it('gives in the tail what was stored since', async () => {
      const selection = makeSelection(findReach('one workload and no subnet'), {});
      const all = await listAll(selection);
      const after = [...all.map(({ updated_at }) => updated_at)].sort()[Math.floor(all.length / 2)] as string;
      const newer = all.filter(({ updated_at }) => updated_at >= after).map(({ id }) => id);
      const tail = (await store.tail(selection, after, 500)).map(({ id }) => id);
      expect(tail.sort()).toEqual(newer.sort());
      expect(newer.length).toBeGreaterThan(3);
      expect(newer.length).toBeLessThan(all.length);
    });

    it('lists the flows of a workload once, as they were seen at its interface', async () => {
      const reach = findReach('everything');
      for (const { id } of inventory.workloads) {
        const selection = { ...makeSelection(reach, { workload_id: id }), mode: 'all' as const };
        const rows = findExpected({ ...selection, filter: { workload_id: id } });
        const seenAt = (flow: OracleFlow) => [flow.connection, flow.source_ip, flow.decision].join(' ');
        const own = rows.filter((flow) => flow.workload_id === id);
        const ownKeys = new Set(own.map(seenAt));
        const other = new Set(rows.map(seenAt).filter((key) => !ownKeys.has(key)));
        const page = await store.insights.list(selection as never, { limit: 500 } as never);
        expect(page.total).toBe(own.length + other.size);
        const summary = await store.insights.summary(selection as never);
        expect(summary.flows).toBe(own.length + other.size);
        expect(summary.bytes).toBe(page.items.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0));
        const ownRows = page.items.filter((flow) => flow.workload_id === id).map(({ bytes }) => bytes ?? -1);
        expect(ownRows.sort()).toEqual(own.map(({ bytes }) => bytes ?? -1).sort());
      }
    });
  });
}

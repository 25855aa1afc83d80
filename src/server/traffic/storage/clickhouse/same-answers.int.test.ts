import { beforeAll, describe, expect, it } from 'vitest';
import { FLOW_GROUPINGS } from '@/domain/choices';
import type { Condition } from '@/domain/filter-language/condition';
import { db } from '@/server/db/client';
import {
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  storeHistory,
} from '../contract/flow-history.fixture';
import { EVERYTHING, listReaches } from '../contract/selections.fixture';
import type { FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { postgresFlowStore } from '../postgres/postgres-flow-store';
import { makeClickhouseFlowStore } from './clickhouse-flow-store';
import { startTestClickhouse } from './test-clickhouse.fixture';

const { server, connection } = await startTestClickhouse();

const OPAQUE = ['id', 'flow_key', 'group_id'];
const comparable = (value: unknown): string =>
  JSON.stringify(value, (key, item) => {
    if (OPAQUE.includes(key)) return undefined;
    if (typeof item === 'number') return Math.round(item * 1e4) / 1e4;
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
const inAnyOrder = (rows: readonly unknown[]) => rows.map(comparable).sort();

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of stream) all.push(part);
  return all;
}

/** What the contract has no oracle for: of the same reports both engines say the same. */
describe.skipIf(server === null)('answers of ClickHouse and of PostgreSQL', () => {
  const engines: readonly FlowStore[] = [postgresFlowStore, makeClickhouseFlowStore(connection, { gap_ms: 0 })];
  let inventory: Inventory;

  beforeAll(async () => {
    inventory = await makeInventory();
    const history = makeHeartbeats(makeConnections(21, 120, inventory), 22, true);
    for (const store of engines) await storeHistory(store, history, inventory);
  });

  const expectSame = async (ask: (store: FlowStore) => Promise<readonly unknown[]>, why = '') => {
    const [expected, found] = [await ask(engines[0] as FlowStore), await ask(engines[1] as FlowStore)];
    expect(inAnyOrder(found), why).toEqual(inAnyOrder(expected));
    return expected.length;
  };
  const forReaders = async (
    ask: (store: FlowStore, reach: FlowReach) => Promise<readonly unknown[]>,
    isAsked = (_place: number) => true,
  ) => {
    let count = 0;
    for (const [place, [name, reach]] of Object.entries(listReaches(inventory)).entries()) {
      if (!isAsked(place)) continue;
      count += await expectSame((store) => ask(store, reach), name);
    }
    expect(count).toBeGreaterThan(0);
  };
  const range = () => ({ ...EVERYTHING, named: [], filter: {} });

  it('agree about flows to sensitive ports', async () => {
    await forReaders((store, reach) => store.suspicious({ ...reach, ...EVERYTHING }, []));
    await forReaders((store, reach) => store.suspicious({ ...reach, ...EVERYTHING }, ['10.7.0.0/24']));
    await expectSame((store) => store.sensitiveSources());
  });

  it.each(['flows', 'hours'] as const)('contain the same conversations to replay, from %s', async (source) => {
    for (const exact_callers of [true, false]) {
      const at = inventory.workloads.map(({ id }) => id);
      const read = (store: FlowStore, reach: FlowReach) =>
        collect(store.replay({ ...reach, ...EVERYTHING, at, exact_callers }, source));
      const reach: FlowReach = { visible: at, prefixes: ['10.8.0.0/24'], periods: [] };
      const count = await expectSame(async (store) => (await read(store, reach)).flatMap((part) => part.conversations));
      expect(count).toBeGreaterThan(20);
    }
  });

  it('agree about what became of conversations', async () => {
    const workload_ids = inventory.workloads.slice(0, 3).map(({ id }) => id);
    for (const minutes of [30, 90, 150]) {
      const applied_at = iso(NOW - minutes * 60_000);
      const written_at = iso(NOW - (minutes - 5) * 60_000);
      const asked = { workload_ids, periods: [], since: EVERYTHING.since, applied_at, written_at };
      await expectSame(async (store) => {
        const { listed, ...counts } = await store.watch(asked);
        return [counts, ...listed];
      });
    }
  });

  it('agree about single workloads', async () => {
    const modes = ['all', 'inbound', 'outbound', 'internal', 'external', 'denied'] as const;
    for (const [i, mode] of modes.entries()) {
      const workload_id = inventory.workloads[i % 4]?.id ?? '';
      const selection = {
        ...range(),
        visible: 'all' as const,
        prefixes: 'all' as const,
        periods: [],
        mode,
        filter: { workload_id },
      };
      await expectSame(async (store) => (await store.insights.list(selection, { limit: 500 } as never)).items, mode);
      await expectSame(async (store) => [await store.insights.summary(selection)], mode);
      await expectSame(async (store) => (await collect(store.insights.facts(selection))).flat(), mode);
      await expectSame(async (store) => {
        const parts = await collect(store.insights.stream(selection, true));
        return parts.flatMap((part) =>
          'summary' in part
            ? [part.summary]
            : part.flows.map(({ json, ...rest }) => ({ ...rest, ...JSON.parse(`${json}}`) })),
        );
      }, mode);
      await expectSame(async (store) => [await store.insights.traffic(selection, 'minutes')], mode);
    }
  });

  it('contain the same pairs of conversations', async () => {
    for (const { id } of inventory.workloads) {
      const text = { condition: undefined, resolved: new Map(), now: iso(NOW + HOUR), actions: undefined };
      const selection = { ...range(), visible: [id], prefixes: [], periods: [], ...text };
      await expectSame(async (store) => {
        const { pairs, held_out_since, left_out } = await store.conversations.pairs(selection, {
          at: [id],
          training_share: 0.7,
          most: 50,
        });
        return [{ left_out, held_out: held_out_since && Date.parse(held_out_since) }, ...pairs];
      });
    }
  });

  it('contain the same flows that rules are counted for', async () => {
    for (const { node_id } of inventory.nodes) {
      for (const updated_from of [null, iso(NOW - HOUR)]) {
        const span = {
          node_id,
          from: iso(NOW - 3 * HOUR),
          until: iso(NOW + HOUR),
          updated_from,
          observed_from: EVERYTHING.since,
        };
        const count = await expectSame((store) =>
          db.transaction(async (tx) => (await collect(store.hits.uncounted(tx, span))).flat()),
        );
        expect(count).toBeGreaterThan(20);
      }
    }
  });

  const compare = (field: string, operator: '>' | '=' | '!=', ...values: string[]): Condition =>
    ({ kind: 'compare', field, operator, values }) as Condition;
  const CONDITIONS: readonly Condition[] = [
    compare('bytes', '>', '4000'),
    compare('action', '!=', 'allowed'),
    compare('service', '=', 'tcp/443'),
    compare('end', '=', '203.0.0.0/24', '::/0'),
    compare('state', '=', 'ended'),
    { kind: 'not', of: compare('duration', '>', '120') } as Condition,
    { kind: 'and', of: [compare('port', '=', '22-500'), compare('client', '=', 'internal')] } as Condition,
  ];

  it.each(CONDITIONS.map((condition, i) => [JSON.stringify(condition), condition, i] as const))(
    'agree for the filter %s',
    async (_, condition, which) => {
      // Each grouping, and each reader but the first, with some of the filters: a statement of ClickHouse takes long to analyze.
      const groupings = FLOW_GROUPINGS.filter((_grouping, i) => (i + which) % 4 === 0);
      const isAsked = (place: number) => place === 0 || (place + which) % 2 === 0;
      const text = { condition, resolved: new Map(), now: iso(NOW + HOUR) };
      await forReaders(async (store, reach) => {
        const selection = { ...range(), ...reach, conversations: text };
        const found: unknown[] = [];
        found.push(...(await store.list(selection, { limit: 500 } as never)).items);
        for (const group_by of groupings) {
          const { items, sums, total } = await store.groups(selection, 'flows', { group_by, limit: 100 } as never);
          found.push(sums, total, ...items);
        }
        found.push(...(await store.spans(selection, { first: EVERYTHING.since, width: 3600 })));
        return found;
      }, isAsked);
    },
  );

  it('agree for words that are searched', async () => {
    for (const q of ['tcp', '443', '10.7.0', 'ESTABLISHED', 'tap-', 'nothing']) {
      await expectSame(async (store) => {
        const selection = { ...range(), visible: 'all' as const, prefixes: 'all' as const, periods: [], filter: { q } };
        return (await store.list(selection, { limit: 500 } as never)).items;
      }, q);
    }
  });
});

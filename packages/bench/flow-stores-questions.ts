import { randomUUID } from 'node:crypto';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { FlowGrouping } from '@/domain/flow/flow-sums';
import { planRange } from '@/domain/flow/plan-range';
import type { DatabaseUse } from '@/server/db/client';
import type { BoundedSelection, ConversationSelection, FlowSelection } from '@/server/traffic/storage/flow-selection';
import type { FlowStore } from '@/server/traffic/storage/flow-store';
import type { Inventory } from './flow-stores-environment';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const RETENTION_HOURS = 400 * 24;

/** Which bar a question has: at most a quarter of PostgreSQL's time, as much, or twice as much. */
export type Bar = 'raw' | 'other' | 'insights';
export type Question = {
  name: string;
  bar: Bar;
  /** Over which connections of PostgreSQL the page asks it. */
  use: DatabaseUse;
  /** @returns how much was found, which has to be the same for both engines */
  ask: (store: FlowStore) => Promise<number | string>;
};

const iso = (ms: number) => new Date(ms).toISOString();
const count = async (parts: AsyncIterable<unknown>, size: (part: never) => number): Promise<number> => {
  let total = 0;
  for await (const part of parts) total += size(part as never);
  return total;
};

/** What pages ask for, of a store that was filled up to `now`. */
export function makeSelections(now: number) {
  const select = (filter: FlowFilter, since: number, until: number | null = null): FlowSelection => ({
    ...{ visible: 'all', prefixes: 'all', periods: [], named: [], filter },
    ...{ cutoff: iso(now - RETENTION_HOURS * HOUR_MS), since: iso(since), until: until === null ? null : iso(until) },
  });
  const bounded = (selection: FlowSelection, since: number, until: number): BoundedSelection => ({
    ...selection,
    ...{ since: iso(since), until: iso(until) },
  });
  /** As the pages of totals plan them. */
  const planned = (filter: FlowFilter, since: number, summed = true) => {
    const plan = planRange({ since, until: now }, { now, retentionHours: RETENTION_HOURS, summed });
    const selection = bounded(select(filter, since), plan.since, plan.until);
    const buckets = {
      first: iso(Math.floor(plan.since / (plan.bucket_seconds * 1000)) * plan.bucket_seconds * 1000),
      width: plan.bucket_seconds,
    };
    return {
      selection,
      source: plan.source,
      totals: plan.source === 'hours' ? ('hours' as const) : ('minutes' as const),
      buckets,
    };
  };
  const conversations = (
    filter: FlowFilter,
    since: number,
    actions?: ConversationSelection['actions'],
  ): ConversationSelection => ({
    ...select(filter, since),
    ...{ condition: undefined, resolved: new Map(), now: iso(now), actions },
  });
  return { select, planned, conversations };
}

const PAGE = 100;

export function listQuestions({ nodes, workloads }: Inventory, now: number): Question[] {
  const { select, planned, conversations } = makeSelections(now);
  const [day, hour] = [now - DAY_MS, now - HOUR_MS];
  /** One with as much traffic as most, and the one with the most. */
  const [workload, busiest] = [workloads[341] as string, workloads[0] as string];

  const page = (name: string, selection: FlowSelection, sort?: '-bytes'): Question => ({
    ...{ name: `list: ${name}`, bar: 'raw', use: 'reads' },
    ask: async (store) => (await store.list(selection, { limit: PAGE, sort } as never)).total ?? 0,
  });
  const deep: Question = {
    ...{ name: 'list: a day, page in the middle', bar: 'raw', use: 'reads' },
    ask: async (store) => {
      const before = await findMiddle(store);
      const { items } = await store.list(select({}, day), { limit: PAGE, cursor: before } as never);
      return items.length;
    },
  };
  const cursors = new Map<FlowStore, string | null>();
  const findMiddle = async (store: FlowStore) => {
    if (!cursors.has(store)) {
      const until = now - DAY_MS / 2;
      cursors.set(store, (await store.list(select({}, until - 60_000, until), { limit: PAGE } as never)).next_cursor);
    }
    return cursors.get(store) ?? undefined;
  };
  const groups = (
    name: string,
    filter: FlowFilter,
    group_by: FlowGrouping,
    since: number,
    { summed = true, narrow = (selection: BoundedSelection) => selection } = {},
  ): Question => {
    const { selection, source } = planned(filter, since, summed);
    return {
      ...{ name: `groups: ${name}`, bar: 'raw', use: 'heavy' },
      ask: async (store) => {
        const { total, sums } = await store.groups(narrow(selection), source, { group_by, limit: PAGE } as never);
        return `${total} ${sums.bytes}`;
      },
    };
  };
  const conversationPage = (name: string, selection: ConversationSelection, sort?: '-bytes'): Question => ({
    ...{ name: `conversations: ${name}`, bar: 'other', use: 'reads' },
    ask: async (store) => (await store.conversations.list(selection, { limit: PAGE, sort })).total ?? 0,
  });
  const edges = (name: string, filter: FlowFilter, narrowed?: Parameters<FlowStore['edges']>[2]): Question => {
    const { selection, totals } = planned(filter, day);
    return {
      name: `map: ${name}`,
      bar: 'raw',
      use: 'heavy',
      ask: async (store) => (await store.edges(selection, totals, narrowed)).table.size,
    };
  };
  const selectWorkload = (workload_id: string, since: number) => ({
    ...select({}, since),
    ...{ filter: { workload_id }, mode: 'all' as const },
  });
  const other = (name: string, ask: Question['ask'], use: DatabaseUse = 'heavy'): Question => ({
    name,
    bar: 'other',
    use,
    ask,
  });
  const insight = (name: string, ask: Question['ask']): Question => ({
    name: `insights: ${name}`,
    bar: 'insights',
    use: 'heavy',
    ask,
  });
  const dayOf = planned({}, day);
  const all = { visible: 'all' as const, prefixes: 'all' as const, periods: [] };
  const NIL = '00000000-0000-0000-0000-000000000000';
  /** A reader of a large tenant, which had no traffic of most of its workloads. */
  const others = Array.from({ length: 5_000 - workloads.length / 2 }, () => randomUUID());
  const reach = { visible: [...workloads.slice(0, workloads.length / 2), ...others], prefixes: ['10.0.0.0/8'] };
  const ofReader = <T>(selection: T): T => ({ ...selection, ...reach });

  return [
    page('an hour', select({}, hour)),
    page('a day', select({}, day)),
    page('a day, by bytes', select({}, day), '-bytes'),
    deep,
    page('a day, one workload', select({ workload_id: workload }, day)),
    page('a day, one port', select({ port: [{ first: 6379, last: 6379 }] }, day)),
    page('a day, dropped', select({ decision: ['drop'] }, day)),
    page('a day, a network', select({ address: '203.0.5.0/24' }, day)),
    page('an hour, a word', select({ q: 'ESTABLISHED' }, hour)),
    page('an hour, of 5,000 workloads', ofReader(select({}, hour))),
    groups('a day, workloads', {}, 'workloads', day),
    groups('a day, services', {}, 'service', day),
    groups('a day, nodes', {}, 'node', day),
    groups('a day, dropped by workloads', { decision: ['drop'] }, 'workloads', day),
    groups('an hour, workloads', {}, 'workloads', hour),
    groups('an hour, of 5,000 workloads', {}, 'workloads', hour, { narrow: ofReader }),
    groups('a day, sources', {}, 'source', day, { summed: false }),
    groups('an hour, sources', {}, 'source', hour, { summed: false }),
    edges('a day', {}, { hosts: true }),
    edges('a day, one workload', { workload_id: workload }),
    edges('a day, from outside', {}, { from_outside: true, most: 2001 }),
    other(
      'tail: five minutes',
      async (store) => (await store.tail(select({}, hour), iso(now - 300_000), 300)).length,
      'reads',
    ),
    conversationPage('an hour', conversations({}, hour)),
    conversationPage('an hour, of 5,000 workloads', ofReader(conversations({}, hour))),
    conversationPage('a day', conversations({}, day)),
    conversationPage('a day, by bytes', conversations({}, day), '-bytes'),
    conversationPage('a day, one workload', conversations({ workload_id: workload }, day)),
    conversationPage('a day, dropped', conversations({}, day, ['dropped'])),
    conversationPage('a day, one port', conversations({ port: [{ first: 6379, last: 6379 }] }, day)),
    other('conversations: pairs of a workload, a day', async (store) => {
      const asked = { at: [workload], training_share: 0.7, most: 500 };
      return (await store.conversations.pairs(conversations({}, day), asked)).pairs.length;
    }),
    other(
      'settled: five minutes',
      async (store) => {
        const after = { due_at: iso(now - 1_500_000), id: NIL };
        return (await store.settled.list(all, { after, until: iso(now - 1_200_000) }, 100_000)).length;
      },
      'work',
    ),
    other(
      'settled: count of an hour',
      (store) => {
        const after = { due_at: iso(now - 2 * HOUR_MS), id: NIL };
        return store.settled.count(all, { after, until: iso(now - HOUR_MS) });
      },
      'work',
    ),
    other('series: a day', async (store) => (await store.series(dayOf.selection, dayOf.totals, dayOf.buckets)).length),
    other('series: a day, one workload', async (store) => {
      const { selection, totals, buckets } = planned({ workload_id: workload }, day);
      return (await store.series(selection, totals, buckets)).length;
    }),
    other('series: a day, a network, from flows', async (store) => {
      const { selection, buckets } = planned({ address: '203.0.5.0/24' }, day, false);
      return (await store.spans(selection, buckets)).length;
    }),
    other('suspicious: a day', async (store) => (await store.suspicious({ ...all, ...select({}, day) }, [])).length),
    other('suspicious: sources', async (store) => (await store.sensitiveSources()).length),
    insight(
      'list',
      async (store) => (await store.insights.list(selectWorkload(workload, day), { limit: PAGE } as never)).total ?? 0,
    ),
    insight('summary', async (store) => {
      const { flows, bytes, conversations: opened } = await store.insights.summary(selectWorkload(workload, day));
      return `${flows} ${bytes} ${opened}`;
    }),
    insight('all flows of a day', (store) =>
      count(
        store.insights.stream(selectWorkload(workload, day), false),
        (part: { flows?: unknown[] }) => part.flows?.length ?? 0,
      ),
    ),
    insight('facts of a day', (store) =>
      count(store.insights.facts(selectWorkload(workload, day)), (part: unknown[]) => part.length),
    ),
    insight('traffic of a day', async (store) => {
      const { selection, totals } = planned({ workload_id: workload }, day);
      return (await store.insights.traffic({ ...selection, filter: { workload_id: workload } }, totals)).bytes;
    }),
    insight(
      'summary, busiest workload',
      async (store) => (await store.insights.summary(selectWorkload(busiest, day))).flows,
    ),
    other(
      'replay: 32 workloads, a day',
      (store) => {
        const { selection } = planned({}, day, false);
        const asked = { ...selection, at: workloads.slice(300, 332), exact_callers: false };
        return count(store.replay(asked, 'flows'), (part: { conversations: unknown[] }) => part.conversations.length);
      },
      'work',
    ),
    other('watch: ten workloads', async (store) => {
      const times = {
        since: iso(day),
        applied_at: iso(now - 2 * HOUR_MS),
        written_at: iso(now - 2 * HOUR_MS + 60_000),
      };
      const found = await store.watch({ workload_ids: workloads.slice(300, 310), periods: [], ...times });
      return found.opened_anew;
    }),
    other(
      'rule hits: new flows of a node, ten minutes',
      async (store) => {
        const { db } = await import('@/server/db/client');
        const span = {
          node_id: nodes[3] as string,
          from: iso(now - 600_000),
          until: iso(now),
          updated_from: iso(now - 600_000),
          observed_from: iso(hour),
        };
        return db.transaction((tx) => count(store.hits.uncounted(tx, span), (part: unknown[]) => part.length));
      },
      'work',
    ),
  ];
}

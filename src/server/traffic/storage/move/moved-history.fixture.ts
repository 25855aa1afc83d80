import { readRows } from '@/domain/topology/conversation-table';
import { db } from '@/server/db/client';
import {
  type Heartbeat,
  type Connection as HistoryConnection,
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  NOW,
  OTHER_SUBNET,
  SUBNET,
  toValidFlow,
} from '../contract/flow-history.fixture';
import { EVERYTHING, listReaches } from '../contract/selections.fixture';
import type { BucketSum, EndResolver, FlowNode, SettledConversation, ValidFlow } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import type { FlowStore } from '../flow-store';

/** Older than what is kept by the minute, and than what an agent keeps. */
const OLD_MS = 30 * HOUR;
const LATE_ADDRESS = '10.8.0.1';

const makeOlder = (connection: HistoryConnection): HistoryConnection => ({
  ...connection,
  begin: connection.begin - OLD_MS,
  reports: connection.reports.map((report) => ({ ...report, at: report.at - OLD_MS })),
});

/** Heartbeats of a day and a half, late ones among them: first those of the day before, then those of now in any order. */
export function makeMovedHistory(seed: number, count: number, inventory: Inventory): Heartbeat[] {
  const all = makeConnections(seed, count, inventory);
  const old = all.filter((_, i) => i % 4 === 0).map(makeOlder);
  const newer = all.filter((_, i) => i % 4 !== 0);
  return [...makeHeartbeats(old, seed, false), ...makeHeartbeats(newer, seed, true)].map((heartbeat, i) => ({
    ...heartbeat,
    now: iso(NOW - 3 * 60_000 + i),
  }));
}

/** Some agents report no differences, and some ends may turn out to be workloads. */
function toFlows({ seen }: Heartbeat, inventory: Inventory): ValidFlow[] {
  return seen
    .map(({ connection, report }) => {
      const flow = toValidFlow(connection, report, inventory);
      const onlyTotals = connection.client.port % 2 === 0 && { delta_bytes: null, delta_packets: null };
      const ends = [connection.client.ip, connection.server.ip];
      return { ...flow, ...onlyTotals, is_resolvable: ends.includes(LATE_ADDRESS) };
    })
    .sort((a, b) => (a.record.flow_key < b.record.flow_key ? -1 : 1));
}

/** Heartbeats that come before what was committed is waited for. */
const TOGETHER = 8;

/**
 * Stores heartbeats one after the other.
 * @param leavesAt before which of them a workload goes to another tenant
 * @returns how many flows were new
 */
export async function storeMovedHistory(
  store: FlowStore,
  heartbeats: readonly Heartbeat[],
  inventory: Inventory,
  leavesAt: readonly Heartbeat[],
): Promise<number> {
  let stored = 0;
  for (const [i, heartbeat] of heartbeats.entries()) {
    if (leavesAt.includes(heartbeat)) {
      await db.transaction((tx) => store.endFlows(tx, [inventory.workloads[1]?.id ?? '']));
    }
    const node = inventory.nodes[heartbeat.node] as FlowNode;
    const flows = toFlows(heartbeat, inventory);
    stored += await db.transaction((tx) => store.append(tx, node, flows, heartbeat.now));
    if (i % TOGETHER === 0 || i === heartbeats.length - 1) await store.deliver(null);
  }
  return stored;
}

/** Fills in an address that is learned afterwards, by a walk through everything. */
export async function fillLearnedEnds(store: FlowStore, { workloads }: Inventory): Promise<void> {
  const findId = (ip: string) =>
    workloads.find((one) => one.ip === ip)?.id ?? (ip === LATE_ADDRESS ? (workloads[3]?.id ?? null) : null);
  const findCidr = (ip: string) => (ip.startsWith('10.7.') ? SUBNET : ip.startsWith('10.8.') ? OTHER_SUBNET : null);
  const resolver: EndResolver = {
    endsOf: ({ source_ip, destination_ip, workload_id }) => ({
      ...{ source_workload_id: findId(source_ip), destination_workload_id: findId(destination_ip), workload_id },
      ...{ source_cidr: findCidr(source_ip), destination_cidr: findCidr(destination_ip), is_resolvable: () => false },
    }),
    ...{ observerOf: () => null, subnetAround: () => null, subnetsAmong: () => [SUBNET, OTHER_SUBNET] },
  };
  for (let position = null, steps = 0; steps < 100; steps++) {
    const step = await store.upkeep.resolveEnds(resolver, null, position);
    if (step.position === null) return;
    position = step.position as never;
  }
  throw new Error('expected the walk to end');
}

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of stream) all.push(part);
  return all;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
const OPAQUE = ['id', 'flow_key', 'group_id', 'due_at', 'revision'];
const comparable = (value: unknown): string =>
  JSON.stringify(value, (key, item) => {
    if (OPAQUE.includes(key)) return undefined;
    if (typeof item === 'number') return Math.round(item * 1e4) / 1e4;
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

const everything: FlowReach = { visible: 'all', prefixes: 'all', periods: [] };

/** What is forwarded. */
export const listSettled = (store: FlowStore): Promise<SettledConversation[]> =>
  store.settled.list(everything, { after: { due_at: iso(0), id: NO_ID }, until: iso(NOW + 9 * HOUR) }, 500);

/** Readers that the answers are for. */
const SHOWN_TO = ['everything', 'workloads that moved'];

/** What the operations of a store say, in any order and without ids. */
export async function readAnswers(store: FlowStore, inventory: Inventory): Promise<Record<string, string[]>> {
  const answers: Record<string, string[]> = {};
  const note = async (name: string, rows: Promise<readonly unknown[]>) => {
    answers[name] = (await rows).map(comparable).sort();
  };
  const since = iso(NOW - 48 * HOUR);
  const range = { since, until: iso(NOW + HOUR), cutoff: since, named: [], filter: {} };
  const text = { condition: undefined, resolved: new Map(), now: iso(NOW + HOUR), actions: undefined };
  const ids = inventory.workloads.map(({ id }) => id);
  for (const [reader, reach] of Object.entries(listReaches(inventory)).filter(([name]) => SHOWN_TO.includes(name))) {
    const selection = { ...range, ...reach };
    await note(
      `list, ${reader}`,
      store.list(selection, { limit: 500 } as never).then(({ items }) => items),
    );
    const conversations = store.conversations.list({ ...selection, ...text }, { limit: 500 });
    await note(
      `conversations, ${reader}`,
      conversations.then(({ items }) => items),
    );
    const edges = store.edges({ ...selection, ...EVERYTHING }, 'minutes', { hosts: true });
    await note(
      `map, ${reader}`,
      edges.then(({ table }) => readRows(table)),
    );
  }
  const all = { ...range, ...everything };
  for (const group_by of ['workloads', 'service'] as const) {
    const groups = store.groups(all, 'flows', { group_by, limit: 500 } as never);
    await note(
      `groups by ${group_by}`,
      groups.then(({ items, sums }) => [sums, ...items]),
    );
  }
  const minutes = store.groups({ ...all, ...EVERYTHING }, 'minutes', { group_by: 'workloads', limit: 500 } as never);
  await note(
    'groups of minutes',
    minutes.then(({ items, sums }) => [sums, ...items]),
  );
  // PostgreSQL has a minute of a late report that added nothing, ClickHouse has none: both show the same chart.
  const counted = (rows: Promise<BucketSum[]>) =>
    rows.then((all) => all.filter(({ bytes, packets, flows }) => bytes + packets + flows > 0));
  const minutely = { first: since, width: 60 };
  await note('minutes', counted(store.series({ ...all, ...EVERYTHING }, 'minutes', minutely)));
  await note('hours', counted(store.series(all, 'hours', { first: since, width: 3600 })));
  await note('flows over time', store.spans(all, { first: since, width: 3600 }));
  await note('suspicious flows', store.suspicious({ ...everything, ...range }, ['10.7.0.0/24']));
  const replay = collect(store.replay({ ...range, ...everything, at: ids, exact_callers: true }, 'flows'));
  await note(
    'replay',
    replay.then((parts) => parts.flatMap(({ conversations }) => conversations)),
  );
  const watched = { workload_ids: ids, periods: [], since, applied_at: iso(NOW - HOUR), written_at: iso(NOW - HOUR) };
  await note(
    'watch',
    store.watch(watched).then(({ listed, ...counts }) => [counts, ...listed]),
  );
  const pairs = store.conversations.pairs({ ...all, ...text }, { at: ids, training_share: 0.7, most: 500 });
  await note(
    'pairs',
    pairs.then(({ pairs: rows, left_out }) => [left_out, ...rows]),
  );
  const span = { from: since, until: iso(NOW + HOUR), updated_from: null, observed_from: since };
  for (const { node_id } of inventory.nodes) {
    const uncounted = db.transaction((tx) => collect(store.hits.uncounted(tx, { node_id, ...span })));
    await note(
      `uncounted flows of ${node_id}`,
      uncounted.then((parts) => parts.flat()),
    );
  }
  await note('settled conversations', listSettled(store));
  while (!(await store.upkeep.sum()).done);
  const parts = [{ bucket_seconds: 3600, since: NOW - 48 * HOUR, until: NOW + HOUR }] as const;
  await note('talkers', store.talkers.byWorkload(parts));
  return answers;
}

import { describe, expect, it } from 'vitest';
import { FLOW_GROUPINGS } from '@/domain/choices';
import type { FlowListInput } from '@/domain/flow/flow';
import type { CountedSource, FlowGroupsInput } from '@/domain/flow/flow-sums';
import { readRows } from '@/domain/topology/conversation-table';
import { getRunCount } from '@/test/thorough';
import type { BoundedSelection, FlowReach } from '../flow-selection';
import {
  type Connection,
  type ContractEngine,
  findObserver,
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  OTHER_SUBNET,
  storeHistory,
} from './flow-history.fixture';
import { EVERYTHING, listFilters, makeFilter, makeFlowFilter } from './selections.fixture';

/** Everything that a reader can ask of an engine. */
async function readAll(
  { store, share }: Required<Pick<ContractEngine, 'store' | 'share'>>,
  reach: FlowReach,
  inventory: Inventory,
  seed: number,
) {
  const answers: Record<string, unknown> = {};
  const toSelection = (filter: object): BoundedSelection => ({ ...EVERYTHING, named: [], ...reach, filter });
  const buckets = { first: EVERYTHING.since, width: 300 };
  const toConversations = (filter: object) => ({
    ...toSelection(filter),
    ...{ condition: undefined, resolved: new Map(), now: EVERYTHING.until, actions: undefined },
  });
  let turn = 0;
  const readGroups = async (filter: object, source: CountedSource) => {
    for (const [i, group_by] of FLOW_GROUPINGS.entries()) {
      // Without a filter all of them, with one a part of them in turn.
      if (Object.keys(filter).length > 0 && (i + turn) % Math.round(1 / share) > 0) continue;
      if (source !== 'flows' && (group_by === 'source' || group_by === 'destination')) continue;
      const input = { group_by, limit: 4 } as FlowGroupsInput;
      const page = await store.groups(toSelection(filter), source, input);
      const ids = page.items.map(({ id }) => id);
      const heaviest = await store.groupConversations(toSelection(filter), source, group_by, { ids, most: 3 });
      answers[`groups ${source} ${group_by} ${JSON.stringify(filter)}`] = [page, heaviest];
    }
    turn += 1;
  };
  const flowFilters = listFilters(seed, 6 * share, inventory, makeFlowFilter);
  for (const filter of [{}, ...flowFilters]) {
    const name = JSON.stringify(filter);
    answers[`list ${name}`] = await store.list(toSelection(filter), { limit: 20 } as FlowListInput);
    answers[`tail ${name}`] = await store.tail(toSelection(filter), EVERYTHING.cutoff, 20);
    answers[`spans ${name}`] = await store.spans(toSelection(filter), buckets);
    // Their ids are hashes of what they join: opaque, and the last thing by which they are sorted.
    const page = await store.conversations.list(toConversations(filter), { limit: 500, sort: '-bytes' });
    answers[`conversations ${name}`] = page.items.map(({ id: _, ...row }) => row);
    await readGroups(filter, 'flows');
  }
  const start = { due_at: iso(NOW), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const span = { after: start, until: new Date(Date.now() + HOUR).toISOString() };
  const settled = await store.settled.list(reach, span, 500);
  // When it was stored differs between histories.
  const lasting = settled.map(({ id: _, due_at: __, revision: ___, ...row }) => row);
  answers.settled = [lasting, await store.settled.count(reach, span)];
  for (const filter of [{}, ...listFilters(seed, 6 * share, inventory, makeFilter)]) {
    const name = JSON.stringify(filter);
    answers[`series ${name}`] = await store.series(toSelection(filter), 'hours', buckets);
    answers[`edges ${name}`] = readRows((await store.edges(toSelection(filter), 'minutes', { hosts: true })).table);
    await readGroups(filter, 'minutes');
  }
  for (const { id } of inventory.workloads) {
    const filter = { workload_id: id };
    const selection = { ...toSelection(filter), filter, mode: 'all' as const };
    answers[`insights of ${id}`] = await store.insights.list(selection, { limit: 20 } as FlowListInput as never);
    answers[`summary of ${id}`] = await store.insights.summary(selection);
    answers[`traffic of ${id}`] = await store.insights.traffic(selection, 'minutes');
    const scope = { at: [id], training_share: 0.7, most: 50 };
    if (reach.visible !== 'all' && reach.visible.includes(id)) {
      answers[`pairs of ${id}`] = await store.conversations.pairs(toConversations(filter), scope);
    }
  }
  const range = { cutoff: EVERYTHING.cutoff, since: EVERYTHING.since, until: EVERYTHING.until };
  answers.suspicious = await store.suspicious({ ...reach, ...range }, []);
  return answers;
}

/** In which order parts of flows were added up shows in the last digits of their sum, and rows without an order come in any. */
const toComparable = (answer: unknown): unknown => {
  const toText = (row: unknown) =>
    JSON.stringify(row, (_, value) => (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value));
  return Array.isArray(answer) ? answer.map(toText).sort() : toText(answer);
};

/** Reads show nothing of what their reader may not see: neither which traffic there is nor who is at the other end. */
export function describePrivateContract(name: string, { store, clear, share = 1 }: ContractEngine): void {
  describe(`reach of the flow store: ${name}`, () => {
    const isVisibleTo = (connection: Connection, which: number, inventory: Inventory) => {
      const ends = [connection.client.workload, connection.server.workload];
      const isSeen = (node: number) => findObserver(connection, node, inventory) === inventory.workloads[which]?.id;
      return ends.includes(which) || (ends.every((end) => end === null) && connection.nodes.some(isSeen));
    };

    const toReach = ({ workloads }: Inventory): FlowReach => ({
      ...{ visible: [workloads[0]?.id ?? ''], prefixes: [OTHER_SUBNET], periods: [] },
    });
    const storeOnly = async (connections: readonly Connection[], inventory: Inventory, seed: number) => {
      await clear();
      await storeHistory(store, makeHeartbeats(connections, seed, false), inventory);
    };

    it('gives the same answers whatever happens that the reader may not see', { timeout: 300_000 }, async () => {
      for (let seed = 1; seed <= Math.ceil(getRunCount(2, 12) * share); seed++) {
        const inventory = await makeInventory();
        const [own, ...others] = inventory.workloads;
        if (!own) throw new Error('expected workloads');
        const visible = makeConnections(seed, 40, inventory).filter((one) => isVisibleTo(one, 0, inventory));
        const hidden = [seed + 100, seed + 200].map((other) =>
          makeConnections(other, 30, inventory)
            .filter((one) => !isVisibleTo(one, 0, inventory))
            .slice(0, other > 200 ? 20 : 5),
        );
        // The workloads at the other ends are other ones, too.
        const turned = others.map((workload, i) => {
          const { id, name: called } = others[(i + 1) % others.length] ?? workload;
          return { ...workload, id, name: called };
        });
        const read = () => readAll({ store, share }, toReach(inventory), inventory, seed);
        await storeOnly([...visible, ...(hidden[0] ?? [])], inventory, seed);
        const before = await read();
        const swapped = { ...inventory, workloads: [own, ...turned] };
        await storeOnly([...visible, ...(hidden[1] ?? [])], swapped, seed);
        const after = await read();
        expect(visible.length).toBeGreaterThan(5);
        for (const [question, answer] of Object.entries(before)) {
          expect(toComparable(after[question]), question).toEqual(toComparable(answer));
        }
        // What the reader may see does make a difference.
        await storeOnly(visible.slice(1), inventory, seed);
        const selection = { ...EVERYTHING, named: [], ...toReach(inventory), filter: {} };
        expect(await store.list(selection, { limit: 20 } as FlowListInput)).not.toEqual(before['list {}']);
      }
    });
  });
}

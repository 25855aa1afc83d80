import { beforeAll, describe, expect, it } from 'vitest';
import { CONVERSATION_SORTS } from '@/domain/choices';
import type { ConversationListInput } from '@/domain/flow/conversation';
import type { FlowListInput } from '@/domain/flow/flow';
import { computeConversations, type SeenDirection } from '../../flows/testing/conversation-oracle.fixture';
import type { ConversationRow } from '../flow-rows';
import type { ConversationSelection, FlowReach } from '../flow-selection';
import {
  type Connection,
  type ContractEngine,
  findObserver,
  getPageSize,
  type HistoryEnd,
  type Inventory,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  storeHistory,
} from './flow-history.fixture';
import { isShown, maskWorkload } from './flow-oracle.fixture';
import { EVERYTHING, listReaches, READERS } from './selections.fixture';

/** What belonged to a reader for a time only is checked over the API (`moves.int.test.ts`). */
const WITHOUT_MOVES = READERS.filter((reader) => reader !== 'workloads that moved');

/** Conversations: what all nodes reported of both directions, in any order, as one row. */
export function describeConversationContract(name: string, { store, clear, share }: ContractEngine): void {
  describe(`conversations of the flow store: ${name}`, () => {
    let inventory: Inventory;
    let connections: Connection[];

    beforeAll(async () => {
      await clear();
      inventory = await makeInventory();
      connections = makeConnections(11, 80, inventory);
      await storeHistory(store, makeHeartbeats(connections, 12, true), inventory);
    });

    const getWorkloadId = ({ workload }: HistoryEnd) =>
      workload === null ? null : (inventory.workloads[workload]?.id ?? null);
    const toSeen = (connection: Connection): SeenDirection[] => {
      const [client, server] = [connection.client, connection.server].map((end) => ({
        ...{ ip: end.ip, port: end.port, workload: getWorkloadId(end) },
      })) as [SeenDirection['client'], SeenDirection['server']];
      return connection.reports.map((report) => ({
        ...{ connection: connection.name, node: inventory.nodes[report.node]?.node_id ?? '', client, server },
        ...{ from_client: report.from_client, decision: report.decision, replied: report.state === 'ESTABLISHED' },
        ...{ bytes: report.bytes, packets: report.packets, at: report.at },
        first: report.decision === 'observed' ? connection.begin : report.at,
      }));
    };
    const isShownTo = (connection: Connection, reach: FlowReach) =>
      connection.nodes.some((node) => {
        const ends = {
          source_workload_id: getWorkloadId(connection.client),
          destination_workload_id: getWorkloadId(connection.server),
          workload_id: findObserver(connection, node, inventory),
        };
        return isShown(ends, reach);
      });
    const makeSelection = (reach: FlowReach, more: Partial<ConversationSelection> = {}): ConversationSelection => ({
      ...{ ...EVERYTHING, ...reach, named: [], filter: {}, condition: undefined, actions: undefined },
      ...{ resolved: new Map(), now: EVERYTHING.until, ...more },
    });
    const listAll = async (selection: ConversationSelection, sort?: ConversationListInput['sort'], limit = 500) => {
      const found: ConversationRow[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await store.conversations.list(selection, { limit, ...(sort && { sort }), cursor });
        found.push(...page.items);
        if (page.next_cursor === null) {
          expect(found.length).toBe(page.total);
          return found;
        }
        cursor = page.next_cursor;
      }
    };
    /** In the form of the oracle. */
    const toRow = (row: ConversationRow) => {
      const end = (of: ConversationRow['client']) => `${of.ip} ${of.port} ${of.workload_id}`;
      const { service_port, client_bytes, client_packets, server_bytes, server_packets, action } = row;
      return {
        ...{ client: end(row.client), server: end(row.server), service_port },
        ...{ client_bytes, client_packets, server_bytes, server_packets, action },
        nodes: row.nodes
          .map(({ id }) => id)
          .sort()
          .join(' '),
        ...{ first: Date.parse(row.first_seen_at), last: Date.parse(row.last_seen_at) },
      };
    };
    const findExpected = (reach: FlowReach, of: readonly Connection[] = connections) => {
      const seen = of.filter((connection) => isShownTo(connection, reach)).flatMap(toSeen);
      const show = (end: string) => {
        const [ip, port, id] = end.split(' ');
        return `${ip} ${port} ${maskWorkload(id === 'null' ? null : (id ?? null), reach)}`;
      };
      return computeConversations(seen).map((row) => ({ ...row, client: show(row.client), server: show(row.server) }));
    };
    const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const findReach = (reader: string) => listReaches(inventory)[reader] as FlowReach;

    it.each(WITHOUT_MOVES)('equals what was reported, for a reader of %s', async (reader) => {
      const reach = findReach(reader);
      const expected = findExpected(reach);
      expect(inOrder((await listAll(makeSelection(reach))).map(toRow))).toEqual(inOrder(expected));
      expect(expected.length > 0).toBe(reader !== 'nothing');
    });

    it.each(['allowed', 'dropped', 'rejected', 'unknown'] as const)('finds them by the action %s', async (action) => {
      const reach = findReach('everything');
      const expected = findExpected(reach).filter((row) => row.action === action);
      const found = await listAll(makeSelection(reach, { actions: [action] }));
      expect(inOrder(found.map(toRow))).toEqual(inOrder(expected));
    });

    it('finds them by a workload at an end', async () => {
      const reach = findReach('two workloads and one subnet');
      for (const { id } of inventory.workloads) {
        const isTheirs = reach.visible !== 'all' && reach.visible.includes(id);
        const expected = isTheirs ? connections.filter((one) => isShownTo(one, { ...reach, visible: [id] })) : [];
        const found = await listAll(makeSelection(reach, { filter: { workload_id: id } }));
        expect(inOrder(found.map(toRow))).toEqual(inOrder(findExpected(reach, expected)));
      }
    });

    it.each(CONVERSATION_SORTS.flatMap((sort) => [sort, `-${sort}` as const]))(
      'pages by %s without gaps',
      async (sort) => {
        const selection = makeSelection(findReach('everything'));
        const all = await listAll(selection, sort);
        expect((await listAll(selection, sort, getPageSize(7, { share }))).map(({ id }) => id)).toEqual(
          all.map(({ id }) => id),
        );
        const streamed: ConversationRow[] = [];
        for await (const batch of store.conversations.stream(selection, { sort })) streamed.push(...batch);
        expect(streamed).toEqual(all);
        const field = sort.replace('-', '') as 'bytes';
        const values = all.map((row) => row[field] as unknown).filter((value) => value !== null) as (string | number)[];
        const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(values).toEqual(sort.startsWith('-') ? sorted.reverse() : sorted);
      },
    );

    it('lists the flows of each', async () => {
      const reach = findReach('everything');
      for (const { id, client, bytes } of (await listAll(makeSelection(reach))).slice(0, 20)) {
        const selection = { ...EVERYTHING, until: null, ...reach, named: [], filter: { conversation_id: id } };
        const { items } = await store.list(selection, { limit: 100 } as FlowListInput);
        const reports = connections.find((one) => one.client.port === client.port)?.reports ?? [];
        const keys = new Set(reports.map(({ node, from_client, decision }) => `${node} ${from_client} ${decision}`));
        expect(items).toHaveLength(keys.size);
        expect(items.reduce((sum, flow) => sum + (flow.bytes ?? 0), 0)).toBeGreaterThanOrEqual(bytes ?? 0);
      }
    });
  });
}

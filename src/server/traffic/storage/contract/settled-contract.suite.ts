import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/server/db/client';
import type { FlowNode, SettledConversation, SettledPosition } from '../flow-rows';
import type { FlowReach } from '../flow-selection';
import {
  type Connection,
  type ContractEngine,
  getPageSize,
  HOUR,
  type Inventory,
  iso,
  makeConnections,
  makeHeartbeats,
  makeInventory,
  NOW,
  type Report,
  storeHeartbeat,
  storeHistory,
  toValidFlow,
} from './flow-history.fixture';
import { EVERYTHING, listReaches, READERS } from './selections.fixture';

const MINUTE = 60_000;
/** Before everything that is stored has settled, and after it. */
const START: SettledPosition = { due_at: iso(NOW), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
const END = iso(NOW + 2 * HOUR);

/** The order in which conversations ended, or changed after that: what is read from it position by position is complete. */
export function describeSettledContract(name: string, { store, clear, ...engine }: ContractEngine): void {
  describe(`settled conversations of the flow store: ${name}`, () => {
    let inventory: Inventory;
    const prepare = async () => {
      await clear();
      inventory = await makeInventory();
    };
    const { settled } = store;
    const everything: FlowReach = { visible: 'all', prefixes: 'all', periods: [] };
    const listConversations = async (reach: FlowReach) => {
      const selection = { ...EVERYTHING, ...reach, named: [], filter: {}, condition: undefined, actions: undefined };
      const all = { ...selection, resolved: new Map(), now: END };
      return (await store.conversations.list(all, { limit: 500 })).items;
    };
    const listAll = async (reach: FlowReach, limit = 500, after = START): Promise<SettledConversation[]> => {
      const page = await settled.list(reach, { after, until: END }, limit);
      const last = page.at(-1);
      return page.length < limit || !last ? page : [...page, ...(await listAll(reach, limit, last))];
    };
    describe('of a history', () => {
      beforeAll(async () => {
        await prepare();
        await storeHistory(store, makeHeartbeats(makeConnections(21, 60, inventory), 22, true), inventory);
      });

      it.each(READERS)('lists each conversation once, as it is shown to a reader of %s', async (reader) => {
        const reach = listReaches(inventory)[reader] as FlowReach;
        const found = await listAll(reach, getPageSize(7, engine));
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
        const shown = found.map(({ due_at: _, revision: __, ...row }) => row);
        expect(shown.sort(byId)).toEqual((await listConversations(reach)).sort(byId));
        const order = found.map(({ due_at, id }) => `${due_at} ${id}`);
        expect(order).toEqual([...order].sort());
        const half = found[Math.floor(found.length / 2)] ?? START;
        const rest = found.slice(found.findIndex(({ id }) => id === half.id) + 1);
        expect(await settled.count(reach, { after: half, until: END })).toBe(rest.length);
        expect(await settled.count(reach, { after: START, until: half.due_at })).toBe(found.length - rest.length);
        expect(found.length > 0).toBe(reader !== 'nothing');
      });
    });

    describe('of one connection', () => {
      beforeEach(prepare);
      const connection: Connection = {
        ...{ name: 'one', protocol: 'tcp', begin: NOW - HOUR, nodes: [0], router: null, is_opener_known: true },
        ...{ reports: [], client: { ip: '10.7.0.1', port: 40_000, workload: 0, cidr: null, prefix: '10.7.0.0/24' } },
        server: { ip: '10.7.0.2', port: 443, workload: 1, cidr: null, prefix: '10.7.0.0/24' },
      };
      const report = (at: number, values: Partial<Report> = {}, which = connection) => {
        const one = { ...{ node: 0, from_client: true, decision: 'observed' as const }, bytes: 100, packets: 1, at };
        const seen = [{ connection: which, report: { ...one, state: 'ESTABLISHED', ...values } }];
        return storeHeartbeat(store, { node: 0, now: iso(NOW), seen }, inventory);
      };

      it('settles a conversation again, behind what was read, when it changes', async () => {
        await report(NOW - HOUR);
        const [first] = await listAll(everything);
        if (!first) throw new Error('expected a conversation');
        // As late as reports can be: the conversation still ends before the position.
        await report(NOW - HOUR - MINUTE, { from_client: false });
        const [second, ...others] = await listAll(everything, 500, first);
        expect([second?.id, others]).toEqual([first.id, []]);
        expect(second?.revision).toBeGreaterThan(first.revision);
        expect(await listAll(everything, 500, second)).toEqual([]);
      });

      it.each(['first', 'last'])('does not settle it again when a part of it expires that came %s', async (which) => {
        const reports = [
          () => report(NOW - HOUR),
          () => report(NOW - HOUR + 8 * MINUTE, { from_client: false, bytes: 7 }),
        ];
        for (const send of which === 'first' ? reports : reports.reverse()) await send();
        const [first] = await listAll(everything);
        await store.upkeep.retain({ now: NOW + 4 * MINUTE, flow_hours: 1 });
        expect((await listConversations(everything)).map(({ bytes }) => bytes)).toEqual([7]);
        expect(await listAll(everything, 500, first)).toEqual([]);
      });

      it('names those that are not stored any more', async () => {
        await report(NOW - HOUR);
        const [first] = await listAll(everything);
        const gone = '00000000-0000-4000-8000-000000000000';
        expect(await settled.listGone([gone, first?.id ?? ''])).toEqual([gone]);
        await store.upkeep.retain({ now: NOW + 4 * MINUTE, flow_hours: 1 });
        expect(await settled.listGone([first?.id ?? ''])).toEqual([first?.id]);
        expect(await settled.listGone([])).toEqual([]);
      });

      it('settles it after it ended, sooner when it was closed', async () => {
        // Reported in the moment when it was seen.
        const now = Math.floor(Date.parse((await settled.readClock()).now));
        await report(now, { state: 'TIME_WAIT' });
        await report(now, {}, { ...connection, name: 'two', client: { ...connection.client, port: 40_001 } });
        const found = await settled.list(everything, { after: START, until: iso(now + HOUR) }, 9);
        expect(found.map(({ client, due_at }) => [client.port, Math.floor(Date.parse(due_at) / 1000)])).toEqual([
          [40_000, Math.floor((now + 10_000) / 1000)],
          [40_001, Math.floor((now + 10 * MINUTE) / 1000)],
        ]);
      });

      it('does not let a clock that is ahead delay it', async () => {
        await report(Date.now() + 5 * HOUR);
        const { now } = await settled.readClock();
        const [found] = await settled.list(everything, { after: START, until: iso(Date.parse(now) + 11 * MINUTE) }, 9);
        expect(found?.client.port).toBe(40_000);
      });

      it('completes the order no further than the oldest transaction that writes', async () => {
        const flows = [toValidFlow(connection, { ...makeReport(), at: NOW - HOUR }, inventory)];
        let whileOpen: string[] = [];
        await db.transaction(async (tx) => {
          await store.append(tx, inventory.nodes[0] as FlowNode, flows, iso(NOW));
          const before = await settled.readClock();
          // Whatever begins and ends in the meantime.
          await expect.poll(async () => (await settled.readClock()).now > before.now).toBe(true);
          whileOpen = [before.complete_until, (await settled.readClock()).complete_until];
          expect(await listAll(everything)).toEqual([]);
        });
        expect(whileOpen[1]).toBe(whileOpen[0]);
        await store.deliver(inventory.nodes[0]?.node_id ?? '');
        const [found] = await listAll(everything);
        expect(found && found.due_at > (whileOpen[1] ?? '')).toBe(true);
        await expect.poll(async () => (await settled.readClock()).complete_until > (whileOpen[1] ?? '')).toBe(true);
      });
      const makeReport = (): Omit<Report, 'at'> => ({
        ...{ node: 0, from_client: true, decision: 'observed', state: 'ESTABLISHED', bytes: 100, packets: 1 },
      });
    });
  });
}

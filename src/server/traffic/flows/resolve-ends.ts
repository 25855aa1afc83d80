import { setTimeout as delay } from 'node:timers/promises';
import { parseCidr } from '@/domain/net/cidr';
import { db } from '../../db/client';
import { groupBy } from '../../lib/group-by';
import { processState } from '../../lib/process-state';
import { lockAgent } from '../queries/agents';
import {
  countPages,
  END_TABLES,
  type EndTable,
  type ExternalRollup,
  type FlowEnds,
  fillFlowEnds,
  type Learned,
  listExternalRollups,
  listUnresolvedFlows,
  moveRollups,
  type RollupMove,
  type RollupTable,
  type UnresolvedFlow,
} from '../storage/postgres/flow-ends';
import { lockTrafficSums } from '../storage/postgres/marks';
import type { Pages } from '../storage/postgres/retention';
import { moveParts, type PartPosition } from '../storage/postgres/unresolved-minutes';
import { type AddressBook, addressBook } from './address-book';
import { attributeFlow, confirmedObserver } from './attribute-flow';
import { fillCounters } from './fill-counters';
import { fillMinutes } from './fill-minutes';
import { endLookup } from './known-ends';
import { rollupKey } from './roll-up';

/** A run takes at most about this long; the next one goes on where it ended. */
const BUDGET_MS = 5_000;
const CHUNK_PAGES = 256;
/** Beyond so many networks, comparing each flow with all of them costs more than looking its ends up. */
const MAX_NETWORKS = 200;
/** Other processes may still store by the book before for so long. */
const SETTLE_MS = 5_000;

/** A walk through the pages of all tables that carry ends, and then through the parts of minutes that came from flows. */
type Walk = { learned: Learned | null; startedAt: number; table: number; page: number; part: PartPosition | null };

type State = {
  /** The book by which everything that is stored was resolved, or will be when the walk has ended. */
  applied: AddressBook | undefined;
  walk: Walk | undefined;
};
const state = processState<State>(() => ({ applied: undefined, walk: undefined }));

/** The ends of a flow with what is unknown filled in; null when nothing can be. What was resolved stays. */
function fill(book: AddressBook, flow: UnresolvedFlow, endOf: ReturnType<typeof endLookup>): FlowEnds | null {
  const [source, destination] = [endOf(flow.source_ip), endOf(flow.destination_ip)];
  if (!source || !destination) return null;
  const sighting = { ...flow, at: flow.observed_ms };
  const workload_id = flow.workload_id ?? confirmedObserver(book, sighting);
  const found = attributeFlow(book, sighting, source, destination, workload_id);
  // A workload that stands at one end is not put at the other as well.
  const unless = (id: string | null, other: string | null) => (id === other ? null : id);
  const ends: FlowEnds = {
    workload_id,
    source_workload_id: flow.source_workload_id ?? unless(found.source_workload_id, flow.destination_workload_id),
    destination_workload_id:
      flow.destination_workload_id ?? unless(found.destination_workload_id, flow.source_workload_id),
    source_cidr: flow.source_cidr ?? source.cidr,
    destination_cidr: flow.destination_cidr ?? destination.cidr,
  };
  const isSame = (Object.keys(ends) as (keyof FlowEnds)[]).every((name) => ends[name] === flow[name]);
  return isSame ? null : ends;
}

async function fillFlows(book: AddressBook, pages: Pages, learned: Learned | null): Promise<number> {
  const lookups = new Map<string, ReturnType<typeof endLookup>>();
  const filled = (await listUnresolvedFlows(db, pages, learned)).flatMap((flow) => {
    let endOf = lookups.get(flow.cluster_id);
    if (!endOf) {
      endOf = endLookup(book, flow.cluster_id);
      lookups.set(flow.cluster_id, endOf);
    }
    const ends = fill(book, flow, endOf);
    return ends ? [{ node_id: flow.node_id, flow_key: flow.flow_key, ...ends }] : [];
  });
  let total = 0;
  for (const [node_id, rows] of groupBy(filled, (row) => row.node_id)) {
    total += await db.transaction(async (tx) => {
      // Heartbeats of the node wait: neither meets the other's rows half way.
      await lockAgent(tx, node_id);
      return fillFlowEnds(tx, node_id, rows);
    });
  }
  return total;
}

/** The known subnet that holds a prefix which was summed up as external, as a whole. */
function subnetAround(book: AddressBook, prefix: string): string | null {
  const cidr = parseCidr(prefix);
  const found = cidr && book.subnetOf(cidr.address);
  const around = found ? parseCidr(found) : null;
  return cidr && around && around.prefix <= cidr.prefix ? found : null;
}

function moveOf(book: AddressBook, row: ExternalRollup): RollupMove[] {
  const { node_id: _, bucket_at, rollup_key: old_key, ...identity } = row;
  const source = identity.source_internal ? null : subnetAround(book, identity.source_prefix);
  const destination = identity.destination_internal ? null : subnetAround(book, identity.destination_prefix);
  if (source === null && destination === null) return [];
  const ends = {
    source_prefix: source ?? identity.source_prefix,
    destination_prefix: destination ?? identity.destination_prefix,
    source_internal: identity.source_internal || source !== null,
    destination_internal: identity.destination_internal || destination !== null,
  };
  return [{ old_key, bucket_at, rollup_key: rollupKey({ ...identity, ...ends }), ...ends }];
}

async function moveSums(
  book: AddressBook,
  name: RollupTable,
  pages: Pages,
  networks: readonly string[],
): Promise<number> {
  const rows = networks.length === 0 ? [] : await listExternalRollups(db, name, pages, networks);
  let total = 0;
  for (const [node_id, ofNode] of groupBy(rows, (row) => row.node_id)) {
    const moves = ofNode.flatMap((row) => moveOf(book, row));
    if (moves.length === 0) continue;
    total += await db.transaction(async (tx) => {
      await lockTrafficSums(tx);
      await lockAgent(tx, node_id);
      if (name === 'flow_rollup_minutes') await moveParts(tx, node_id, moves);
      return moveRollups(tx, name, node_id, moves);
    });
  }
  return total;
}

async function fillPages(book: AddressBook, name: EndTable, { learned, page }: Walk): Promise<number> {
  const pages = { from: page, to: page + CHUNK_PAGES };
  if (name !== 'traffic_flows') return moveSums(book, name, pages, book.subnetsAmong(learned?.networks ?? null));
  return fillFlows(book, pages, learned && learned.networks.length <= MAX_NETWORKS ? learned : null);
}

/** Begins a walk when the inventory knows more than what is stored was resolved by; one that is under way begins again. */
function begin(book: AddressBook, settleMs: number): void {
  if (book === state.applied) return;
  const gained = state.applied ? book.gainedSince(state.applied) : null;
  const isFirst = state.applied === undefined;
  state.applied = book;
  if (!isFirst && gained && gained.networks.length === 0 && gained.vmids.length === 0) return;
  const known = state.walk?.learned;
  const learned =
    isFirst || state.walk?.learned === null || !gained
      ? null
      : {
          networks: [...new Set([...(known?.networks ?? []), ...gained.networks])],
          vmids: [...new Set([...(known?.vmids ?? []), ...gained.vmids])],
        };
  state.walk = { learned, startedAt: performance.now() + (isFirst ? 0 : settleMs), table: 0, page: 0, part: null };
}

/**
 * Fills in ends of stored flows, and of sums made from them, that were unknown when they were stored and that the inventory
 * has learned of since, by the definition by which heartbeats are stored. For some seconds, page by page; the next run goes
 * on. It can be interrupted at any time, and run twice at once.
 * @returns how many rows, and whether nothing is left
 */
export async function resolveFlowEnds(
  signal?: AbortSignal,
  settleMs = SETTLE_MS,
): Promise<{ filled: number; done: boolean }> {
  const started = performance.now();
  const book = await addressBook();
  begin(book, settleMs);
  let filled = 0;
  if (!state.walk || state.walk.startedAt > started) return { filled, done: state.walk === undefined };
  if (state.walk.table === 0 && state.walk.page === 0)
    filled += await fillCounters(book, state.walk.learned?.vmids ?? null);
  for (;;) {
    const name: EndTable | undefined = END_TABLES[state.walk.table];
    if (name !== undefined && state.walk.page >= (await countPages(db, name))) {
      state.walk = { ...state.walk, table: state.walk.table + 1, page: 0 };
      continue;
    }
    signal?.throwIfAborted();
    const chunkStarted = performance.now();
    if (name === undefined) {
      const { last, moved } = await fillMinutes(book, state.walk.part);
      filled += moved;
      if (last === null) {
        state.walk = undefined;
        return { filled, done: true };
      }
      state.walk.part = last;
    } else {
      filled += await fillPages(book, name, state.walk);
      state.walk.page += CHUNK_PAGES;
    }
    const now = performance.now();
    if (now - started > BUDGET_MS) return { filled, done: false };
    await delay(now - chunkStarted, undefined, { signal }).catch(() => undefined);
  }
}

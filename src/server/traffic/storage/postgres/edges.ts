import { sql } from 'drizzle-orm';
import { HOUR_MS } from '@/domain/durations';
import { ConversationNames, type ConversationTable, tabulate } from '@/domain/topology/conversation-table';
import { MAX_MERGED, mergeTables, selectRows, sortBySource, takeHeaviest } from '@/domain/topology/merge-tables';
import { db } from '../../../db/client';
import { cache } from '../../../lib/cache';
import { type ConversationFilter, MAX_CONVERSATIONS } from '../flow-rows';
import type { BoundedSelection } from '../flow-selection';
import type { FlowStore } from '../flow-store';
import { sumConversations } from './conversations';
import { type CompleteHour, canUseTotals, countedParts, countedTraffic, listCompleteHours } from './hour-totals';

/*
 * People look at the map of a day again and again, and what changes in between are its last minutes. The conversations of complete hours
 * are therefore kept in the process, as columns, until one of these hours changes or another one is complete; each call reads the rest.
 */

/**
 * Conversations have about 45 bytes each, and by estimate ten times as many while they are read: when there are more, nothing is kept.
 * Nor is it when more hours than these are not complete, as in ranges of several days: everything in these would be read each time.
 */
export const KEPT_EDGES = { rows: 300_000, open_hours: 3 };

type Source = Parameters<FlowStore['edges']>[1];
type Kept = {
  readonly hours: readonly CompleteHour[];
  readonly names: ConversationNames;
  readonly table: ConversationTable;
};

/** By reader, filter and length of the range: later, the next hours take the place of these. */
const kept = cache<Promise<Kept | null>, string>({
  name: 'conversation_hours',
  isFresh: (before, asked) => before === asked,
  maxEntries: 4,
});

const limit = sql`limit ${KEPT_EDGES.rows + 1}`;
const EVERYTHING = { filter: { hosts: true }, limit };

/** The conversations of all complete hours of a range; null when there are too many. What is complete, and what it has, is read as of one moment. */
const loadHours = (selection: BoundedSelection, source: Source): Promise<Kept | null> =>
  db.transaction(
    async (tx) => {
      const hours = await listCompleteHours(tx, selection);
      const { totals } = countedParts(selection, source, hours);
      const found = await sumConversations(tx, totals, selection, EVERYTHING);
      const names = new ConversationNames();
      return found.length > KEPT_EDGES.rows ? null : { hours, names, table: sortBySource(tabulate(found, names)) };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );

/** All conversations of a range, from what is kept and the minutes of what is not; null when nothing can be kept. Two queries. */
async function readAll(selection: BoundedSelection, source: Source): Promise<ConversationTable | null> {
  const { since, until, visible, prefixes } = selection;
  // The range is that of the selection, whatever was asked for.
  const { since: _, until: __, ...filter } = selection.filter;
  const span = Date.parse(until) - Date.parse(since);
  if (span < HOUR_MS || !canUseTotals(selection)) return null;
  const hours = await listCompleteHours(db, selection);
  const open = Math.ceil(span / HOUR_MS) - new Set(hours.map(({ hour_at }) => hour_at)).size;
  if (hours.length === 0 || open > KEPT_EDGES.open_hours) return null;
  const key = JSON.stringify([visible, prefixes, filter, Math.round(span / HOUR_MS)]);
  const seal = toSeal(hours);
  const known = await kept.load(key, seal, () => loadHours(selection, source));
  // Another hour may be complete since it was asked which are: one that is only a part of this range, when someone else asked for more.
  if (known === null || toSeal(known.hours) !== seal || isFull(known.names)) return null;
  const { rest } = countedParts(selection, source, known.hours);
  const found = await sumConversations(db, rest, selection, EVERYTHING);
  if (found.length > KEPT_EDGES.rows) return null;
  const others = tabulate(found, known.names);
  return isFull(known.names) ? null : mergeTables(known.table, others);
}

const toSeal = (hours: readonly CompleteHour[]): string =>
  hours.map(({ cluster_id, hour_at, made }) => `${cluster_id} ${hour_at} ${made}`).join(' ');

const isFull = ({ ends, services }: ConversationNames): boolean =>
  ends.length > MAX_MERGED.ends || services.length > MAX_MERGED.services;

/** The rows that a filter means. */
function selectAsked(table: ConversationTable, { hosts = false, at, from_outside = false }: ConversationFilter) {
  if (hosts && at === undefined && !from_outside) return table;
  const asked = at && new Set(at);
  const { ends, source, destination } = table;
  const facts = ends.map(({ workload_id: id, internal }) => ({
    isKnown: id !== null,
    isAsked: asked === undefined || (id !== null && asked.has(id)),
    isOutside: id === null && !internal,
  }));
  const rows = new Uint32Array(table.size);
  let count = 0;
  for (let row = 0; row < table.size; row++) {
    const [from, to] = [facts[source[row] as number], facts[destination[row] as number]];
    if (!from || !to) continue;
    const isMeant =
      (hosts || from.isKnown || to.isKnown) &&
      (from.isAsked || to.isAsked) &&
      (!from_outside || (from.isOutside && to.isKnown));
    if (isMeant) rows[count++] = row;
  }
  return selectRows(table, rows.subarray(0, count));
}

/**
 * Traffic of the range from rollups and totals: who opened conversations with whom, by service and verdict, the heaviest. Each counts
 * once, however many nodes reported it. At most three queries.
 */
export const listEdges: FlowStore['edges'] = async (selection, source, filter = {}) => {
  const most = filter.most ?? MAX_CONVERSATIONS;
  const all = await readAll(selection, source);
  if (all) {
    const asked = selectAsked(all, filter);
    return { table: takeHeaviest(asked, most), complete: asked.size <= most };
  }
  const rows = await sumConversations(db, countedTraffic(selection, source), selection, {
    filter,
    limit: sql`order by bytes desc, 1, 2, 4, 5, 7, 8, 9 limit ${most + 1}`,
  });
  return { table: tabulate(rows.slice(0, most)), complete: rows.length <= most };
};

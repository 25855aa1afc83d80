import { MINUTE_MS } from '@/domain/durations';
import { decodeCursor } from '../../../db/keyset';
import { clock } from '../../../lib/clock';
import type { FlowSelection } from '../flow-selection';

/** Of a range that is at least so many times longer, its newest part is read first. */
const LONGER = 10;
const NEWEST_MS = [MINUTE_MS, 30 * MINUTE_MS];

/** Where a page of flows, newest first, ends in time (ms); null: it has another order. */
function findEnd({ until }: FlowSelection, { sort, cursor }: { sort?: string; cursor?: string }): number | null {
  if (sort !== undefined && sort !== '-observed_at') return null;
  if (cursor !== undefined) return Date.parse(String(decodeCursor(cursor, 'time')[0]));
  return until === null ? clock.now().getTime() : Date.parse(until);
}

/**
 * Rows of a page. If it has the newest flows first and the last minutes fill it, the rest of a long range is not read. At most three queries.
 * @param limit how many rows are asked for
 * @param read the rows of such a selection
 */
export async function readNewestFirst<T>(
  selection: FlowSelection,
  input: { sort?: string; cursor?: string },
  limit: number,
  read: (selection: FlowSelection) => Promise<T[]>,
): Promise<T[]> {
  const { conversations, filter } = selection;
  // Which conversations a filter as text means depends on the range; flows of one workload or conversation have an index.
  const isWhole = conversations || filter.workload_id !== undefined || filter.conversation_id !== undefined;
  const end = isWhole ? null : findEnd(selection, input);
  const start = Math.max(Date.parse(selection.since), Date.parse(selection.cutoff));
  for (const span of NEWEST_MS) {
    if (end === null || !(end - start >= LONGER * span)) break;
    const rows = await read({ ...selection, since: new Date(end - span).toISOString() });
    if (rows.length >= limit) return rows;
  }
  return read(selection);
}

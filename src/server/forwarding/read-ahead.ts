import type { ForwardingPosition } from './queries/forwarding-streams';
import type { Batch, RecordSource } from './read-records';

/** Conversations that are read in one go: finding those of a time takes as long for a few of them as for many. */
const AHEAD = 5_000;

/**
 * Reads more than is asked for, and gives it out part by part, from any position in it. Of what changes in the meantime the reader gets
 * the change as well: it settles again, later.
 */
export function readAhead<R>(read: RecordSource<R>['read']): RecordSource<R>['read'] {
  let ahead: { from: string; batch: Batch<R> } | null = null;
  const toKey = (position: ForwardingPosition) =>
    'seq' in position ? String(position.seq) : `${position.due_at} ${position.id}`;
  const findNext = (key: string): number => {
    if (ahead === null) return -1;
    if (ahead.from === key) return 0;
    const next = ahead.batch.records.findIndex(({ position }) => toKey(position) === key) + 1;
    return next < ahead.batch.records.length ? next || -1 : -1;
  };
  return async (position, limit) => {
    const key = toKey(position);
    let next = findNext(key);
    if (ahead === null || next < 0) {
      ahead = { from: key, batch: await read(position, Math.max(limit, AHEAD)) };
      next = 0;
    }
    const { batch } = ahead;
    const records = batch.records.slice(next, next + limit);
    const last = records.at(-1);
    if (last && next + limit < batch.records.length) return { records, end: last.position, is_last: false };
    // What came since is read with the next batch.
    ahead = null;
    return { ...batch, records };
  };
}

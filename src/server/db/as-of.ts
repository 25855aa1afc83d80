import { sql } from 'drizzle-orm';
import { clock } from '../lib/clock';
import { AppError } from '../lib/errors';
import { getMoment, withMoment } from '../lib/moment';
import { db, type Executor, withTransaction } from './client';
import { historyStart } from './schema/history';

/** The earliest time that can be asked for: when recording began, or what retention has left. */
export async function readHistoryStart(executor: Executor): Promise<string> {
  const [row] = await executor.select({ at: historyStart.at }).from(historyStart);
  if (!row) throw new Error('expected a row in history_start');
  return row.at;
}

const refuse = (message: string, extra: Record<string, unknown> = {}) =>
  new AppError('malformed', message, { errors: [{ field: 'as_of', message }], extra });

/**
 * Runs `work` with the database as it was at a time: whatever it reads with `db`, from tables that `track_history` follows, are the rows
 * of then, with the owners of then. Nothing can be written. Tables that are not tracked are read as they are now.
 * @throws AppError `malformed` for a time in the future, or before history began; then with `earliest`
 */
export async function readPast<T>(at: string, work: () => Promise<T>): Promise<T> {
  if (getMoment() !== null) throw new Error('expected no reading as of a time inside another');
  if (Date.parse(at) > clock.now().getTime()) throw refuse('This time is in the future. Choose an earlier time.');
  return db.transaction(
    async (tx) => {
      await tx.execute(
        sql`select set_config('search_path', 'as_of, public', true), set_config('fabric.as_of', ${at}, true)`,
      );
      const earliest = await readHistoryStart(tx);
      if (Date.parse(at) < Date.parse(earliest)) {
        throw refuse(`History begins at ${earliest}. Choose a later time.`, { earliest });
      }
      return withTransaction(tx, () => withMoment(at, work));
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

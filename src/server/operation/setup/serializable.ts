import { setTimeout as delay } from 'node:timers/promises';
import { db, type Tx } from '../../db/client';
import { AppError } from '../../lib/errors';
import { pgErrorOf } from '../../lib/pg-errors';

const ATTEMPTS = 8;

/**
 * Whether the transaction failed only because of others at the same time. 23505 is among them: a transaction that works on
 * a snapshot takes the audit trail's next number from it, and another may have taken that number since.
 */
const PASSING = ['40001', '40P01', '23505'];

/**
 * Runs work as one SERIALIZABLE transaction and again when PostgreSQL asks for it, so `work` must do nothing outside
 * the transaction.
 * @throws what `work` throws; AppError `unavailable` when others were in the way all the time
 */
export async function serializable<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work, { isolationLevel: 'serializable' });
    } catch (error) {
      const code = pgErrorOf(error)?.code ?? '';
      if (!PASSING.includes(code)) throw error;
      if (attempt >= ATTEMPTS) {
        if (code === '23505') throw error;
        throw new AppError('unavailable', 'Too much happens at once. Try again in a moment.', {
          cause: error,
          retryAfterSeconds: 2,
        });
      }
      await delay(Math.random() * 20 * 2 ** attempt);
    }
  }
}

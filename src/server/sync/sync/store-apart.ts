import { pgErrorOf } from '../../lib/pg-errors';

/** Whether the database refused the data themselves: a value out of range, a character it cannot hold, a broken rule. */
function refusesData(error: unknown): boolean {
  const code = pgErrorOf(error)?.code ?? '';
  return code.startsWith('22') || code === '23514';
}

/**
 * Stores rows together; when the database refuses something among them, in ever smaller parts, so that one oddity of the
 * outside world does not keep everything else from being stored. `refuse` is told of each row that cannot be.
 */
export async function storeApart<T>(
  rows: readonly T[],
  store: (rows: readonly T[]) => Promise<void>,
  refuse: (row: T) => void,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  try {
    await store(rows);
  } catch (error) {
    if (!refusesData(error)) throw error;
    if (rows.length === 1) return refuse(first);
    const half = Math.ceil(rows.length / 2);
    await storeApart(rows.slice(0, half), store, refuse);
    await storeApart(rows.slice(half), store, refuse);
  }
}

/** What is told of a row that could not be stored. */
export const UNSTORABLE = {
  code: 'unstorable',
  message: 'What the cluster says about it cannot be stored: a value is out of range or holds a forbidden character.',
  remedy: 'Look at the configuration of the guest on its node.',
};

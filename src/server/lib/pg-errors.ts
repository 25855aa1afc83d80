import { AppError } from './errors';

type PgError = { code: string; constraint_name?: string; detail?: string; table_name?: string };

/** The PostgreSQL error inside whatever the driver and the query builder wrapped it in, or null. */
export function findPgError(error: unknown): PgError | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const code = (at as { code?: unknown }).code;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in at) return at as unknown as PgError;
  }
  return null;
}

const MEANING: Record<string, string> = {
  '23505': 'Another record with the same unique value already exists.',
  '23503': 'The record refers to a record that does not exist, or other records refer to it.',
  '23P01': 'The record overlaps an existing one.',
  '23514': 'The record violates a constraint of the database.',
};

/** Integrity errors become `conflict` (409); everything else is null. The constraint's name is public, the data is not. */
export function conflictFromPg(error: unknown): AppError | null {
  const pg = findPgError(error);
  const meaning = pg && MEANING[pg.code];
  if (!meaning) return null;
  const where = pg.constraint_name ? ` (${pg.constraint_name})` : '';
  return new AppError('conflict', `${meaning}${where}`, { cause: error });
}

/** Whether a statement was ended because it ran for longer than its kind may. */
export const isStatementTimeout = (error: unknown): boolean => findPgError(error)?.code === '57014';

/** Whether the database could not be reached or is starting or stopping: the request may be repeated. */
export function isDatabaseDown(error: unknown): boolean {
  const code = findPgError(error)?.code ?? '';
  if (/^(08|57P|53300)/.test(code)) return true;
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const name = (at as { code?: unknown }).code;
    if (typeof name === 'string' && /^(ECONNREFUSED|ECONNRESET|CONNECTION_|CONNECT_TIMEOUT|EPIPE|ENOENT)/.test(name))
      return true;
  }
  return false;
}

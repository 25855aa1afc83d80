import { AppError } from '../lib/errors';

/** Deeper than anything Fabric defines; deeper nesting is an attempt to exhaust the stack of its reader. */
const MAX_DEPTH = 40;

/** NUL, or half of a surrogate pair: PostgreSQL stores neither in text nor in jsonb. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

function refuse(path: readonly string[], message: string): never {
  throw new AppError('malformed', 'The request contains text or nesting that cannot be processed.', {
    errors: [{ field: path.slice(0, 10).join('.') || 'body', message }],
  });
}

/**
 * Checks a parsed JSON value before any schema sees it: no NUL character or broken Unicode in any string or key, no
 * excessive nesting.
 * @throws AppError `malformed` naming the field
 */
export function assertStorable(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string') {
    if (UNSTORABLE.test(value)) refuse(path, 'Remove NUL characters and invalid Unicode.');
    return;
  }
  if (value === null || typeof value !== 'object') return;
  if (path.length >= MAX_DEPTH) refuse(path, `Nested deeper than ${MAX_DEPTH} levels.`);
  for (const [key, item] of Object.entries(value)) {
    if (UNSTORABLE.test(key)) refuse(path, 'Remove NUL characters and invalid Unicode from the field names.');
    if (typeof item === 'string' || (typeof item === 'object' && item !== null)) assertStorable(item, [...path, key]);
  }
}

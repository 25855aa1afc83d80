/** JSON with sorted keys: the same value gives the same bytes, also after a round trip through jsonb. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Whether two values are the same when stored as JSON, in whatever order their fields were written: an absent field and one that is
 * undefined are the same there. Only of plain values: lists, objects, text, numbers, booleans, null.
 */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, at) => equalJson(value ?? null, b[at] ?? null));
  }
  let left = 0;
  for (const field in b) if (b[field] !== undefined) left += 1;
  for (const field in a) {
    const value = a[field];
    if (value === undefined) continue;
    if (!Object.hasOwn(b, field) || !equalJson(value, b[field])) return false;
    left -= 1;
  }
  return left === 0;
}

const SECRET = /(token|password|secret|private_key|authorization|cookie|recovery_code)/i;
const HARMLESS = /^(has_|.*_(id|at|seconds|expires_in|count)$)/i;

/** Yes, no and nothing tell no secret, whatever they are called: `password_sign_in`. */
const isHarmless = (value: unknown) => value === null || typeof value === 'boolean';

/**
 * Deeper than any Fabric record; deeper nesting is cut, because a change must never fail because of its audit record.
 */
const MAX_DEPTH = 30;

/** The text without what PostgreSQL cannot store (NUL, halves of surrogate pairs), replaced as browsers do. */
export function storableText(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1) ?? null);
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]): [string, unknown] => [
        storableText(key),
        SECRET.test(key) && !HARMLESS.test(key) && !isHarmless(item) ? '[redacted]' : clean(item, depth + 1),
      ])
      .filter(([, item]) => item !== undefined),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The part of a state that an audit record keeps: plain JSON that reads back from jsonb exactly as it was, without
 * secrets (any value under a secret's name, at any depth). Null for nothing; a value that is not an object becomes
 * `{value}`.
 */
export function auditState(value: unknown): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  const plain = clean(value, 0);
  return isRecord(plain) ? plain : { value: plain ?? null };
}

/** JSON with sorted keys: the same value gives the same bytes, also after a round trip through jsonb. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

const SECRET = /(token|password|secret|private_key|authorization|cookie|recovery_code)/i;
const HARMLESS = /^(has_|.*_(id|at|seconds|expires_in|count)$)/i;

/** The value without secrets: whatever stands under a secret's name is replaced, at any depth. */
export function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [
        key,
        SECRET.test(key) && !HARMLESS.test(key) && item !== null ? '[redacted]' : redact(item),
      ]),
  );
}

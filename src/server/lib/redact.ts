const SECRET =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*password.*|.*token|.*token_encrypted|.*secret.*|.*_key)$/i;
/** Names that end like a secret and are none. */
const HARMLESS = /^(flow_key|object_key|next_token|dedup_key)$/i;
const MAX_DEPTH = 6;

function redactValue(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  // Errors, dates and the like have serializers of their own.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return redact(value as Record<string, unknown>, depth + 1);
}

/** A copy for the log in which whatever goes by the name of a secret is gone, at any depth. */
export function redact(fields: Record<string, unknown>, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      SECRET.test(name) && !HARMLESS.test(name) && value !== null && typeof value !== 'boolean'
        ? '[redacted]'
        : redactValue(value, depth),
    ]),
  );
}

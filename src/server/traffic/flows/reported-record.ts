import type { Flow } from '@fabric/agent-contract';
import { storableText } from '../../audit/canonical';

/** Characters of JSON kept of one reported flow. What is longer leaves the row and costs a second write. */
const MAX_CHARACTERS = 1_200;

const UNSTORABLE = /\\u(0000|d[89a-f])/i;

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? value.map(storable) : value;
};

/** The record field by field, as long as there is room, then marked `truncated`. Of names that are stored alike the first counts. */
function storableRecord(record: Record<string, unknown>): string {
  const kept = new Map<string, unknown>();
  let size = 2;
  let truncated = false;
  for (const [given, value] of Object.entries(record)) {
    if (value === undefined) continue;
    const name = storableText(given);
    const field = storable(value);
    size += given.length + 4 + JSON.stringify(field).length;
    truncated ||= kept.has(name) || size > MAX_CHARACTERS;
    if (size > MAX_CHARACTERS) break;
    if (!kept.has(name)) kept.set(name, field);
  }
  if (truncated) kept.set('truncated', true);
  // Not by assignment: a field named `__proto__` would be lost.
  return JSON.stringify(Object.fromEntries(kept));
}

/**
 * The flow as the agent reported it, as JSON text that can be stored: its own fields, then as many fields of its
 * evidence as fit. A field of the evidence never replaces one of the flow.
 */
export function reportedRecord({ raw, ...flow }: Flow): string {
  const record = raw === undefined ? flow : { ...flow, ...raw, ...flow };
  const text = JSON.stringify(record);
  return text.length > MAX_CHARACTERS || UNSTORABLE.test(text) ? storableRecord(record) : text;
}

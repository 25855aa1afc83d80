import { storableText } from '../../audit/canonical';

/** Characters of JSON kept of what an agent sends as evidence of one flow: more than doubles the cost of storing it. */
const MAX_CHARACTERS = 1_000;

type Evidence = Record<string, unknown>;

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  return Array.isArray(value) ? value.map(storable) : value;
};

/** The evidence as JSON text fit to be stored: field by field until it is long enough, then marked `truncated`. */
export function evidenceJson(raw: Evidence | undefined): string | null {
  if (raw === undefined) return null;
  const kept: Evidence = {};
  let size = 2;
  for (const [name, value] of Object.entries(raw)) {
    const field = storable(value);
    size += name.length + 4 + JSON.stringify(field).length;
    if (size > MAX_CHARACTERS) {
      kept.truncated = true;
      break;
    }
    kept[storableText(name)] = field;
  }
  return JSON.stringify(kept);
}

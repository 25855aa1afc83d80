type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Facts about an object's place, not about what it does. */
const PLACE = new Set(['handle', 'index', 'position', 'expires']);

/**
 * The rules in the output of `nft -j list ruleset`, in a form that depends on nothing else: without handles, counters,
 * and elements that traffic adds to sets; in an order that does not depend on when something was added, save for
 * rules within their chain.
 * @throws SyntaxError when the text is not JSON
 */
export function canonicalNft(text: string): string {
  const document = JSON.parse(text) as { nftables?: JsonObject[] };
  const entries = (document.nftables ?? []).filter((entry) => !('metainfo' in entry));
  const filled = listDynamicSets(entries);
  const lines = entries.map((entry, position) => {
    const [kind = '', value = null] = Object.entries(entry)[0] ?? [];
    const rules = canonical(withoutDynamic(kind, value, filled), kind);
    return { key: sortKey(kind, value), position, line: JSON.stringify({ [kind]: rules }) };
  });
  lines.sort((a, b) => compare(a.key, b.key) || a.position - b.position);
  return lines.map(({ line }) => line).join('\n');
}

/** Names of the chains in that output, as `family table chain`. */
export function listChains(text: string): string[] {
  const document = JSON.parse(text) as { nftables?: { chain?: { family: string; table: string; name: string } }[] };
  return (document.nftables ?? []).flatMap(({ chain }) =>
    chain ? [`${chain.family} ${chain.table} ${chain.name}`] : [],
  );
}

/**
 * Names of the sets that rules fill from packets, as `family table name`. nft does not always flag them as dynamic, but
 * the statements that fill them name them.
 */
function listDynamicSets(entries: readonly JsonObject[]): Set<string> {
  const names = new Set<string>();
  for (const { rule } of entries) {
    if (!isObject(rule) || !Array.isArray(rule.expr)) continue;
    for (const statement of rule.expr) {
      if (!isObject(statement)) continue;
      for (const kind of ['set', 'map', 'meter'] as const) {
        const target = statement[kind];
        const name = isObject(target) ? (target[kind] ?? target.name) : null;
        if (typeof name === 'string') names.add(`${rule.family} ${rule.table} ${name.replace(/^@/, '')}`);
      }
    }
  }
  return names;
}

/** Elements of sets that packets or time change are no rules. */
function withoutDynamic(kind: string, value: Json, filled: ReadonlySet<string>): Json {
  if ((kind !== 'set' && kind !== 'map' && kind !== 'meter') || !isObject(value)) return value;
  const flags = Array.isArray(value.flags) ? value.flags : [value.flags];
  const isDynamic =
    flags.includes('dynamic') ||
    flags.includes('timeout') ||
    'timeout' in value ||
    filled.has(`${value.family} ${value.table} ${value.name}`);
  if (!isDynamic) return value;
  const { elem: _, ...rest } = value;
  return rest;
}

/** @param parent name under which the value stands: a counter's numbers are traffic, other numbers are rules */
function canonical(value: Json, parent: string | null): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, null));
    return parent === 'elem' || parent === 'set'
      ? items.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)))
      : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !PLACE.has(key) && !isTraffic(parent, key))
    .map(([key, inner]) => [key, canonical(inner, key)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => compare(a, b)));
}

function isTraffic(parent: string | null, key: string): boolean {
  if (parent === 'counter') return key === 'packets' || key === 'bytes';
  return (parent === 'quota' && key === 'used') || parent === 'last';
}

/** Rules stay together by chain, in their order; everything else is ordered by name. */
function sortKey(kind: string, value: Json): string {
  if (!isObject(value)) return kind;
  const name = kind === 'rule' ? value.chain : value.name;
  return JSON.stringify([value.family ?? '', value.table ?? value.name ?? '', kind, name ?? '']);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

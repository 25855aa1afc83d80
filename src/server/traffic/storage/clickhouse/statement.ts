/** A part of a statement: text, values that are sent beside it, and lists of ids that it names. */
export type Part = { readonly pieces: readonly Piece[] };
type Piece = string | Value | { readonly ids: readonly string[] };

type Value = { readonly type: string; readonly value: string | number | readonly string[] };

/**
 * SQL of ClickHouse. Only parts can be put into it: a text becomes one by `value`, which sends it beside the statement, or by `raw`
 * when it is SQL of this program.
 */
export function ch(texts: TemplateStringsArray, ...parts: readonly Part[]): Part {
  const pieces: Piece[] = [];
  texts.forEach((text, at) => {
    pieces.push(text);
    const part = parts[at];
    if (part) for (const piece of part.pieces) pieces.push(piece);
  });
  return { pieces };
}

/** SQL of this program as it is. */
export const raw = (text: string): Part => ({ pieces: [text] });

export const value = (type: string, of: Value['value']): Part => ({ pieces: [{ type, value: of }] });

export const text = (of: string): Part => value('String', of);
export const texts = (of: readonly string[]): Part => value('Array(String)', of);

export const join = (parts: readonly Part[], separator: string): Part => ({
  pieces: parts.flatMap((part, at) => (at === 0 ? part.pieces : [separator, ...part.pieces])),
});

/** All of these hold. */
export const all = (conditions: readonly Part[]): Part =>
  conditions.length === 0 ? raw('true') : ch`(${join(conditions, ' and ')})`;

/** One of these holds. */
export const any = (conditions: readonly Part[]): Part =>
  conditions.length === 0 ? raw('false') : ch`(${join(conditions, ' or ')})`;

/** No workload, node or the like. */
export const NONE = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function checkId(id: string): string {
  if (!UUID.test(id)) throw new Error('expected a UUID');
  return id.toLowerCase();
}

/** An id as a part of the text: very many of them would not fit beside the statement. */
export const uuid = (id: string): Part => raw(`toUUID('${checkId(id)}')`);

/** Ids as an array in the text. */
export const idArray = (ids: readonly string[]): Part => raw(`[${ids.map((id) => `'${checkId(id)}'`).join(', ')}]`);

/** Whether the column holds one of the ids; of a SELECT. */
export const inIds = (column: Part, ids: readonly string[]): Part =>
  ids.length === 0 ? raw('false') : ch`${column} in ${{ pieces: [{ ids }] }}`;

/** A moment; what is finer than milliseconds is rounded up, so that what is stored compares with it as if it were not. */
export function time(iso: string): Part {
  const finer = /\.\d{3}0*[1-9]/.test(iso) ? 1 : 0;
  return raw(`fromUnixTimestamp64Milli(toInt64(${Date.parse(iso) + finer}), 'UTC')`);
}

/** A moment as it is in rows that are stored. */
export const toStoredTime = (iso: string): string => iso.replace('T', ' ').replace('Z', '');

/** The first whole second that is not before a moment. */
export const second = (ms: number): Part => raw(`toDateTime(${Math.ceil(ms / 1000)}, 'UTC')`);

export const number = (of: number): Part => {
  if (!Number.isFinite(of)) throw new Error('expected a number');
  return raw(String(of));
};

/**
 * The statement as text, with the values that are sent beside it. The same value has one name wherever it occurs, and so has a list of ids, which
 * comes before the SELECT: in place, thousands of ids would be read, compared and made into text again for each column that is shown or hidden by them.
 * It is a query: with an array of that name, statements took longer than with the list in place when there were rows (`packages/bench/flow-stores.ts`).
 */
export function toStatement({ pieces }: Part): { query: string; query_params: Record<string, unknown> } {
  const names = new Map<string, string>();
  const lists = new Map<readonly string[], string>();
  const query_params: Record<string, unknown> = {};
  const query = pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      if ('ids' in piece) return nameOnce(lists, piece.ids, 'ids');
      const name = nameOnce(names, JSON.stringify(piece), 'p');
      query_params[name] = piece.value;
      return `{${name}:${piece.type}}`;
    })
    .join('');
  if (lists.size === 0) return { query, query_params };
  if (!/^\s*select\b/i.test(query)) throw new Error('expected a SELECT');
  const named = [...lists].map(
    ([ids, name]) => `${name} as (select arrayJoin(cast(${idArray(ids).pieces.join('')}, 'Array(UUID)')) as id)`,
  );
  return { query: `with ${named.join(', ')} ${query}`, query_params };
}

function nameOnce<K>(names: Map<K, string>, key: K, prefix: string): string {
  const name = names.get(key) ?? `${prefix}${names.size}`;
  names.set(key, name);
  return name;
}

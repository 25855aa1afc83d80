'use client';
import {
  createParser,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs';
import { useMemo } from 'react';
import { spanMs } from './time-range';

/** What a filter may hold: one of a list of words, some of them, an id (UUID), an id or `none`, yes or no, a time (RFC 3339), a span of time (`6h`), or any text. */
export type FilterSpec =
  | readonly string[]
  | { readonly several: readonly string[] }
  | 'id'
  | 'id_or_none'
  | 'flag'
  | 'time'
  | 'span'
  | 'text';

export type FilterValue<S extends FilterSpec> = S extends readonly (infer Word)[]
  ? Word
  : S extends { readonly several: readonly (infer Word)[] }
    ? Word[]
    : S extends 'flag'
      ? boolean
      : string;
type Filters<F extends Record<string, FilterSpec>> = { [K in keyof F]: FilterValue<F[K]> | null };

export type ListSpec<S extends string = string, F extends Record<string, FilterSpec> = Record<string, FilterSpec>> = {
  sorts: readonly S[];
  /** `name` or `-name`. */
  defaultSort: S | `-${S}`;
  filters: F;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What cannot be an id is no filter: an old or mangled link shows the whole list instead of an error. */
export const parseAsId = createParser({
  parse: (text) => (UUID.test(text) ? text : null),
  serialize: (id: string) => id,
});
const parseAsIdOrNone = createParser({
  parse: (text) => (text === 'none' || UUID.test(text) ? text : null),
  serialize: (id: string) => id,
});
export const parseAsTime = createParser({
  parse: (text) => (Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString()),
  serialize: (time: string) => time,
});

export const parseAsSpan = createParser({
  parse: (text) => (spanMs(text) === null ? null : text),
  serialize: (span: string) => span,
});

/** Some of a list of words. Unknown ones are left out; if no other is left, there is no filter. */
export function parseAsSome(words: readonly string[]) {
  const all = parseAsArrayOf(parseAsStringLiteral(words));
  return createParser({
    ...all,
    parse: (text) => {
      const known = all.parse(text) ?? [];
      return known.length > 0 ? known : null;
    },
  });
}

function parserOf(spec: FilterSpec) {
  if (spec === 'id') return parseAsId;
  if (spec === 'id_or_none') return parseAsIdOrNone;
  if (spec === 'flag') return parseAsBoolean;
  if (spec === 'time') return parseAsTime;
  if (spec === 'span') return parseAsSpan;
  if (spec === 'text') return parseAsString;
  if ('several' in spec) return parseAsSome(spec.several);
  return parseAsStringLiteral(spec);
}

/**
 * Search, sort and filters of a list, kept in the URL. `input` is what the list procedure takes. What the URL holds is
 * checked against `spec`, which must be a constant.
 */
export function useListState<S extends string, F extends Record<string, FilterSpec>>(spec: ListSpec<S, F>) {
  const parsers = useMemo(
    () => ({
      q: parseAsString.withDefault(''),
      sort: parseAsStringLiteral([...spec.sorts, ...spec.sorts.map((sort) => `-${sort}` as const)]).withDefault(
        spec.defaultSort,
      ),
      ...Object.fromEntries(Object.entries(spec.filters).map(([name, filter]) => [name, parserOf(filter)])),
    }),
    [spec],
  );
  const [values, setValues] = useQueryStates(parsers as Record<string, ReturnType<typeof parserOf>>, { scroll: false });
  const { q, sort, ...rest } = values as unknown as { q: string; sort: S | `-${S}` } & Filters<F>;
  const filters = rest as unknown as Filters<F>;
  const set = (change: Record<string, unknown>, history: 'push' | 'replace') =>
    void setValues(change as Parameters<typeof setValues>[0], { history });
  const filterKey = JSON.stringify(filters);
  const input = useMemo(() => {
    const given = Object.entries(JSON.parse(filterKey) as Filters<F>).filter(([, value]) => value !== null);
    return { q: q.slice(0, 200) || undefined, sort, ...Object.fromEntries(given) } as {
      q?: string;
      sort: S | `-${S}`;
    } & { [K in keyof F]?: FilterValue<F[K]> };
  }, [q, sort, filterKey]);
  return {
    q,
    sort,
    filters,
    input,
    /** Whether anything narrows the list. */
    filtered: q !== '' || Object.values(filters).some((value) => value !== null),
    // Typing must not fill the history; choosing is a step to go back from.
    setQ: (text: string) => set({ q: text }, 'replace'),
    setSort: (next: string) => set({ sort: next }, 'push'),
    setFilter: <K extends keyof F & string>(name: K, value: FilterValue<F[K]> | null) => set({ [name]: value }, 'push'),
    setFilters: (values: Partial<Filters<F>>) => set(values, 'push'),
    clear: () => set({ q: null, ...Object.fromEntries(Object.keys(filters).map((name) => [name, null])) }, 'push'),
  };
}

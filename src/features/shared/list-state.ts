'use client';
import { useMemo } from 'react';
import {
  URL_FLAG,
  URL_TEXT,
  type UrlParser,
  type UrlParsers,
  urlEnum,
  useUrlValues,
  withInitial,
} from '@/lib/url-state';
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

const asText = (isText: (text: string) => boolean): UrlParser<string> => ({
  parse: (text) => (isText(text) ? text : null),
  serialize: (text) => text,
});
/** What cannot be an id is no filter: an old or mangled link shows the whole list instead of an error. */
export const parseAsId = asText((text) => UUID.test(text));
const parseAsIdOrNone = asText((text) => text === 'none' || UUID.test(text));
export const parseAsTime: UrlParser<string> = {
  parse: (text) => (Number.isNaN(Date.parse(text)) ? null : new Date(text).toISOString()),
  serialize: (time) => time,
};
export const parseAsSpan = asText((text) => spanMs(text) !== null);

/** Some of a list of words. Unknown ones are left out; if no other is left, there is no filter. */
export const parseAsSome = (words: readonly string[]): UrlParser<string[]> => ({
  parse: (text) => {
    const known = text.split(',').filter((word) => words.includes(word));
    return known.length > 0 ? known : null;
  },
  serialize: (some) => some.join(','),
});

function getParser(spec: FilterSpec): UrlParsers[string] {
  if (spec === 'id') return parseAsId;
  if (spec === 'id_or_none') return parseAsIdOrNone;
  if (spec === 'flag') return URL_FLAG;
  if (spec === 'time') return parseAsTime;
  if (spec === 'span') return parseAsSpan;
  if (spec === 'text') return URL_TEXT;
  if ('several' in spec) return parseAsSome(spec.several);
  return urlEnum(spec);
}

/**
 * Search, sort and filters of a list, kept in the URL. `input` is what the list procedure takes. What the URL holds is
 * checked against `spec`, which must be a constant.
 */
export function useListState<S extends string, F extends Record<string, FilterSpec>>(spec: ListSpec<S, F>) {
  const parsers = useMemo(
    () => ({
      q: withInitial(URL_TEXT, ''),
      sort: withInitial(urlEnum([...spec.sorts, ...spec.sorts.map((sort) => `-${sort}` as const)]), spec.defaultSort),
      ...Object.fromEntries(Object.entries(spec.filters).map(([name, filter]) => [name, getParser(filter)])),
    }),
    [spec],
  );
  const [values, setValues] = useUrlValues<UrlParsers>(parsers);
  const { q, sort, ...rest } = values as unknown as { q: string; sort: S | `-${S}` } & Filters<F>;
  const filters = rest as unknown as Filters<F>;
  const set = (change: Record<string, unknown>, history: 'push' | 'replace') => setValues(change, { history });
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

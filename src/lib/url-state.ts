'use client';
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';

/** How a value is written in the URL. What cannot be parsed is null: an old or mangled link is no error. */
export type UrlParser<T> = { parse: (text: string) => T | null; serialize: (value: T) => string };
/** With a value for what the URL does not name; that value is not written. */
type WithInitial<T> = UrlParser<T> & { initial: T };
type AnyParser = { parse: (text: string) => unknown; serialize: (value: never) => string; initial?: unknown };
export type UrlParsers = Readonly<Record<string, AnyParser>>;
export type UrlValues<P extends UrlParsers> = {
  [K in keyof P]: P[K] extends { initial: infer T } ? T : ReturnType<P[K]['parse']> | null;
};
type Changes<P extends UrlParsers> = { [K in keyof P]?: ReturnType<P[K]['parse']> | null };
/** `push` makes a step to go back from. */
type Options = { history?: 'push' | 'replace' };

export const withInitial = <T>(parser: UrlParser<T>, initial: NoInfer<T>): WithInitial<T> => ({ ...parser, initial });
export const URL_TEXT: UrlParser<string> = { parse: (text) => text, serialize: (text) => text };
export const URL_FLAG: UrlParser<boolean> = {
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : null),
  serialize: String,
};
/** One of some words. */
export const urlEnum = <const T extends string>(words: readonly T[]): UrlParser<T> => ({
  parse: (text) => words.find((word) => word === text) ?? null,
  serialize: (word) => word,
});

/**
 * The search that was just set, until the router has it, which is one rendering later: what is typed must not jump back.
 * It belongs to one page.
 */
let ahead: { path: string; search: string } | null = null;
const readers = new Set<() => void>();
function setPendingSearch(next: typeof ahead): void {
  ahead = next;
  for (const notify of readers) notify();
}
const subscribe = (notify: () => void) => {
  readers.add(notify);
  window.addEventListener('popstate', notify);
  return () => {
    readers.delete(notify);
    window.removeEventListener('popstate', notify);
  };
};
/** Whether the address still has what was set: a step back may lead away before the router came there, and then it never comes. */
export const isAtAddress = (set: { path: string; search: string }, address: { pathname: string; search: string }) =>
  set.path === address.pathname &&
  new URLSearchParams(set.search).toString() === new URLSearchParams(address.search).toString();
const readPendingSearch = () => (ahead && isAtAddress(ahead, window.location) ? ahead : null);
/** Changes made by one event are one step back. */
let hasPushed = false;

/** A search with some values changed. Lists and times stay readable. */
export function applySearchChanges(
  before: string,
  parsers: UrlParsers,
  changes: Readonly<Record<string, unknown>>,
): string {
  const search = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    const parser = parsers[name] as (UrlParser<unknown> & Pick<AnyParser, 'initial'>) | undefined;
    if (!parser || value === undefined) continue;
    const text = value === null ? null : parser.serialize(value);
    const isInitial = text !== null && parser.initial !== undefined && text === parser.serialize(parser.initial);
    if (text === null || isInitial) search.delete(name);
    else search.set(name, text);
  }
  return search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

function changeUrl(parsers: UrlParsers, changes: Readonly<Record<string, unknown>>, history: Options['history']): void {
  const { pathname, hash, search: before } = window.location;
  const search = applySearchChanges(before, parsers, changes);
  // The router would not notice.
  if (search === applySearchChanges(before, {}, {})) return;
  setPendingSearch({ path: pathname, search });
  const url = `${pathname}${search && `?${search}`}${hash}`;
  if (history === 'push' && !hasPushed) {
    hasPushed = true;
    setTimeout(() => {
      hasPushed = false;
    });
    window.history.pushState(null, '', url);
  } else window.history.replaceState(null, '', url);
}

/** Values kept in the URL, by their names there, and what sets some of them; null leaves one out. `parsers` must be a constant. */
export function useUrlValues<P extends UrlParsers>(
  parsers: P,
  { history }: Options = {},
): [values: UrlValues<P>, set: (changes: Changes<P>, options?: Options) => void] {
  const params = useSearchParams();
  const path = usePathname();
  const set = useSyncExternalStore(subscribe, readPendingSearch, () => null);
  const search = set?.path === path ? new URLSearchParams(set.search) : params;
  useEffect(() => {
    if (ahead && params.toString() === new URLSearchParams(window.location.search).toString()) setPendingSearch(null);
  }, [params]);
  const texts = JSON.stringify(Object.keys(parsers).map((name) => search.get(name)));
  const values = useMemo(() => {
    const found = JSON.parse(texts) as (string | null)[];
    const parsed = Object.entries(parsers).map(([name, parser], at) => {
      const text = found[at] ?? null;
      return [name, (text === null ? null : parser.parse(text)) ?? parser.initial ?? null];
    });
    return Object.fromEntries(parsed) as UrlValues<P>;
  }, [parsers, texts]);
  const setValues = useCallback(
    (changes: Changes<P>, own?: Options) => changeUrl(parsers, changes, own?.history ?? history),
    [parsers, history],
  );
  return [values, setValues];
}

/** One value kept in the URL. `parser` must be a constant. */
export function useUrlValue<T>(
  name: string,
  parser: WithInitial<T>,
): [value: T, set: (value: T | null, options?: Options) => void];
export function useUrlValue<T>(
  name: string,
  parser: UrlParser<T>,
): [value: T | null, set: (value: T | null, options?: Options) => void];
export function useUrlValue<T>(name: string, parser: UrlParser<T>) {
  const parsers = useMemo(() => ({ [name]: parser }), [name, parser]);
  const [values, set] = useUrlValues(parsers);
  const setValue = useCallback(
    (value: T | null, options?: Options) => set({ [name]: value } as never, options),
    [name, set],
  );
  return [values[name] ?? null, setValue];
}

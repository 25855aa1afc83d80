'use client';
import type { Grantable } from '@/domain/permissions';
import { msg, type Translate, translateOptions } from '@/lib/i18n/translator';
import type { FilterField, FoundOptions, TypedValue } from '@/ui/filter/filter-field';
import type { Option } from '@/ui/option';
import type { FilterSpec, FilterValue } from '../list-state';
import { useClusterOptions } from '../use-cluster-options';
import { usePermissions } from '../use-permissions';

type Field = Omit<FilterField, 'id'>;
type UseField<V> = (t: Translate, value: V | null, choose: (value: V | null) => void) => Field | null;

/** A filter of a list: what the URL may hold for it, and how it is chosen. */
export type Filter<S extends FilterSpec = FilterSpec> = {
  spec: S;
  /** Its field above the list. A hook; null: there is nothing to choose. Without it the page itself shows the value. */
  useField?: UseField<FilterValue<S>>;
  /** Other filters that go when it changes. */
  clears?: readonly string[];
};
/** A filter among others, of whichever kind. */
type AnyFilter = Omit<Filter, 'useField'> & {
  // biome-ignore lint/suspicious/noExplicitAny: its own kind of value, checked where it was declared
  useField?: UseField<any>;
};
export type Filters = Readonly<Record<string, AnyFilter>>;
/** The values of filters; null while one narrows nothing. */
export type FilterValues<F extends Filters> = { [K in keyof F]: FilterValue<F[K]['spec']> | null };

const single = (label: string, options: readonly Option[], value: string | null, choose: (value?: string) => void) => ({
  label,
  single: true,
  options,
  value: value === null ? [] : [value],
  onValueChange: ([chosen]: string[]) => choose(chosen),
});

/** One of a list of words. `textOf` gives the English text of each. */
export const choice = <const W extends readonly string[]>(
  label: string,
  words: W,
  textOf: (word: W[number]) => string,
): Filter<W> => choiceIn(label, words, (t, word) => t(textOf(word)));

/** The same where texts are more than a word to translate. */
export const choiceIn = <const W extends readonly string[]>(
  label: string,
  words: W,
  textOf: (t: Translate, word: W[number]) => string,
): Filter<W> => ({
  spec: words,
  useField: (t, value, choose) =>
    single(
      t(label),
      words.map((word) => ({ value: word, label: textOf(t, word) })),
      value,
      (chosen) => choose((words.find((word) => word === chosen) ?? null) as FilterValue<W> | null),
    ),
});

/** Choices, and one more for a value that is not among them: a link may give any. */
const withOther = (options: readonly Option[], value: string | null, textOf: (value: string) => string): Option[] =>
  value === null || options.some((option) => option.value === value)
    ? [...options]
    : [...options, { value, label: textOf(value) }];

/** One of some values that have a name, or any other that a link gives; `textOf` puts that one into words. */
export const named = (
  label: string,
  options: readonly { value: string; label: string }[],
  textOf: (t: Translate, value: string) => string,
): Filter<'text'> => ({
  spec: 'text',
  useField: (t, value, choose) => {
    const offered = withOther(translateOptions(t, options), value, (other) => textOf(t, other));
    return single(t(label), offered, value, (chosen) => choose(chosen ?? null));
  },
});

/** One of some values that need no translation, or any other that a link gives. */
export const plainChoice = (label: string, values: readonly string[]): Filter<'text'> => ({
  spec: 'text',
  useField: (t, value, choose) => {
    const options = values.map((one) => ({ value: one, label: one }));
    return single(t(label), withOther(options, value, String), value, (chosen) => choose(chosen ?? null));
  },
});

/** Some of a list of words. */
export const several = <const W extends readonly string[]>(
  label: string,
  words: W,
  textOf: (word: W[number]) => string,
): Filter<{ readonly several: W }> => ({
  spec: { several: words },
  useField: (t, value, choose) => ({
    label: t(label),
    options: words.map((word) => ({ value: word, label: t(textOf(word)) })),
    value: (value as string[] | null) ?? [],
    onValueChange: (values) => {
      const chosen = words.filter((word) => values.includes(word));
      choose(chosen.length > 0 ? (chosen as FilterValue<{ readonly several: W }>) : null);
    },
  }),
});

/** Yes or no, as texts, in the order in which they are offered. */
export const flag = (label: string, texts: readonly (readonly [boolean, string])[]): Filter<'flag'> => ({
  spec: 'flag',
  useField: (t, value, choose) =>
    single(
      t(label),
      withOther(
        texts.map(([word, text]) => ({ value: String(word), label: t(text) })),
        value === null ? null : String(value),
        (other) => (other === 'true' ? t('Yes') : t('No')),
      ),
      value === null ? null : String(value),
      (chosen) => choose(chosen === undefined ? null : chosen === 'true'),
    ),
});

/** What a chip shows of an id whose object cannot be read: the server does not say whether it exists. */
export const goneText = (t: Translate) => t('deleted or not visible');

const loaded = <S extends 'id' | 'id_or_none'>(
  spec: S,
  label: string,
  useOptions: () => readonly Option[],
  least: number,
): Filter<S> => ({
  spec,
  useField: (t, value, choose) => {
    const options = useOptions();
    const id = value === null ? null : String(value);
    if (options.length < least && id === null) return null;
    // Until they are loaded, nothing is known about the one that is chosen.
    const offered = withOther(options, id, () => (options.length === 0 ? '…' : goneText(t)));
    return single(t(label), offered, id, (chosen) => choose((chosen ?? null) as FilterValue<S> | null));
  },
});

/** One of what is loaded, by its id. With fewer than `least` to choose from there is no field. */
export const entity = (label: string, useOptions: () => readonly Option[], least = 1): Filter<'id'> =>
  loaded('id', label, useOptions, least);

/** The same, or `none`. */
export const entityOrNone = (label: string, useOptions: () => readonly Option[], least = 1): Filter<'id_or_none'> =>
  loaded('id_or_none', label, useOptions, least);

/** More things than can be loaded: they are found by a text, and named by their id. */
export type Source = {
  /** Without it the things cannot be found, and there is no field. */
  permission: Grantable;
  useFound: (text: string) => FoundOptions;
  /** The name of one; null while it is read, `gone` when there is none to be read. */
  useName: (id: string | null) => { name: string | null; gone: boolean };
};

/** One of what the server finds, by its id; `none` has its own text where the list knows it. */
export const searched = <const S extends 'id' | 'id_or_none'>(
  label: string,
  spec: S,
  source: Source,
  none?: string,
): Filter<S> => ({
  spec,
  useField: (t, value, choose) => {
    const { can } = usePermissions();
    const id = value === null ? null : String(value);
    const { name, gone } = source.useName(id === 'none' ? null : id);
    if (!can(source.permission) && id === null) return null;
    const fixed = none === undefined ? [] : [{ value: 'none', label: t(none) }];
    return {
      ...single(
        t(label),
        withOther(fixed, id, () => name ?? (gone ? goneText(t) : '…')),
        id,
        (chosen) => choose((chosen ?? null) as FilterValue<S> | null),
      ),
      useFound: source.useFound,
    };
  },
});

/** How a value is typed, with its texts in the language of the page. */
export type Typed = (t: Translate) => TypedValue;

/** A value that is typed. */
export const typed = (label: string, how: Typed = () => ({})): Filter<'text'> => ({
  spec: 'text',
  useField: (t, value, choose) => ({
    ...single(t(label), [], value, (chosen) => choose(chosen ?? null)),
    typed: how(t),
  }),
});

/** Held by the URL, shown by the page itself or not at all. */
export const inUrl = <const S extends FilterSpec>(spec: S): Filter<S> => ({ spec });

/** The cluster: most lists have it. */
export const CLUSTER = entity(msg('Cluster'), useClusterOptions);

'use client';
import type { ComponentType } from 'react';
import { msg, optionsIn, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { type FacetProps, FilterChip } from '@/ui/facet';
import type { Option } from '@/ui/option';
import type { FilterSpec, FilterValue } from '../list-state';
import { useClusterOptions } from '../use-cluster-options';

type ChipProps = { label: string; value: string; onRemove: () => void };
type UseFacet<V> = (t: Translate, value: V | null, choose: (value: V | null) => void) => FacetProps | null;

/** A filter of a list: what the URL may hold for it, and how it is shown. */
export type Filter<S extends FilterSpec = FilterSpec> = {
  spec: S;
  label: string;
  /** Its menu above the list. A hook; null: there is nothing to choose. */
  useFacet?: UseFacet<FilterValue<S>>;
  /** What is shown of a value that no menu shows, with a way to take it off. */
  Chip?: ComponentType<ChipProps>;
  /** Other filters that go when it changes. */
  clears?: readonly string[];
};
/** A filter among others, of whichever kind. */
type AnyFilter = Omit<Filter, 'useFacet'> & {
  // biome-ignore lint/suspicious/noExplicitAny: its own kind of value, checked where it was declared
  useFacet?: UseFacet<any>;
};
export type Filters = Readonly<Record<string, AnyFilter>>;
/** The values of filters; null while one narrows nothing. */
export type FilterValues<F extends Filters> = { [K in keyof F]: FilterValue<F[K]['spec']> | null };

const single = (label: string, options: readonly Option[], value: string | null, choose: (value?: string) => void) => ({
  label,
  single: true,
  options,
  value: options.some((option) => option.value === value) && value !== null ? [value] : [],
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
  label,
  useFacet: (t, value, choose) =>
    single(
      t(label),
      words.map((word) => ({ value: word, label: textOf(t, word) })),
      value,
      (chosen) => choose((words.find((word) => word === chosen) ?? null) as FilterValue<W> | null),
    ),
});

/** One of some values that have a name; any other is shown by a chip. */
export const named = <const S extends FilterSpec & string>(
  label: string,
  options: readonly { value: string; label: string }[],
  spec: S,
): Filter<S> => ({
  spec,
  label,
  useFacet: (t, value, choose) =>
    single(t(label), optionsIn(t, options), value === null ? null : String(value), (chosen) =>
      choose((chosen ?? null) as FilterValue<S> | null),
    ),
});

/** One of some values that need no translation, or whatever a link gives. */
export const anyOf = (label: string, values: readonly string[]): Filter<'text'> => ({
  spec: 'text',
  label,
  useFacet: (t, value, choose) => {
    const offered = value === null || values.includes(value) ? values : [...values, value];
    const options = offered.map((one) => ({ value: one, label: one }));
    return single(t(label), options, value, (chosen) => choose(chosen ?? null));
  },
});

/** Some of a list of words. */
export const several = <const W extends readonly string[]>(
  label: string,
  words: W,
  textOf: (word: W[number]) => string,
): Filter<{ readonly several: W }> => ({
  spec: { several: words },
  label,
  useFacet: (t, value, choose) => ({
    label: t(label),
    options: words.map((word) => ({ value: word, label: t(textOf(word)) })),
    value: (value as string[] | null) ?? [],
    onValueChange: (values) => {
      const chosen = words.filter((word) => values.includes(word));
      choose(chosen.length > 0 ? (chosen as FilterValue<{ readonly several: W }>) : null);
    },
  }),
});

/** Yes or no, in words, in the order in which they are offered. */
export const flag = (label: string, texts: readonly (readonly [boolean, string])[]): Filter<'flag'> => ({
  spec: 'flag',
  label,
  useFacet: (t, value, choose) =>
    single(
      t(label),
      texts.map(([word, text]) => ({ value: String(word), label: t(text) })),
      value === null ? null : String(value),
      (chosen) => choose(chosen === undefined ? null : chosen === 'true'),
    ),
});

const loaded = <S extends 'id' | 'id_or_none'>(
  spec: S,
  label: string,
  useOptions: () => readonly Option[],
  least: number,
): Filter<S> => ({
  spec,
  label,
  useFacet: (t, value, choose) => {
    const options = useOptions();
    if (options.length < least && value === null) return null;
    return {
      label: t(label),
      single: true,
      options,
      value: value === null ? [] : [String(value)],
      onValueChange: ([chosen]) => choose((chosen ?? null) as FilterValue<S> | null),
    };
  },
});

/** One of what is loaded, by its id. With fewer than `least` to choose from there is no menu. */
export const entity = (label: string, useOptions: () => readonly Option[], least = 1): Filter<'id'> =>
  loaded('id', label, useOptions, least);

/** The same, or `none`. */
export const entityOrNone = (label: string, useOptions: () => readonly Option[], least = 1): Filter<'id_or_none'> =>
  loaded('id_or_none', label, useOptions, least);

const TextChip = ({ label, value, onRemove }: ChipProps) => (
  <FilterChip label={useT()(label)} value={value} onRemove={onRemove} />
);

/** Set by a link: it has no menu, only a chip that says what it is. `textOf` puts the value into words. */
export const chip = <const S extends FilterSpec>(
  label: string,
  spec: S,
  textOf?: (t: Translate, value: S extends readonly (infer Word)[] ? Word : string) => string,
): Filter<S> => ({
  spec,
  label,
  Chip: textOf
    ? ({ label: name, value, onRemove }) => {
        const t = useT();
        return (
          <FilterChip label={t(name)} value={textOf(t, value as Parameters<typeof textOf>[1])} onRemove={onRemove} />
        );
      }
    : TextChip,
});

/** Held by the URL, shown by the page itself or not at all. */
export const inUrl = <const S extends FilterSpec>(spec: S): Filter<S> => ({ spec, label: '' });

/** The cluster: most lists have it. */
export const CLUSTER = entity(msg('Cluster'), useClusterOptions);

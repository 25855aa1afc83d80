import { createElement, Fragment, type ReactNode } from 'react';
import type { Locale } from './locales';
import { createMessageReader, type Message } from './message';

/** Translations by the English text. */
export type Catalog = Readonly<Record<string, string>>;

type Values = Readonly<Record<string, string | number | boolean | Date | null | undefined>>;
type RichValues = Readonly<Record<string, ReactNode | ((inside: ReactNode) => ReactNode)>>;

/**
 * Says an English text in the language of the page. The English text is the key: `t('Add address')`. With values it is an ICU
 * message: `t('{n, plural, one {# address} other {# addresses}}', { n })`.
 */
export type Translate = {
  (text: string, values?: Values): string;
  /** The same with elements in it: `t.rich('Delete <b>{name}</b>', { name, b: (inside) => <b>{inside}</b> })`. */
  rich(text: string, values: RichValues): ReactNode;
  locale: Locale;
};

/** Marks an English text that is said elsewhere: `const LABEL = msg('Address')`, and then `t(LABEL)`. */
export const msg = <T extends string>(text: T): T => text;

/**
 * A translator. Texts that a catalog lacks are said in English; src/test/i18n holds that none is lacking.
 * @param catalog of the locale; empty for English
 */
export function makeTranslate(locale: Locale, catalog: Catalog): Translate {
  const messages = new Map<string, Message>();
  const read = createMessageReader(locale);
  const getMessage = (text: string, isRich: boolean) => {
    const key = `${isRich ? 'rich' : 'text'} ${text}`;
    const known = messages.get(key);
    if (known) return known;
    const message = read(catalog[text] ?? text, isRich);
    messages.set(key, message);
    return message;
  };
  const t = (text: string, values?: Values) =>
    values === undefined ? (catalog[text] ?? text) : getMessage(text, false)(values).join('');
  const rich = (text: string, values: RichValues): ReactNode => {
    const named: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      named[name] =
        typeof value === 'function' ? (parts: ReactNode[]) => value(createElement(Fragment, null, ...parts)) : value;
    }
    return createElement(Fragment, null, ...(getMessage(text, true)(named) as ReactNode[]));
  };
  return Object.assign(t, { rich, locale });
}

/** A label inside of a sentence: "Search name". German nouns keep their capital. */
export const lowerLabel = (t: Translate, label: string): string => (t.locale === 'de' ? label : label.toLowerCase());

/** What a page says without a catalog, and what tests of texts read. */
export const english: Translate = makeTranslate('en', {});

type Labelled = { label: string; description?: string };

/** Choices whose labels and descriptions are marked with `msg`, said in the language of the page. */
export function translateOptions<O extends Labelled>(
  t: Translate,
  options: readonly O[],
): (Omit<O, keyof Labelled> & Labelled)[] {
  return options.map(({ label, description, ...option }) => ({
    ...option,
    label: t(label),
    ...(description !== undefined && { description: t(description) }),
  }));
}

let accepted = english;

/**
 * The translator of the document, for text produced outside any component, such as the result of a failed request. A
 * document has one language for its lifetime; the server serves several at the same time, so there it is English.
 */
export const getPageTranslate = (): Translate => accepted;

/** Set by the provider. */
export function setPageTranslate(t: Translate): void {
  if (typeof window !== 'undefined') accepted = t;
}

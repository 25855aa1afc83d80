import type { ReactNode } from 'react';
import type { Translate } from '@/lib/i18n/translator';
import type { Option } from '../option';

/** Choices that the server found for a text. */
export type FoundOptions = { options: readonly Option[]; loading: boolean; error?: string | null };

/** How a value is typed where it cannot be chosen. */
export type TypedValue = {
  placeholder?: string;
  inputMode?: 'numeric' | 'text';
  maxLength?: number;
  /** What is wrong with a text, or null. */
  check?: (text: string) => string | null;
  /** The text as it is stored. Default: as typed, without spaces around it. */
  format?: (text: string) => string;
};

/** One field that a list can be filtered by. The state belongs to the caller (in the URL). */
export type FilterField = {
  id: string;
  label: string;
  /** Chosen values; none means no restriction. */
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  /** Only one at a time: choosing closes the choices. */
  single?: boolean;
  /** All choices; with `useFound` the fixed ones and those that are chosen, with their names. */
  options: readonly Option[];
  /** A hook that finds choices on the server. It runs only while the choices are open. */
  useFound?: (text: string) => FoundOptions;
  typed?: TypedValue;
  /** In place of choices, such as a form for two times. `done` closes it. */
  content?: (done: () => void) => ReactNode;
};

/** A field without choices is not offered: some users may not see what it would list. */
export const isChoosable = ({ options, value, useFound, typed, content }: FilterField): boolean =>
  options.length > 0 || value.length > 0 || Boolean(useFound ?? typed ?? content);

/** Names of the chosen values, in the order of the choices. */
export function chosenNames({ options, value }: FilterField): string[] {
  const known = options.filter((option) => value.includes(option.value));
  const rest = value.filter((one) => !known.some((option) => option.value === one));
  return [...known.map(({ label }) => label), ...rest];
}

/** From here on a chip counts the values instead of naming them. */
const MOST_NAMED = 2;

/** The values as a chip shows them: "OK, Failed" or "3 values". */
export function chipText(t: Translate, field: FilterField): string {
  const names = chosenNames(field);
  return names.length > MOST_NAMED ? t('{n, number} values', { n: names.length }) : names.join(', ');
}

/** What takes all values of a field away, or adds and removes single ones. */
export const toggled = ({ value, single }: FilterField, one: string): string[] =>
  value.includes(one) ? value.filter((each) => each !== one) : single ? [one] : [...value, one];

import { FilterParser } from 'ldapts';

/**
 * A text inside a filter (RFC 4515): what has a meaning there, and control characters, become hexadecimal. Letters beyond ASCII stay as
 * they are: the library reads a hexadecimal byte as a character, which would not be the same name.
 */
export const escapeFilterValue = (value: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  value.replace(/[\\*()\u0000-\u001f\u007f]/g, (one) => `\\${one.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** A filter with its placeholders replaced by escaped values, in one pass: a value is never read as a placeholder. */
export const fillFilter = (filter: string, values: { user?: string; dn?: string }): string =>
  filter.replace(/\{(user|dn)\}/g, (_, name: 'user' | 'dn') => escapeFilterValue(values[name] ?? ''));

/** Why a filter cannot be used; null when it can. */
export function findFilterProblem(filter: string): string | null {
  const filled = fillFilter(filter, { user: 'user', dn: 'cn=user' });
  // The library does not miss a parenthesis at the end.
  if (filled.split('(').length !== filled.split(')').length)
    return 'The filter cannot be read: a parenthesis is missing.';
  try {
    FilterParser.parseString(filled);
    return null;
  } catch (error) {
    return `The filter cannot be read: ${(error as Error).message}`;
  }
}

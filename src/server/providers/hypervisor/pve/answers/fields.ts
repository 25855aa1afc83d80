import { z } from 'zod';

/** Text without control characters and line separators, runs of blanks joined, trimmed. */
export const stripControls = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();

/** Booleans come as the numbers 0 and 1; some versions and calls send them as text. */
export const flagField = z
  .union([z.literal([0, 1, '0', '1']), z.boolean()])
  .transform((value) => value === true || value === 1 || value === '1');

/** A number not below zero; configuration calls send numbers as text. */
export const countField = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}(\.\d{1,9})?$/)
      .transform(Number),
  ])
  .pipe(z.number().nonnegative());

/** A whole number not below zero, such as bytes or seconds. */
export const integerField = countField.pipe(z.int());

/** One line of text of at most `max` characters; longer text is cut, control characters are removed. */
export const textField = (max = 255) =>
  z.string().transform((value) => stripControls(value.slice(0, 2 * max)).slice(0, max));

/** A node's name as the cluster allows it. */
export const nodeNameField = z.string().regex(/^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/);

export const vmidField = integerField.pipe(z.number().min(100).max(999_999_999));

/** Enough for every message of the hypervisor that helps, and bounded for the database. */
const MAX_LENGTH = 500;

/**
 * The server's own words in one bounded line, fit to be stored and shown. `secret` is removed should a proxy or a
 * debug message repeat it.
 */
export function providerText(text: string, secret?: string): string {
  const line = stripControls(text.slice(0, 4 * MAX_LENGTH));
  const safe = secret ? line.replaceAll(secret, '…') : line;
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH - 1)}…` : safe;
}

import { z } from 'zod';
import { stripControls } from '../errors/strip-controls';

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

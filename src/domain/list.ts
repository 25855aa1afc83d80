import { z } from 'zod';

export const MAX_PAGE = 500;

/** The largest number in an integer column. */
export const MAX_INTEGER = 2 ** 31 - 1;

/**
 * The query of a list: `?limit=&cursor=&sort=&q=` plus the resource's own filters. `sort` is a field, `-field` for
 * descending. `cursor` is the opaque `next_cursor` of the page before; it belongs to the same sort and filters.
 */
export function listInput<S extends readonly [string, ...string[]], F extends z.ZodRawShape>(sorts: S, filters: F) {
  const both = [...sorts, ...sorts.map((s) => `-${s}`)] as [string, ...string[]];
  return z.strictObject({
    limit: z.coerce
      .number({ error: `A number from 1 to ${MAX_PAGE}.` })
      .int()
      .min(1)
      .max(MAX_PAGE)
      .default(100),
    cursor: z.string().max(600).optional(),
    sort: z.enum(both, { error: `One of ${sorts.join(', ')}, with a leading - for descending order.` }).optional(),
    q: z.string().trim().max(200, 'At most 200 characters.').optional(),
    ...filters,
  });
}

/** One page. `next_cursor` is null on the last one; `total` counts every match, not only this page. */
export type Page<T> = { items: T[]; next_cursor: string | null; total: number };

export const createPageSchema = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next_cursor: z.string().nullable(), total: z.int() });

/** The fields of a list that its file has: all of its schema, in that order, but those named. */
export const fieldsWithout = <S extends z.ZodRawShape, N extends keyof S & string>(
  schema: z.ZodObject<S>,
  ...without: readonly N[]
) =>
  Object.keys(schema.shape).filter((name) => !(without as readonly string[]).includes(name)) as Exclude<
    keyof S & string,
    N
  >[];

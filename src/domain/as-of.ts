import { z } from 'zod';

/** `as_of` of an operation that answers about the past: an RFC 3339 time. Left out: now. */
export const asOf = {
  as_of: z.iso.datetime({ offset: true, error: 'An RFC 3339 time, such as 2026-01-31T12:00:00Z.' }).optional(),
};

/** The input of an operation that takes nothing else. */
export const AsOf = z.strictObject(asOf);

/** What such an operation gets: it reads what was then as if it were now. */
export type AtOneTime<T> = 'as_of' extends keyof T ? Omit<T, 'as_of'> : T;

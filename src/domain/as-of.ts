import { z } from 'zod';
import { Time } from './time';

/** `as_of` of an operation that answers about the past: an RFC 3339 time. Left out: now. */
export const asOf = {
  as_of: Time.optional(),
};

/** The input of an operation that takes nothing else. */
export const AsOf = z.strictObject(asOf);

/** What such an operation gets: it reads what was then as if it were now. */
export type AtOneTime<T> = 'as_of' extends keyof T ? Omit<T, 'as_of'> : T;

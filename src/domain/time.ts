import { z } from 'zod';

const FIRST = '1970-01-01T00:00:00.000Z';
/** The last one with a year of four digits; a far one such as this is how some programs write *never*. */
const LAST = '9999-12-31T23:59:59.999Z';

/** In UTC, in milliseconds or as fine as it was. */
const toUtc = (text: string): string =>
  new Date(text).toISOString().replace(/\.\d{3}/, (milliseconds) => /\.\d{4,}/.exec(text)?.[0] ?? milliseconds);

/**
 * A moment as RFC 3339 with any offset, as inputs take it; it is in UTC from there on. Every input uses it: databases and
 * programs read fewer times than RFC 3339 can write.
 * @param example that is shown to who wrote something else
 */
export const createTimeSchema = (example: string) =>
  z.iso
    .datetime({ offset: true, error: `A time such as ${example}.` })
    .refine((text) => Date.parse(text) >= Date.parse(FIRST) && Date.parse(text) <= Date.parse(LAST), {
      error: 'A time in the years 1970 to 9999, in UTC.',
      abort: true,
    })
    .overwrite(toUtc);

/** The same with the example of most inputs. */
export const Time = createTimeSchema('2026-01-31T12:00:00Z');

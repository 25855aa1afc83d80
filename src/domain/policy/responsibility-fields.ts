import { z } from 'zod';
import { createTimeSchema } from '../time';

const EMAIL = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u;
const ONE_LINE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

/** Email address of who answers for it, in lower case; empty: no owner. */
const Owner = z
  .string({ error: 'An email address.' })
  .trim()
  .max(254, 'At most 254 characters.')
  .toLowerCase()
  .refine((text) => text === '' || (EMAIL.test(text) && ONE_LINE.test(text)), 'An email address, or empty.');

/** Number or address of the request that it comes from; empty: none. */
const Ticket = z
  .string({ error: 'A text.' })
  .trim()
  .max(200, 'At most 200 characters.')
  .regex(ONE_LINE, 'No line breaks or other control characters.');

/** From this time on it has expired; null: never. */
const ExpiresAt = createTimeSchema('2027-01-31T00:00:00Z, or null')
  .transform((text) => new Date(text).toISOString())
  .nullable();

/** Who answers for a policy or a rule, why it exists, and until when. None of it filters a packet. */
export const responsibilityFields = { owner: Owner, ticket: Ticket, expires_at: ExpiresAt };

/** The same of what is created. */
export const responsibilityInput = {
  owner: Owner.default(''),
  ticket: Ticket.default(''),
  expires_at: ExpiresAt.default(null),
};

/** As it is stored and answered. Versions and changes from before have nothing of it. */
export const responsibility = {
  owner: z.string().default(''),
  ticket: z.string().default(''),
  expires_at: z.string().nullable().default(null),
};

import { z } from 'zod';

const Source = z
  .string({ error: 'A name, such as the address of a repository.' })
  .trim()
  .min(1, 'A name of 1 to 200 characters.')
  .max(200, 'A name of 1 to 200 characters.')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'Printable characters only.');
const Commit = z
  .string({ error: 'A commit.' })
  .trim()
  .regex(/^[\w.-]{1,64}$/, 'A commit: up to 64 letters and digits.');

/** Where the content of an object comes from, as `fabric apply` reports it. */
export const ManagedBy = z.strictObject({
  /** Identifies it: only what is applied from the same source edits the object. Usually the address of a repository. */
  source: Source,
  /** The commit that last changed the object. */
  commit: Commit.nullable().default(null),
  /** Where the commit is shown. */
  commit_url: z
    .url({ protocol: /^https?$/, error: 'An address that starts with https://.' })
    .max(500, 'At most 500 characters.')
    .nullable()
    .default(null),
});
export type ManagedBy = z.output<typeof ManagedBy>;

import { z } from 'zod';
import { SAVED_VIEW_SORTS } from './choices';
import { createPageSchema, listInput } from './list';
import { plainText } from './policy/policy';

/** A page of the console, as its path. */
const ViewPage = z
  .string({ error: 'The path of a page, such as /flows.' })
  .max(100, 'At most 100 characters.')
  .regex(/^(\/[a-z][a-z0-9-]*)+$/, 'The path of a page, such as /flows.');

const MAX_QUERY = 4_000;
/** What the URL of a page holds after `?`, in one form. */
const ViewQuery = z
  .string({ error: 'The query of a URL, without the question mark.' })
  .max(MAX_QUERY, `At most ${MAX_QUERY} characters.`)
  .transform((text) => new URLSearchParams(text.replace(/^\?/, '')).toString())
  .refine((text) => text.length <= 3 * MAX_QUERY, 'Too long when escaped. Use fewer filters.');

const fields = {
  name: plainText(100).min(1, 'A name of 1 to 100 characters.'),
  /** Filters, sort and everything else that the URL holds. */
  query: ViewQuery,
  /** Shared with the users of this tenant; null: only for yourself. */
  tenant_id: z.uuid('The ID of a tenant.').nullable(),
};

/** What is needed to save a view of a page. */
export const SavedViewInput = z.strictObject({
  ...fields,
  page: ViewPage,
  tenant_id: fields.tenant_id.default(null),
});
export type SavedViewInput = z.output<typeof SavedViewInput>;

/** What is left out stays. `version` is the one that was read: when it is no longer current, nothing is changed. */
export const SavedViewUpdate = z.strictObject({ ...fields, version: z.int().min(1) }).partial();
export type SavedViewUpdate = z.output<typeof SavedViewUpdate>;

/** A page with its filters under a name. */
export const SavedView = z.object({
  id: z.uuid(),
  page: z.string(),
  name: z.string(),
  query: z.string(),
  tenant_id: z.uuid().nullable(),
  tenant_name: z.string().nullable(),
  /** Whether you may change and delete it. */
  editable: z.boolean(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SavedView = z.output<typeof SavedView>;

export const SavedViewListInput = listInput(SAVED_VIEW_SORTS, {
  /** Views of this page only. */
  page: ViewPage.optional(),
  /** Those shared with this tenant; `none`: your own. */
  tenant_id: z.union([z.uuid(), z.literal('none')], 'The ID of a tenant, or none.').optional(),
});
export type SavedViewListInput = z.output<typeof SavedViewListInput>;
export const SavedViewPage = createPageSchema(SavedView);

import { z } from 'zod';
import { IMPORT_KINDS, IMPORT_OBJECTS, IMPORT_RUN_KINDS, MAX_IMPORT_CHANGES, RUN_STATUSES } from '../choices';
import { createPageSchema, listInput } from '../list';

export type ImportKind = (typeof IMPORT_KINDS)[number];
/** atomic: one bad row and nothing is written · skip_bad: the good rows are written. */
export const IMPORT_MODES = ['atomic', 'skip_bad'] as const;
export const IMPORT_STAGES = ['reading', 'checking', 'writing'] as const;
export const MAX_IMPORT_ROWS = 100_000;
/** Errors kept with their text; all of them are counted. */
export const MAX_IMPORT_ERRORS = 2000;

export const ImportInput = z.strictObject({
  kind: z.enum(IMPORT_KINDS),
  mode: z.enum(IMPORT_MODES).default('atomic'),
  /** Only check: the report says what would happen. */
  dry_run: z.boolean().default(false),
  /** A finished dry run of the same file: the import writes what it listed, or nothing if that would be something else by now. */
  preview_id: z.uuid('The ID of an import that was a dry run.').optional(),
  file_name: z.string().trim().max(200).default(''),
  /** The CSV file with a header line, at most 15 MB. */
  content: z
    .string()
    .min(1, 'The file is empty.')
    .max(15 * 1024 * 1024, 'At most 15 MB.'),
});
export type ImportInput = z.output<typeof ImportInput>;

export const ImportError = z.object({
  /** Line of the file; the header is line 1. */
  line: z.int(),
  field: z.string(),
  message: z.string(),
});

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** What an import writes of one row. */
export const ImportChange = z.object({
  line: z.int(),
  action: z.enum(['create', 'update']),
  /** The address or the prefix. */
  name: z.string(),
  cluster_name: z.string(),
  network_name: z.string(),
  /** Of an import from NetBox: what it is, prefix, address or member of a group. */
  object: z.enum(IMPORT_OBJECTS).optional(),
  /** Why it is written only if it is chosen: what Fabric has differs, and the import did not write it. */
  conflict: z.string().optional(),
  /** Of a new row its values, of another one what changes. */
  fields: z.array(z.object({ field: z.string(), old: value, new: value })),
});
export type ImportChange = z.output<typeof ImportChange>;

export const IpamImport = z.object({
  id: z.uuid(),
  kind: z.enum(IMPORT_RUN_KINDS),
  /** Of an import from NetBox its source; null when that was deleted. */
  netbox_source_id: z.uuid().nullable(),
  mode: z.enum(IMPORT_MODES),
  dry_run: z.boolean(),
  file_name: z.string(),
  status: z.enum(RUN_STATUSES),
  stage: z.enum(IMPORT_STAGES).nullable(),
  progress_done: z.int(),
  progress_total: z.int().nullable(),
  rows_total: z.int().nullable(),
  rows_bad: z.int().nullable(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  /** Changes that are written only if they are chosen. */
  conflicts: z.int(),
  errors_total: z.int(),
  /** Why it failed as a whole. */
  message: z.string().nullable(),
  requested_by_name: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type IpamImport = z.output<typeof IpamImport>;

export const IpamImportDetail = IpamImport.extend({
  errors: z.array(ImportError),
  /** The first rows that are created or changed, conflicts first, else in the order of the file; at most 1000. */
  changes: z.array(ImportChange),
  changes_total: z.int(),
  /** The dry run that listed these changes. */
  preview_id: z.uuid().nullable(),
});
export type IpamImportDetail = z.output<typeof IpamImportDetail>;

export const ImportListInput = listInput(['created_at'], {
  kind: z.enum(IMPORT_RUN_KINDS).optional(),
  status: z.enum(RUN_STATUSES).optional(),
});
export type ImportListInput = z.output<typeof ImportListInput>;
export const ImportPage = createPageSchema(IpamImport);

/** A part of the changes of an import, in their order. */
export const ImportChangesInput = z.strictObject({
  offset: z.coerce.number({ error: 'A whole number.' }).int().min(0).default(0),
  limit: z.coerce
    .number({ error: `A number from 1 to ${MAX_IMPORT_CHANGES}.` })
    .int()
    .min(1)
    .max(MAX_IMPORT_CHANGES)
    .default(500),
});
export type ImportChangesInput = z.output<typeof ImportChangesInput>;
export const ImportChangesPage = z.object({ items: z.array(ImportChange), total: z.int() });
export type ImportChangesPage = z.output<typeof ImportChangesPage>;
export const ImportAccepted = z.object({ import_id: z.uuid() });

import { z } from 'zod';
import { listInput, pageOf } from '../list';
import { RUN_STATUSES } from '../sync';

export const IMPORT_KINDS = ['addresses', 'subnets'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];
/** atomic: one bad row and nothing is written · skip_bad: the good rows are written. */
export const IMPORT_MODES = ['atomic', 'skip_bad'] as const;
export const IMPORT_STAGES = ['reading', 'checking', 'writing'] as const;
export const MAX_IMPORT_ROWS = 100_000;
/** Errors kept with their text; all of them are counted. */
export const MAX_IMPORT_ERRORS = 2000;

/** Columns of the file by kind; those in the second list may be left out. */
export const IMPORT_COLUMNS = {
  addresses: {
    required: ['cluster', 'address'],
    optional: ['network', 'state', 'hostname', 'mac', 'description', 'workload'],
  },
  subnets: {
    required: ['cluster', 'network', 'cidr'],
    optional: ['gateway', 'dns_servers', 'dhcp_enabled', 'vlan_tag', 'description'],
  },
} as const satisfies Record<ImportKind, { required: readonly string[]; optional: readonly string[] }>;

export const ImportInput = z.strictObject({
  kind: z.enum(IMPORT_KINDS),
  mode: z.enum(IMPORT_MODES).default('atomic'),
  /** Only check: the report says what would happen. */
  dry_run: z.boolean().default(false),
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

export const IpamImport = z.object({
  id: z.uuid(),
  kind: z.enum(IMPORT_KINDS),
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
  errors_total: z.int(),
  /** Why it failed as a whole. */
  message: z.string().nullable(),
  requested_by_name: z.string(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});
export type IpamImport = z.output<typeof IpamImport>;

export const IpamImportDetail = IpamImport.extend({ errors: z.array(ImportError) });
export type IpamImportDetail = z.output<typeof IpamImportDetail>;

export const ImportListInput = listInput(['created_at'], {
  kind: z.enum(IMPORT_KINDS).optional(),
  status: z.enum(RUN_STATUSES).optional(),
});
export type ImportListInput = z.output<typeof ImportListInput>;
export const ImportPage = pageOf(IpamImport);
export const ImportAccepted = z.object({ import_id: z.uuid() });

import { z } from 'zod';

/** Version of the backup format; a program reads its own and older ones. */
export const FORMAT_VERSION = 1;

/** Names of the files in the archive. A table's rows are in `tables/<name>/<nnnnnn>.copy`, the text format of COPY. */
export const HEADER_FILE = 'fabric-backup.json';
export const SECRETS_FILE = 'secrets.json';
export const MANIFEST_FILE = 'manifest.json';
export const tableFile = (table: string, part: number) => `tables/${table}/${String(part).padStart(6, '0')}.copy`;
export const TABLE_FILE = /^tables\/([a-z_][a-z0-9_]*)\/(\d{6})\.copy$/;

/** Bytes of one file of a table; a row is never cut. */
export const PART_BYTES = 8 * 1024 * 1024;
/** The largest file that reading accepts: a part and one row beyond it. PostgreSQL allows a row of 1 GiB. */
export const LARGEST_FILE = 1024 * 1024 * 1024;

const name = z.string().regex(/^[a-z_][a-z0-9_]*$/);

/** Comes first: what the backup is of. */
export const BackupHeader = z.object({
  format: z.literal('fabric-backup'),
  format_version: z.number().int().min(1),
  created_at: z.iso.datetime({ offset: true }),
  /** Release that wrote it. */
  program_version: z.string(),
  postgresql_version: z.string(),
  /** Marks managed rules at the provider; two running installations must not share it. */
  instance_id: z.string().nullable(),
  /** Journal times of the migrations that the database had, oldest first: the state of its schema. */
  migrations: z.array(z.number().int()).min(1),
  /** Names the FABRIC_SECRET_KEY that its credentials are encrypted with, without telling it; null when it was not known. */
  key_id: z.string().nullable(),
  /** All keys that its rows name: during a rotation there are two. Earlier releases did not write them. */
  key_ids: z.array(z.string()).optional(),
  includes_key: z.boolean(),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

const BackupTable = z.object({
  name,
  /** In the order of the rows' fields. */
  columns: z.array(name).min(1),
  rows: z.number().int().min(0),
  bytes: z.number().int().min(0),
  /** Over the bytes of its files, in order. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Over the rows as the database sees them, in any order: what a restored table must give again. */
  digest: z.string().regex(/^-?\d+$/),
});
export type BackupTable = z.infer<typeof BackupTable>;

/** Comes last: what must have been read before it. */
export const BackupManifest = z.object({
  tables: z.array(BackupTable).min(1),
  sequences: z.array(z.object({ name, last_value: z.string().regex(/^-?\d+$/), is_called: z.boolean() })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** The keys, only in an encrypted backup that asks for them. */
export const BackupSecrets = z.object({
  secret_key: z.string().min(32),
  previous_secret_key: z.string().min(32).nullable(),
});
export type BackupSecrets = z.infer<typeof BackupSecrets>;

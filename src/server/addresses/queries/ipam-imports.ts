import { and, eq } from 'drizzle-orm';
import type { ImportListInput, IpamImport, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Page } from '@/domain/list';
import { db, type Tx } from '../../db/client';
import { pageOfRows } from '../../db/page-of-rows';
import { ipamImports } from '../../db/schema/ipam';
import { runLeases } from '../../jobs/queries/run-leases';

export type ImportRow = typeof ipamImports.$inferSelect;

export const importLeases = runLeases(ipamImports);

const columns = {
  id: ipamImports.id,
  kind: ipamImports.kind,
  mode: ipamImports.mode,
  dry_run: ipamImports.dry_run,
  file_name: ipamImports.file_name,
  status: ipamImports.status,
  stage: ipamImports.stage,
  progress_done: ipamImports.progress_done,
  progress_total: ipamImports.progress_total,
  rows_total: ipamImports.rows_total,
  rows_bad: ipamImports.rows_bad,
  created: ipamImports.created,
  updated: ipamImports.updated,
  unchanged: ipamImports.unchanged,
  errors_total: ipamImports.errors_total,
  message: ipamImports.message,
  requested_by_name: ipamImports.requested_by_name,
  created_at: ipamImports.created_at,
  started_at: ipamImports.started_at,
  finished_at: ipamImports.finished_at,
};

export async function insertImport(tx: Tx, row: typeof ipamImports.$inferInsert): Promise<void> {
  await tx.insert(ipamImports).values(row);
}

/** Imports page by page, newest first. Two queries. */
export async function listImports(input: ImportListInput): Promise<Page<IpamImport>> {
  const conditions = [
    input.kind === undefined ? undefined : eq(ipamImports.kind, input.kind),
    input.status === undefined ? undefined : eq(ipamImports.status, input.status),
  ];
  return pageOfRows<IpamImport>(
    input,
    { sorts: { created_at: { column: ipamImports.id } }, sort: '-created_at', id: ipamImports.id },
    (paging) => ({
      rows: db
        .select(columns)
        .from(ipamImports)
        .where(and(...conditions, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(ipamImports, and(...conditions)),
    }),
  );
}

export async function findImport(id: string): Promise<IpamImportDetail | null> {
  const [row] = await db
    .select({ ...columns, errors: ipamImports.errors })
    .from(ipamImports)
    .where(eq(ipamImports.id, id));
  return row ?? null;
}

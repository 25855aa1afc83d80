import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import { SAVED_VIEW_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { TenantReach } from '@/domain/permissions';
import { SavedView, type SavedViewListInput } from '@/domain/saved-view';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import { savedViews } from '../../db/schema/saved-views';
import { filterByTenant, tenantInReach } from '../../tenancy/queries/tenant-reach';

export type SavedViewRow = typeof savedViews.$inferSelect;
export type ViewOwner = Pick<SavedViewRow, 'user_id' | 'tenant_id'>;

/** The views that a caller reads: their own (an API token has none), and those shared with some tenants. */
export type ViewReader = { user_id: string | null; tenants: TenantReach };

const columns = selectColumns(SavedView.omit({ editable: true }), savedViews, { tenant_name: tenants.name });
export type FoundView = Omit<SavedView, 'editable'>;

const select = (executor: Executor) =>
  executor.select(columns).from(savedViews).leftJoin(tenants, eq(tenants.id, savedViews.tenant_id)).$dynamic();

const isVisible = ({ user_id, tenants: reach }: ViewReader): SQL | undefined =>
  or(
    user_id === null ? sql`false` : eq(savedViews.user_id, user_id),
    and(sql`${savedViews.tenant_id} is not null`, tenantInReach(savedViews.tenant_id, reach)),
  );

/** Views that are visible to the reader, page by page. */
export async function listSavedViews(reader: ViewReader, input: SavedViewListInput): Promise<Page<FoundView>> {
  const where = and(
    isVisible(reader),
    ...buildConditions(input, savedViews, {
      q: hasText(savedViews.name, savedViews.page, savedViews.query, hasName(savedViews.tenant_id, tenants)),
      tenant_id: (id) => filterByTenant(savedViews.tenant_id, id),
    }),
  );
  const sorts = buildSortKeys(SavedView, SAVED_VIEW_SORTS, { ...columns, id: savedViews.id });
  return queryPage<FoundView>(input, { sorts, sort: 'name', id: savedViews.id }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(savedViews, where),
  }));
}

/** One view that is visible to the reader, or null. */
export async function findSavedView(executor: Executor, reader: ViewReader, id: string): Promise<FoundView | null> {
  const [row] = await select(executor).where(and(eq(savedViews.id, id), isVisible(reader)));
  return row ?? null;
}

/** The row of a view that is visible to the reader; other writers of it wait until the transaction ends. */
export async function lockSavedView(tx: Tx, reader: ViewReader, id: string): Promise<SavedViewRow | null> {
  const [row] = await tx
    .select()
    .from(savedViews)
    .where(and(eq(savedViews.id, id), isVisible(reader)))
    .for('update');
  return row ?? null;
}

const ownedBy = ({ user_id, tenant_id }: ViewOwner): SQL =>
  user_id === null ? eq(savedViews.tenant_id, tenant_id ?? '') : eq(savedViews.user_id, user_id);

/** Whether the owner has a view of this page with this name. */
export async function viewNameTaken(tx: Tx, owner: ViewOwner, page: string, name: string): Promise<boolean> {
  const same = sql`lower(${savedViews.name}) = lower(${name})`;
  return (await tx.$count(savedViews, and(ownedBy(owner), eq(savedViews.page, page), same))) > 0;
}

/** How many views an owner has. */
export const countSavedViews = (tx: Tx, owner: ViewOwner): Promise<number> => tx.$count(savedViews, ownedBy(owner));

export async function insertSavedView(tx: Tx, row: typeof savedViews.$inferInsert): Promise<void> {
  await tx.insert(savedViews).values(row);
}

export async function updateSavedView(tx: Tx, id: string, changes: Partial<SavedViewRow>): Promise<void> {
  await tx
    .update(savedViews)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(savedViews.id, id));
}

export async function deleteSavedView(tx: Tx, id: string): Promise<void> {
  await tx.delete(savedViews).where(eq(savedViews.id, id));
}

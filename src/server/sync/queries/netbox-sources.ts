import { and, eq, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { NETBOX_SOURCE_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { NetboxSource, type NetboxSourceListInput } from '@/domain/netbox/source';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { netboxSources } from '../../db/schema/netbox';
import { networks } from '../../db/schema/networks';
import { securityGroups } from '../../db/schema/policies';

export type NetboxSourceRow = typeof netboxSources.$inferSelect;

/** A list of the source with a name from another table for each id in it. */
const withNames = <T>(
  column: AnyPgColumn,
  idField: string,
  nameField: string,
  named: PgTable & { id: AnyPgColumn; name: AnyPgColumn },
) =>
  sql<T>`(select coalesce(jsonb_agg(one.value || jsonb_build_object(${nameField}::text,
    (select ${named.name} from ${named} where ${named.id} = (one.value ->> ${idField}::text)::uuid)) order by one.at), '[]')
    from jsonb_array_elements(${column}) with ordinality as one(value, at))`;

const columns = selectColumns(NetboxSource, netboxSources, {
  networks: withNames<NetboxSource['networks']>(netboxSources.networks, 'network_id', 'network_name', networks),
  groups: withNames<NetboxSource['groups']>(
    netboxSources.groups,
    'security_group_id',
    'security_group_name',
    securityGroups,
  ),
});
const SORTS = buildSortKeys(NetboxSource, NETBOX_SOURCE_SORTS, netboxSources);

/** Sources page by page, without their tokens. Two queries. */
export function listNetboxSources(input: NetboxSourceListInput): Promise<Page<NetboxSource>> {
  const where = and(...buildConditions(input, netboxSources, { q: hasText(netboxSources.name, netboxSources.url) }));
  return queryPage<NetboxSource>(input, { sorts: SORTS, sort: 'name', id: netboxSources.id }, (paging) => ({
    rows: db
      .select(columns)
      .from(netboxSources)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(netboxSources, where),
  }));
}

export async function findNetboxSource(executor: Executor, id: string): Promise<NetboxSource | null> {
  const [row] = await executor.select(columns).from(netboxSources).where(eq(netboxSources.id, id));
  return row ?? null;
}

/** The stored source with its encrypted token, to read from. */
export async function findNetboxSourceRow(executor: Executor, id: string): Promise<NetboxSourceRow | null> {
  const [row] = await executor.select().from(netboxSources).where(eq(netboxSources.id, id));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockNetboxSource(tx: Tx, id: string): Promise<NetboxSourceRow | null> {
  const [row] = await tx.select().from(netboxSources).where(eq(netboxSources.id, id)).for('update');
  return row ?? null;
}

export const netboxSourceNameTaken = async (tx: Tx, name: string): Promise<boolean> =>
  (await tx.$count(netboxSources, eq(netboxSources.name, name))) > 0;

export async function insertNetboxSource(tx: Tx, row: typeof netboxSources.$inferInsert): Promise<void> {
  await tx.insert(netboxSources).values(row);
}

export async function updateNetboxSourceRow(tx: Tx, id: string, changes: Partial<NetboxSourceRow>): Promise<void> {
  await tx
    .update(netboxSources)
    .set({ ...changes, version: sql`${netboxSources.version} + 1`, updated_at: sql`now()` })
    .where(eq(netboxSources.id, id));
}

export async function deleteNetboxSourceRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(netboxSources).where(eq(netboxSources.id, id));
}

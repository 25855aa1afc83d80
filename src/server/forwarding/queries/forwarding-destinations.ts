import { and, eq, type SQL, sql } from 'drizzle-orm';
import { FORWARDING_SORTS } from '@/domain/choices';
import {
  ForwardingDestination,
  type ForwardingDestinationListInput,
  type ForwardingProgress,
} from '@/domain/forwarding/destination';
import type { Page } from '@/domain/list';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { tenants } from '../../db/schema/access';
import { forwardingDestinations, forwardingStreams } from '../../db/schema/forwarding';

export type DestinationRow = typeof forwardingDestinations.$inferSelect;

const { id: destinationId } = forwardingDestinations;

const time = (name: string): SQL =>
  sql.raw(`'${name}', to_char(s.${name} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

const columns = selectColumns(ForwardingDestination, forwardingDestinations, {
  tenant_name: tenants.name,
  has_header_value: sql<boolean>`${forwardingDestinations.header_value_encrypted} is not null`,
  progress: sql<
    ForwardingProgress[]
  >`(select coalesce(json_agg(json_build_object('stream', s.stream, 'sent', s.sent, 'lost', s.lost,
    'is_lost_exact', s.is_lost_exact, 'shortened', s.shortened, 'waiting', s.waiting, 'last_error', s.last_error,
    ${time('last_lost_at')}, ${time('last_sent_at')}, ${time('last_failed_at')}, ${time('next_attempt_at')}) order by s.stream), '[]')
    from ${forwardingStreams} as s where s.destination_id = ${destinationId})`,
});

const SORTS = buildSortKeys(ForwardingDestination, FORWARDING_SORTS, forwardingDestinations);

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(forwardingDestinations)
    .leftJoin(tenants, eq(tenants.id, forwardingDestinations.tenant_id))
    .$dynamic();

/** Destinations page by page. Two queries. */
export function listDestinations(input: ForwardingDestinationListInput): Promise<Page<ForwardingDestination>> {
  const where = and(
    ...buildConditions(input, forwardingDestinations, {
      q: hasText(
        forwardingDestinations.name,
        forwardingDestinations.host,
        forwardingDestinations.url_origin,
        hasName(forwardingDestinations.tenant_id, tenants),
      ),
    }),
  );
  return queryPage<ForwardingDestination>(input, { sorts: SORTS, sort: 'name', id: destinationId }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(forwardingDestinations, where),
  }));
}

export async function findDestination(executor: Executor, id: string): Promise<ForwardingDestination | null> {
  const [row] = await select(executor).where(eq(destinationId, id));
  return row ?? null;
}

/** The stored destination with what is encrypted in it, to send to. */
export async function findDestinationRow(executor: Executor, id: string): Promise<DestinationRow | null> {
  const [row] = await executor.select().from(forwardingDestinations).where(eq(destinationId, id));
  return row ?? null;
}

/** The same, locked until the transaction ends. */
export async function lockDestination(tx: Tx, id: string): Promise<DestinationRow | null> {
  const [row] = await tx.select().from(forwardingDestinations).where(eq(destinationId, id)).for('update');
  return row ?? null;
}

export const destinationNameTaken = async (tx: Tx, name: string): Promise<boolean> =>
  (await tx.$count(forwardingDestinations, eq(forwardingDestinations.name, name))) > 0;

export async function insertDestination(tx: Tx, row: typeof forwardingDestinations.$inferInsert): Promise<void> {
  await tx.insert(forwardingDestinations).values(row);
}

export async function updateDestinationRow(tx: Tx, id: string, changes: Partial<DestinationRow>): Promise<void> {
  await tx
    .update(forwardingDestinations)
    .set({ ...changes, version: sql`${forwardingDestinations.version} + 1`, updated_at: sql`now()` })
    .where(eq(destinationId, id));
}

export async function deleteDestinationRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(forwardingDestinations).where(eq(destinationId, id));
}

import { and, eq, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { ImpactConversation, ImpactConversationInput } from '@/domain/impact/impact';
import { type ImpactReader, KeptConversation } from '@/domain/impact/stored-impact';
import type { Page } from '@/domain/list';
import type { Owned } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { changes } from '../../db/schema/changes';
import { impactConversations, impacts } from '../../db/schema/impacts';
import { runLeases } from '../../jobs/queries/run-leases';

export type ImpactRow = typeof impacts.$inferSelect;

export const impactLeases = runLeases(impacts);

/** Stores an impact to be computed, unless there is one with the same key that did not fail. @returns the id of either */
export async function storeImpact(tx: Tx, row: typeof impacts.$inferInsert & { id: string }) {
  const [added] = await tx.insert(impacts).values(row).onConflictDoNothing().returning({ id: impacts.id });
  if (added) return { id: added.id, added: true };
  const [known] = await tx
    .select({ id: impacts.id })
    .from(impacts)
    .where(and(eq(impacts.key, row.key), ne(impacts.status, 'failed')));
  return known ? { id: known.id, added: false } : null;
}

/** How many impacts are not computed yet, of those for readers who see the same policies. */
export const countUnfinished = (tx: Tx, { policies }: ImpactReader): Promise<number> =>
  impactLeases.countUnfinished(tx, sql`${impacts.reader} -> 'policies' = ${JSON.stringify(policies)}::jsonb`);

export async function findImpact(executor: Executor, id: string): Promise<ImpactRow | null> {
  const [row] = await executor.select().from(impacts).where(eq(impacts.id, id));
  return row ?? null;
}

/** Whether an impact has ended; true when it is gone. */
export async function isImpactOver(id: string): Promise<boolean> {
  const [row] = await db.select({ status: impacts.status }).from(impacts).where(eq(impacts.id, id));
  return row?.status !== 'queued' && row?.status !== 'running';
}

export async function acknowledgeImpact(tx: Tx, id: string): Promise<void> {
  await tx.update(impacts).set({ acknowledged_at: sql`now()` }).where(eq(impacts.id, id));
}

/** Names of tenants and projects that own something. One query. */
export async function findOwnerNames(owned: readonly Owned[]): Promise<Map<string, string>> {
  const ids = [...new Set(owned.flatMap(({ tenant_id, project_id }) => [tenant_id ?? [], project_id ?? []].flat()))];
  if (ids.length === 0) return new Map();
  const of = (table: typeof tenants | typeof projects) =>
    db.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, ids));
  const rows = await of(tenants).unionAll(of(projects));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const BATCH = 1_000;
const getEndName = ({ workload, prefix }: ImpactConversation['client']) => workload?.name ?? prefix;

/** Replaces the conversations of an impact. */
export async function storeConversations(
  tx: Tx,
  impact_id: string,
  conversations: readonly ImpactConversation[],
): Promise<void> {
  await tx.delete(impactConversations).where(eq(impactConversations.impact_id, impact_id));
  for (let at = 0; at < conversations.length; at += BATCH) {
    await tx.insert(impactConversations).values(
      conversations.slice(at, at + BATCH).map((conversation) => ({
        impact_id,
        id: conversation.id,
        outcome: conversation.outcome,
        client_workload_id: conversation.client.workload?.id ?? null,
        server_workload_id: conversation.server.workload?.id ?? null,
        client: getEndName(conversation.client),
        server: getEndName(conversation.server),
        port: conversation.port,
        bytes: conversation.bytes,
        flows: conversation.flows,
        last_seen_at: conversation.last_seen_at,
        conversation,
      })),
    );
  }
}

type Kept = { id: string; conversation: ImpactConversation };
const { id, bytes, flows, last_seen_at, client, server, port } = impactConversations;

/** Conversations of an impact page by page, most harmful first. Two queries. */
export async function listConversations(
  impactId: string,
  input: ImpactConversationInput,
): Promise<Page<ImpactConversation>> {
  const conditions = buildConditions(input, impactConversations, {
    workload_id: (workload) =>
      or(eq(impactConversations.client_workload_id, workload), eq(impactConversations.server_workload_id, workload)),
    q: hasText(client, server, sql`${port}::text`),
  });
  const where = and(eq(impactConversations.impact_id, impactId), ...conditions);
  const page = await queryPage<Kept>(
    input,
    {
      sorts: {
        outcome: { column: id },
        bytes: { column: bytes, sortValue: (row: Kept) => row.conversation.bytes },
        flows: { column: flows, sortValue: (row: Kept) => row.conversation.flows },
        last_seen_at: { column: last_seen_at, sortValue: (row: Kept) => row.conversation.last_seen_at },
        client: { column: client, sortValue: (row: Kept) => getEndName(row.conversation.client) },
        server: { column: server, sortValue: (row: Kept) => getEndName(row.conversation.server) },
        port: {
          column: sql`coalesce(${port}, -1)`,
          type: 'number',
          sortValue: (row: Kept) => row.conversation.port ?? -1,
        },
      },
      sort: 'outcome',
      id,
    },
    (paging) => ({
      rows: db
        .select({ ...selectColumns(KeptConversation, impactConversations, {}), id: sql<string>`${id}::text` })
        .from(impactConversations)
        .where(and(where, paging.after))
        .orderBy(...paging.order)
        .limit(paging.limit),
      total: db.$count(impactConversations, where),
    }),
  );
  return { ...page, items: page.items.map(({ conversation }) => conversation) };
}

/** Deletes impacts from before `cutoff`, but never one that an apply acknowledged, also one that waits for its time. @returns how many */
export async function deleteOldImpacts(executor: Executor, cutoff: string): Promise<number> {
  const rows = await executor
    .delete(impacts)
    .where(
      and(
        lt(impacts.created_at, cutoff),
        isNull(impacts.acknowledged_at),
        sql`not exists (select 1 from ${changes} where ${changes.apply_request} ->> 'impact_id' = ${impacts.id}::text)`,
      ),
    )
    .returning({ id: impacts.id });
  return rows.length;
}

/** All conversations of an impact that are kept and that the change newly blocks. */
export async function listNewlyBlocked(impactId: string): Promise<ImpactConversation[]> {
  const rows = await db
    .select({ conversation: impactConversations.conversation })
    .from(impactConversations)
    .where(and(eq(impactConversations.impact_id, impactId), eq(impactConversations.outcome, 'newly_blocked')));
  return rows.map(({ conversation }) => conversation);
}

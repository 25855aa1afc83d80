import { and, eq, gte, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { z } from 'zod';
import {
  EscapedConversation,
  type EscapedListInput,
  type EscapedSummary,
  type EscapeReason,
} from '@/domain/enforcement-chain/escaped';
import { listServicesNamed } from '@/domain/firewall/data/services';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasName, hasText, selectColumns, skipCondition } from '../../db/declared-fields';
import { queryPage, type SortKeys } from '../../db/query-page';
import { clusters } from '../../db/schema/clusters';
import { escapedConversations as escaped } from '../../db/schema/escaped';
import { workloads } from '../../db/schema/workloads';
import { workloadInReach } from '../../tenancy/queries/tenant-reach';

export type EscapedRow = typeof escaped.$inferSelect;
export type NewEscaped = Omit<EscapedRow, 'reason'>;

/** Conversations that are kept of one workload. A scan must not fill the table. */
const MOST_OF_WORKLOAD = 500;

/** Stores candidates, sorted by workload; of one that is known, when it was last seen. */
export async function storeEscaped(tx: Tx, rows: readonly NewEscaped[]): Promise<void> {
  for (const row of rows) {
    await tx
      .insert(escaped)
      .values(row)
      .onConflictDoUpdate({
        target: [
          escaped.workload_id,
          escaped.direction,
          escaped.client_ip,
          escaped.client_port,
          escaped.server_ip,
          escaped.server_port,
          escaped.protocol,
          escaped.filter_hash,
        ],
        set: { last_seen_at: sql`greatest(${escaped.last_seen_at}, excluded.last_seen_at)` },
      });
  }
  const ids = [...new Set(rows.map(({ workload_id }) => workload_id))];
  if (ids.length === 0) return;
  await tx.execute(sql`
    delete from ${escaped} where id in (select id from (
      select id, row_number() over (partition by workload_id order by last_seen_at desc, id) as place
      from ${escaped} where ${inArray(escaped.workload_id, ids)}) as kept where place > ${MOST_OF_WORKLOAD})`);
}

/** Those of which it is not decided yet whether the rules were live, oldest first. */
export async function listUndecided(tx: Tx, limit: number): Promise<EscapedRow[]> {
  return tx
    .select()
    .from(escaped)
    .where(isNull(escaped.reason))
    .orderBy(escaped.found_at, escaped.id)
    .limit(limit)
    .for('update', { skipLocked: true });
}

/** Workloads with conversations since a time of which it is not decided yet whether the rules were live. */
export async function listUndecidedWorkloads(executor: Executor, since: string): Promise<string[]> {
  const rows = await executor
    .selectDistinct({ id: escaped.workload_id })
    .from(escaped)
    .where(and(isNull(escaped.reason), gte(escaped.last_seen_at, since)));
  return rows.map(({ id }) => id);
}

export async function decideEscaped(tx: Tx, reason: EscapeReason, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .update(escaped)
      .set({ reason })
      .where(inArray(escaped.id, [...ids]));
}

export async function deleteEscaped(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(escaped).where(inArray(escaped.id, [...ids]));
}

/** Deletes what was last seen before, and what could not be decided since. */
export async function retainEscaped(tx: Tx, before: { seen: string; undecided: string }): Promise<void> {
  await tx.delete(escaped).where(
    sql`${escaped.last_seen_at} < ${before.seen}::timestamptz
      or (${escaped.reason} is null and ${escaped.found_at} < ${before.undecided}::timestamptz)`,
  );
}

/** What was found before a workload came to its project is not shown to those who see it there. */
const visible = (reach: Reach): SQL =>
  and(
    isNotNull(escaped.reason),
    reach === 'all' ? undefined : sql`${escaped.project_id} is not distinct from ${workloads.project_id}`,
    workloadInReach(reach),
  ) ?? sql`true`;

/** A conversation as it is stored, with its workload. What is said about it is computed from that. */
const StoredEscape = EscapedConversation.omit({ service_name: true, peer: true, remedy: true, policy: true });
export type StoredEscape = z.output<typeof StoredEscape> &
  Pick<EscapedRow, 'broken_detail' | 'policy_id' | 'peer_workload_id'>;

const COLUMNS = {
  workload_name: workloads.name,
  vmid: workloads.vmid,
  cluster_id: workloads.cluster_id,
  cluster_name: clusters.name,
  nic: sql<string | null>`'net' || ${escaped.nic}`,
  client_ip: sql<string>`host(${escaped.client_ip})`,
  server_ip: sql<string>`host(${escaped.server_ip})`,
  reason: sql<EscapeReason>`${escaped.reason}`,
  broken_link: sql<
    EscapedRow['broken_link']
  >`case when ${escaped.reason} = 'broken_link' then ${escaped.broken_link} end`,
};
const SORTS: SortKeys = {
  last_seen_at: { column: escaped.last_seen_at },
  first_seen_at: { column: escaped.first_seen_at },
};

/** Whether the port is that of a service with this name. */
function hasService(name: string): SQL | undefined {
  const services = listServicesNamed(name.toLowerCase());
  return services.length > 0 ? inArray(sql`${escaped.protocol} || '/' || ${escaped.server_port}`, services) : undefined;
}

/** Escaped conversations of visible workloads, the last seen first. Two queries. */
export async function listEscaped(
  reach: Reach,
  { days, ...input }: EscapedListInput & { since: string },
): Promise<Page<StoredEscape>> {
  const conditions = [
    visible(reach),
    ...buildConditions(input, escaped, {
      q: hasText(
        workloads.name,
        sql`host(${escaped.client_ip})`,
        sql`host(${escaped.server_ip})`,
        sql`${escaped.client_port}::text`,
        sql`${escaped.server_port}::text`,
        hasName(workloads.cluster_id, clusters),
        hasService,
      ),
      since: (at) => gte(escaped.last_seen_at, at),
      workload_id: (id) => eq(escaped.workload_id, id),
      cluster_id: (id) => eq(workloads.cluster_id, id),
      project_id: (id) => eq(workloads.project_id, id),
      tenant_id: skipCondition,
      reason: (reasons) => inArray(escaped.reason, reasons),
      broken_link: (link) => and(eq(escaped.reason, 'broken_link'), eq(escaped.broken_link, link)),
    }),
  ];
  const join = eq(workloads.id, escaped.workload_id);
  return queryPage<StoredEscape>(input, { sorts: SORTS, sort: '-last_seen_at', id: escaped.id }, (paging) => ({
    rows: db
      .select({
        ...selectColumns(StoredEscape, escaped, { ...COLUMNS, denied_by: escaped.denied_by }),
        broken_detail: escaped.broken_detail,
        policy_id: escaped.policy_id,
        peer_workload_id: escaped.peer_workload_id,
      })
      .from(escaped)
      .innerJoin(workloads, join)
      .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db
      .select({ count: sql<number>`count(*)::int` })
      .from(escaped)
      .innerJoin(workloads, join)
      .where(and(...conditions))
      .then(([row]) => row?.count ?? 0),
  }));
}

type SummedRow = EscapedSummary['most'][number] & { all: number; workloads: number; older: number };

/** Escaped conversations of visible workloads since a time, with the workloads that have most. One query. */
export async function sumEscaped(reach: Reach, since: string, limit: number): Promise<EscapedSummary> {
  const rows = await db.execute<SummedRow>(sql`
    with found as (
      select ${escaped.workload_id} as workload_id, ${workloads.name} as workload_name, ${escaped.reason} as reason,
        ${escaped.broken_link} as broken_link
      from ${escaped} join ${workloads} on ${workloads.id} = ${escaped.workload_id}
      where ${escaped.last_seen_at} >= ${since}::timestamptz and ${visible(reach)}),
    escaped as (
      select workload_id, workload_name, count(*)::int as conversations,
        mode() within group (order by reason) as reason, mode() within group (order by broken_link) as link
      from found where reason <> 'older_connection' group by 1, 2),
    total as (
      select count(*) filter (where reason = 'older_connection')::int as older,
        count(*) filter (where reason <> 'older_connection')::int as all,
        (count(distinct workload_id) filter (where reason <> 'older_connection'))::int as workloads from found)
    select total.*, e.workload_id, e.workload_name, e.conversations, e.reason,
      case when e.reason = 'broken_link' then e.link end as broken_link
    from total left join escaped e on true order by e.conversations desc nulls last, e.workload_id limit ${limit}`);
  const [first] = rows;
  return {
    since,
    conversations: first?.all ?? 0,
    workloads: first?.workloads ?? 0,
    older_connections: first?.older ?? 0,
    most: rows.flatMap(({ workload_id, workload_name, conversations, reason, broken_link }) =>
      workload_id === null ? [] : [{ workload_id, workload_name, conversations, reason, broken_link }],
    ),
  };
}

/** Open connections of a workload that its present rules deny and that are older than these, by the number of the interface. */
export async function countOlderConnections(
  executor: Executor,
  workloadId: string,
  filterHash: string,
  since: string,
): Promise<Map<number | null, number>> {
  const rows = await executor
    .select({ nic: escaped.nic, count: sql<number>`count(*)::int` })
    .from(escaped)
    .where(
      and(
        eq(escaped.workload_id, workloadId),
        eq(escaped.filter_hash, filterHash),
        eq(escaped.reason, 'older_connection'),
        sql`${escaped.last_seen_at} >= ${since}::timestamptz`,
      ),
    )
    .groupBy(escaped.nic);
  return new Map(rows.map(({ nic, count }) => [nic, count]));
}

import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { SECURITY_GROUP_MEMBER_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { SecurityGroupMember, type SecurityGroupMemberListInput } from '@/domain/security-group';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { queryPage } from '../../db/query-page';
import { ipAddresses } from '../../db/schema/addresses';
import { clusters } from '../../db/schema/clusters';
import { securityGroupMembers, securityGroups } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { memberByHand, memberByTag, memberInReach } from './security-groups';

const MEMBER_ADDRESSES = 5;
const source = sql<SecurityGroupMember['source']>`case when ${memberByHand} then 'manual' else 'tag' end`;
const selectMemberTime = (column: 'created_at' | 'updated_at') =>
  sql<
    string | null
  >`(select to_char(${securityGroupMembers[column]} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from ${securityGroupMembers} where ${eq(securityGroupMembers.security_group_id, securityGroups.id)}
    and ${eq(securityGroupMembers.workload_id, workloads.id)})`;

/** The workload's id tells rows apart. */
const MemberRow = SecurityGroupMember.extend({ id: z.uuid() });
type Row = z.output<typeof MemberRow>;

const columns = selectColumns(MemberRow, workloads, {
  security_group_id: securityGroups.id,
  workload_id: workloads.id,
  workload_name: workloads.name,
  workload_external_id: workloads.external_id,
  source,
  cluster_name: clusters.name,
  addresses: sql<string[]>`array(select host(${ipAddresses.address}) from ${ipAddresses}
    where ${eq(ipAddresses.workload_id, workloads.id)} and ${ipAddresses.state} <> 'stale'
    order by ${ipAddresses.address} limit ${MEMBER_ADDRESSES})`,
  created_at: selectMemberTime('created_at'),
  updated_at: selectMemberTime('updated_at'),
});
const SORTS = {
  ...buildSortKeys(MemberRow, SECURITY_GROUP_MEMBER_SORTS, columns),
  workload_name: keyOrder(workloads.sort_name, 'workload_name'),
  cluster_name: keyOrder(clusters.sort_name, 'cluster_name'),
};

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(workloads)
    .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .innerJoin(securityGroups, or(memberByHand, memberByTag))
    .$dynamic();

/** Members of a group, page by page. The caller has checked that the group is visible. Two queries. */
export async function listMembers(
  reach: Reach,
  groupId: string,
  input: SecurityGroupMemberListInput,
): Promise<Page<SecurityGroupMember>> {
  const conditions: (SQL | undefined)[] = [
    eq(securityGroups.id, groupId),
    or(memberByHand, memberByTag),
    memberInReach(reach),
    ...buildConditions(input, workloads, {
      q: hasText(workloads.name, workloads.external_id, hasName(workloads.cluster_id, clusters)),
      source: (desired) => sql`${source} = ${desired}`,
    }),
  ];
  const list = { sorts: SORTS, sort: 'workload_name', id: workloads.id };
  const page = await queryPage<Row>(input, list, (paging) => ({
    rows: select(db)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db
      .select({ total: sql<number>`count(*)::int` })
      .from(workloads)
      .innerJoin(securityGroups, or(memberByHand, memberByTag))
      .where(and(...conditions))
      .then(([row]) => row?.total ?? 0),
  }));
  return { ...page, items: page.items.map(({ id: _, ...member }) => member) };
}

/** One member, or null. */
export async function findMember(
  executor: Executor,
  groupId: string,
  workloadId: string,
): Promise<SecurityGroupMember | null> {
  const [row] = await select(executor).where(and(eq(securityGroups.id, groupId), eq(workloads.id, workloadId)));
  if (!row) return null;
  const { id: _, ...member } = row;
  return member;
}

/** Adds members; those that are members already stay. @returns the ids that were added */
export async function insertMembers(tx: Tx, groupId: string, workloadIds: readonly string[]): Promise<string[]> {
  if (workloadIds.length === 0) return [];
  const rows = await tx
    .insert(securityGroupMembers)
    .values([...workloadIds].sort().map((workload_id) => ({ security_group_id: groupId, workload_id })))
    .onConflictDoNothing()
    .returning({ workload_id: securityGroupMembers.workload_id });
  return rows.map((row) => row.workload_id);
}

/** Which of the workloads were added to the group manually; without workloads, all that were. */
export async function listAddedMembers(
  executor: Executor,
  groupId: string,
  workloadIds?: readonly string[],
): Promise<string[]> {
  if (workloadIds?.length === 0) return [];
  const rows = await executor
    .select({ workload_id: securityGroupMembers.workload_id })
    .from(securityGroupMembers)
    .where(
      and(
        eq(securityGroupMembers.security_group_id, groupId),
        workloadIds && inArray(securityGroupMembers.workload_id, [...workloadIds]),
      ),
    );
  return rows.map((row) => row.workload_id);
}

/** Removes members that were added manually. @returns the ids that were removed */
export async function deleteMembers(tx: Tx, groupId: string, workloadIds: readonly string[]): Promise<string[]> {
  if (workloadIds.length === 0) return [];
  const rows = await tx
    .delete(securityGroupMembers)
    .where(
      and(
        eq(securityGroupMembers.security_group_id, groupId),
        inArray(securityGroupMembers.workload_id, [...workloadIds]),
      ),
    )
    .returning({ workload_id: securityGroupMembers.workload_id });
  return rows.map((row) => row.workload_id);
}

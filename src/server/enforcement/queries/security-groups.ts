import { and, eq, exists, inArray, or, type SQL, sql } from 'drizzle-orm';
import { SECURITY_GROUP_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { getReachableProjects, type Owned, type Reach } from '@/domain/permissions';
import { SecurityGroup, type SecurityGroupListInput } from '@/domain/security-group';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { policies, securityGroupMembers, securityGroups } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { projectName } from '../../tenancy/queries/projects';
import { filterByTenant, ownedBy, ownedInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';

export type SecurityGroupRow = typeof securityGroups.$inferSelect;

/** The workload belongs to the tenant of the group, and to its project, which may have been others when it was added. */
const ofTheSameTenant = sql`(${securityGroups.tenant_id} is null or exists (select 1 from ${projects}
    where ${eq(projects.id, workloads.project_id)} and ${eq(projects.tenant_id, securityGroups.tenant_id)}
    and (${securityGroups.project_id} is null or ${eq(projects.id, securityGroups.project_id)})))`;

/** The workload has the tags of the group and belongs to its tenant, for a WHERE in which both stand. */
export const memberByTag = sql`(cardinality(${securityGroups.member_tags}) > 0
  and case ${securityGroups.member_tags_match} when 'all' then ${workloads.tags} @> ${securityGroups.member_tags}
    else ${workloads.tags} && ${securityGroups.member_tags} end
  and ${ofTheSameTenant})`;

/** The workload is a member that was added manually, and still belongs to the group's tenant. */
export const memberByHand = sql`exists (select 1 from ${securityGroupMembers}
  where ${eq(securityGroupMembers.security_group_id, securityGroups.id)}
  and ${eq(securityGroupMembers.workload_id, workloads.id)} and ${ofTheSameTenant})`;

/** The policy may name the group by its name: platform policies name those of tenants by id only. */
const nameKnown = sql`(${policies.tenant_id} is not null or ${securityGroups.tenant_id} is null)`;
const named = (
  side: 'sources' | 'targets',
) => sql`(jsonb_exists(${policies.definition} -> ${sql.raw(`'${side}'`)}, 'sg:' || ${securityGroups.id})
  or (${nameKnown} and jsonb_exists(${policies.definition} -> ${sql.raw(`'${side}'`)}, 'sg:' || ${securityGroups.name})))`;

/** The policy names the group by id or by name, as it would be resolved for the policy's tenant or project. */
export const policyNamesGroup = sql`(${policies.tenant_id} is null or (${policies.tenant_id} = ${securityGroups.tenant_id}
    and ${policies.project_id} is not distinct from ${securityGroups.project_id}))
  and (${named('sources')} or ${named('targets')})`;

/** The groups with one of these names, whatever their owner. */
export const listGroupsNamed = (executor: Executor, names: readonly string[]) =>
  executor
    .select({
      id: securityGroups.id,
      name: securityGroups.name,
      tenant_id: securityGroups.tenant_id,
      project_id: securityGroups.project_id,
    })
    .from(securityGroups)
    .where(inArray(securityGroups.name, [...names]));

/**
 * The group belongs to a tenant and has members in a project visible to the caller, through which it touches the
 * project; undefined when no single project is.
 */
function touchedInReach(reach: Reach): SQL | undefined {
  const single = getReachableProjects(reach);
  if (single.length === 0) return undefined;
  return sql`(${securityGroups.tenant_id} is not null and ${securityGroups.project_id} is null and exists (
    select 1 from ${workloads} where ${inArray(workloads.project_id, [...single])} and (${memberByHand} or ${memberByTag})))`;
}

/**
 * Members that the reader may see, for a WHERE on both group and workload: of a group that only touches, the visible
 * ones.
 */
export function memberInReach(reach: Reach): SQL | undefined {
  if (getReachableProjects(reach).length === 0) return undefined;
  return or(ownedInReach(securityGroups, reach), workloadInReach(reach));
}

// Manually added members come by the primary key; only groups with tags read the workloads.
const membersTotal = (reach: Reach) => {
  const shown = memberInReach(reach) ?? sql`true`;
  return sql<number>`(case when cardinality(${securityGroups.member_tags}) = 0
  then (select count(*)::int from ${securityGroupMembers} join ${workloads} on ${eq(workloads.id, securityGroupMembers.workload_id)}
    where ${eq(securityGroupMembers.security_group_id, securityGroups.id)} and ${ofTheSameTenant} and ${shown})
  else (select count(*)::int from ${workloads} where (${memberByHand} or ${memberByTag}) and ${shown}) end)`;
};

/** For a group that only touches, the visible policies that name it. */
const policiesTotal = (reach: Reach) => {
  const single = getReachableProjects(reach);
  const shown =
    single.length === 0
      ? sql`true`
      : sql`(${ownedInReach(securityGroups, reach)} or ${inArray(policies.project_id, [...single])})`;
  return sql<number>`(select count(*)::int from ${policies} where ${policyNamesGroup} and ${shown})`;
};

const columns = (reach: Reach) =>
  selectColumns(SecurityGroup, securityGroups, {
    tenant_name: tenants.name,
    project_name: projectName(securityGroups.project_id),
    members_total: membersTotal(reach),
    policies_total: policiesTotal(reach),
  });

const select = (executor: Executor, reach: Reach) =>
  executor
    .select(columns(reach))
    .from(securityGroups)
    .leftJoin(tenants, eq(tenants.id, securityGroups.tenant_id))
    .$dynamic();

/** Visible groups: those of visible owners, and those with members in a visible project. For a WHERE over `security_groups`. */
export const groupInReach = (reach: Reach): SQL | undefined => {
  const owned = ownedInReach(securityGroups, reach);
  return owned && or(owned, touchedInReach(reach));
};

/** Groups visible to the caller, page by page. Two queries. */
export async function listSecurityGroups(reach: Reach, input: SecurityGroupListInput): Promise<Page<SecurityGroup>> {
  const conditions: (SQL | undefined)[] = [
    groupInReach(reach),
    ...buildConditions(input, securityGroups, {
      q: hasText(
        securityGroups.name,
        securityGroups.description,
        sql`array_to_string(${securityGroups.member_tags}, chr(10))`,
        hasName(securityGroups.tenant_id, tenants),
        hasName(securityGroups.project_id, projects),
      ),
      tenant_id: (id) => filterByTenant(securityGroups.tenant_id, id),
      project_id: (id) => filterByTenant(securityGroups.project_id, id),
      workload_id: (id) =>
        exists(
          db
            .select({ one: sql`1` })
            .from(workloads)
            .where(and(eq(workloads.id, id), or(memberByHand, memberByTag), memberInReach(reach))),
        ),
    }),
  ];
  const sorts = buildSortKeys(SecurityGroup, SECURITY_GROUP_SORTS, columns(reach));
  return queryPage<SecurityGroup>(input, { sorts, sort: 'name', id: securityGroups.id }, (paging) => ({
    rows: select(db, reach)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(securityGroups, and(...conditions)),
  }));
}

/** One group visible to the caller, or null. */
export async function findSecurityGroup(executor: Executor, reach: Reach, id: string): Promise<SecurityGroup | null> {
  const [row] = await select(executor, reach).where(and(eq(securityGroups.id, id), groupInReach(reach)));
  return row ?? null;
}

/** The row of a group visible to the caller; other writers of the group wait until the transaction ends. */
export async function lockSecurityGroup(tx: Tx, reach: Reach, id: string): Promise<SecurityGroupRow | null> {
  const [row] = await tx
    .select()
    .from(securityGroups)
    .where(and(eq(securityGroups.id, id), ownedInReach(securityGroups, reach)))
    .for('update');
  return row ?? null;
}

/** Whether the owner has a group of this name. That reveals no name of another project. */
export async function securityGroupNameTaken(tx: Tx, owner: Owned, name: string): Promise<boolean> {
  return (await tx.$count(securityGroups, and(ownedBy(securityGroups, owner), eq(securityGroups.name, name)))) > 0;
}

export async function insertSecurityGroup(tx: Tx, row: typeof securityGroups.$inferInsert): Promise<void> {
  await tx.insert(securityGroups).values(row);
}

export async function updateSecurityGroup(tx: Tx, id: string, changes: Partial<SecurityGroupRow>): Promise<void> {
  await tx
    .update(securityGroups)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(securityGroups.id, id));
}

/** Removes a group with its members. */
export async function deleteSecurityGroup(tx: Tx, id: string): Promise<void> {
  await tx.delete(securityGroups).where(eq(securityGroups.id, id));
}

export type GroupUser = Owned & {
  policy_id: string;
  name: string;
  enabled: boolean;
  definition: typeof policies.$inferSelect.definition;
};

/**
 * Policies that name the group, including those the reader may not see: the calling code decides what may be shown.
 */
export async function listGroupUsers(executor: Executor, id: string): Promise<GroupUser[]> {
  return executor
    .select({
      policy_id: policies.id,
      tenant_id: policies.tenant_id,
      project_id: policies.project_id,
      name: policies.name,
      enabled: policies.enabled,
      definition: policies.definition,
    })
    .from(policies)
    .innerJoin(securityGroups, and(eq(securityGroups.id, id), policyNamesGroup))
    .orderBy(policies.name, policies.id);
}

/**
 * Which of the workloads exist, are visible to the caller and, for a tenant's group, in that tenant, for a project's
 * in that project.
 */
export async function listEligibleWorkloads(
  tx: Tx,
  reach: Reach,
  { tenant_id, project_id }: Owned,
  ids: readonly string[],
): Promise<{ id: string; name: string; external_id: string; eligible: boolean }[]> {
  if (ids.length === 0) return [];
  return tx
    .select({
      id: workloads.id,
      name: workloads.name,
      external_id: workloads.external_id,
      eligible:
        tenant_id === null
          ? sql<boolean>`true`
          : sql<boolean>`coalesce(${projects.tenant_id} = ${tenant_id}
              and (${project_id}::uuid is null or ${projects.id} = ${project_id}::uuid), false)`,
    })
    .from(workloads)
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .where(and(inArray(workloads.id, [...ids]), workloadInReach(reach)));
}

/** The names of those of some groups that are visible. One query. */
export const listGroupNames = (executor: Executor, reach: Reach, ids: readonly string[]) =>
  executor
    .select({ security_group_id: securityGroups.id, name: securityGroups.name })
    .from(securityGroups)
    .where(and(inArray(securityGroups.id, [...ids]), groupInReach(reach)))
    .orderBy(securityGroups.name, securityGroups.id);

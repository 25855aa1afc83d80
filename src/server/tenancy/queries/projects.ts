import { type AnyColumn, and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { PROJECT_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Reach } from '@/domain/permissions';
import { Project, type ProjectListInput } from '@/domain/project';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasName, hasText, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, roleAssignments, roles, tenants } from '../../db/schema/access';
import { policies, securityGroups } from '../../db/schema/policies';
import { oidcRoleMappings } from '../../db/schema/sign-in';
import { workloads } from '../../db/schema/workloads';
import { ownedInReach, workloadInReach } from './tenant-reach';

/** The name of the project that a row belongs to; null for those of no project. */
export const projectName = (projectId: AnyColumn) =>
  sql<string | null>`(select ${projects.name} from ${projects} where ${eq(projects.id, projectId)})`;

export type ProjectRow = typeof projects.$inferSelect;

const columns = selectColumns(Project, projects, {
  tenant_name: tenants.name,
  workloads_total: sql<number>`(select count(*)::int from ${workloads} where ${eq(workloads.project_id, projects.id)})`,
});
const SORTS = buildSortKeys(Project, PROJECT_SORTS, columns);

const inReach = (reach: Reach): SQL | undefined =>
  ownedInReach({ tenant_id: projects.tenant_id, project_id: projects.id }, reach);

/** Projects visible to the caller, page by page. Two queries. */
export async function listProjects(reach: Reach, input: ProjectListInput): Promise<Page<Project>> {
  const where = and(
    inReach(reach),
    ...buildConditions(input, projects, { q: hasText(projects.name, hasName(projects.tenant_id, tenants)) }),
  );
  return queryPage<Project>(input, { sorts: SORTS, sort: 'name', id: projects.id }, (paging) => ({
    rows: db
      .select(columns)
      .from(projects)
      .innerJoin(tenants, eq(tenants.id, projects.tenant_id))
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(projects, where),
  }));
}

/** One project visible to the caller, or null. */
export async function findProject(executor: Executor, reach: Reach, id: string): Promise<Project | null> {
  const [row] = await executor
    .select(columns)
    .from(projects)
    .innerJoin(tenants, eq(tenants.id, projects.tenant_id))
    .where(and(eq(projects.id, id), inReach(reach)));
  return row ?? null;
}

/** The row of a visible project, locked against other writers; `update` also against new references to it. */
export async function lockProject(
  tx: Tx,
  reach: Reach,
  id: string,
  strength: 'no key update' | 'update' | 'key share' = 'no key update',
): Promise<ProjectRow | null> {
  const [row] = await tx
    .select()
    .from(projects)
    .where(and(eq(projects.id, id), inReach(reach)))
    .for(strength);
  return row ?? null;
}

/** The tenants of projects, by project; unknown ids are missing. The projects cannot be deleted until the transaction ends. */
export async function findProjectTenants(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: projects.id, tenant_id: projects.tenant_id })
    .from(projects)
    .where(inArray(projects.id, [...ids]))
    .orderBy(projects.id)
    .for('key share');
  return new Map(rows.map((row) => [row.id, row.tenant_id]));
}

export async function projectNameExists(tx: Tx, tenantId: string, name: string): Promise<boolean> {
  return (
    (await tx.$count(projects, and(eq(projects.tenant_id, tenantId), sql`lower(${projects.name}) = lower(${name})`))) >
    0
  );
}

export async function insertProject(tx: Tx, row: typeof projects.$inferInsert): Promise<void> {
  await tx.insert(projects).values(row);
}

export async function updateProject(tx: Tx, id: string, changes: Partial<ProjectRow>): Promise<void> {
  await tx
    .update(projects)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(projects.id, id));
}

/** What belongs to a project besides workloads. */
export type ProjectHoldings = {
  policies: string[];
  security_groups: string[];
  /** Titles of the roles that are held for it, or that groups of the sign-in provider give for it. */
  roles: string[];
  assignments: number;
  mappings: number;
};

/** What belongs to a project besides workloads. One query. */
export async function findProjectHoldings(tx: Tx, id: string): Promise<ProjectHoldings> {
  const names = (table: typeof policies | typeof securityGroups) =>
    sql`array(select ${table.name} from ${table} where ${eq(table.project_id, id)} order by 1)`;
  const given = (table: typeof roleAssignments | typeof oidcRoleMappings) =>
    sql`(select count(*)::int from ${table} where ${eq(table.project_id, id)})`;
  const [row] = await tx.execute<ProjectHoldings>(sql`
    select ${names(policies)} as policies, ${names(securityGroups)} as security_groups,
      array(select ${roles.title} from ${roles} where
        ${roles.id} in (select ${roleAssignments.role_id} from ${roleAssignments} where ${eq(roleAssignments.project_id, id)})
        or ${roles.id} in (select ${oidcRoleMappings.role_id} from ${oidcRoleMappings} where ${eq(oidcRoleMappings.project_id, id)})
        order by 1) as roles,
      ${given(roleAssignments)} as assignments, ${given(oidcRoleMappings)} as mappings`);
  if (!row) throw new Error('expected the table of the result row');
  return row;
}

export async function deleteProjectRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(projects).where(eq(projects.id, id));
}

export type AssignableWorkload = {
  id: string;
  name: string;
  cluster_id: string;
  project_id: string | null;
  project_assigned_by: 'hand' | 'rule' | null;
  tenant_id: string | null;
};

/** The given workloads that are visible to the caller, locked in the order of their ids. */
export async function lockWorkloads(tx: Tx, reach: Reach, ids: readonly string[]): Promise<AssignableWorkload[]> {
  return tx
    .select({
      id: workloads.id,
      name: workloads.name,
      cluster_id: workloads.cluster_id,
      project_id: workloads.project_id,
      project_assigned_by: workloads.project_assigned_by,
      tenant_id: sql<
        string | null
      >`(select ${projects.tenant_id} from ${projects} where ${eq(projects.id, workloads.project_id)})`,
    })
    .from(workloads)
    .where(and(inArray(workloads.id, [...ids]), workloadInReach(reach)))
    .orderBy(workloads.id)
    .for('no key update');
}

/** Assigns workloads to a project manually, or unassigns them. */
export async function setWorkloadProject(
  tx: Tx,
  ids: readonly string[],
  projectId: string | null,
  assignedBy: AssignableWorkload['project_assigned_by'] = 'hand',
): Promise<void> {
  await tx
    .update(workloads)
    .set({ project_id: projectId, project_assigned_by: assignedBy, mapping_rule_id: null, updated_at: sql`now()` })
    .where(inArray(workloads.id, [...ids]));
}

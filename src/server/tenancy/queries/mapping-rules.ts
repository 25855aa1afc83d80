import { and, eq, ilike, or, type SQL, sql } from 'drizzle-orm';
import { MAPPING_RULE_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import { MappingRule, type MappingRuleListInput } from '@/domain/mapping-rule';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, likePattern, selectColumns } from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { mappingRules } from '../../db/schema/mapping-rules';
import { workloads } from '../../db/schema/workloads';

export type MappingRuleRow = typeof mappingRules.$inferSelect;

const matches = sql`(${mappingRules.cluster_id} is null or ${eq(workloads.cluster_id, mappingRules.cluster_id)})
  and case ${mappingRules.source} when 'pool' then ${eq(workloads.pool, mappingRules.value)}
    else ${workloads.tags} @> array[${mappingRules.value}] end`;

const columns = selectColumns(MappingRule, mappingRules, {
  cluster_name: clusters.name,
  project_name: projects.name,
  tenant_id: projects.tenant_id,
  tenant_name: tenants.name,
  workloads_matched: sql<number>`(select count(*)::int from ${workloads} where ${matches})`,
  workloads_assigned: sql<number>`(select count(*)::int from ${workloads}
    where ${eq(workloads.mapping_rule_id, mappingRules.id)})`,
});
const SORTS = buildSortKeys(MappingRule, MAPPING_RULE_SORTS, columns);

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(mappingRules)
    .innerJoin(projects, eq(projects.id, mappingRules.project_id))
    .innerJoin(tenants, eq(tenants.id, projects.tenant_id))
    .leftJoin(clusters, eq(clusters.id, mappingRules.cluster_id))
    .$dynamic();

function searchCondition(text: string): SQL | undefined {
  const pattern = likePattern(text);
  return or(
    ilike(mappingRules.value, pattern),
    ilike(mappingRules.description, pattern),
    sql`exists (select 1 from ${projects} where ${eq(projects.id, mappingRules.project_id)}
      and ${ilike(projects.name, pattern)})`,
  );
}

/** Mapping rules page by page. Two queries. */
export async function listMappingRules(input: MappingRuleListInput): Promise<Page<MappingRule>> {
  const where = and(...buildConditions(input, mappingRules, { q: searchCondition }));
  return queryPage<MappingRule>(input, { sorts: SORTS, sort: 'priority', id: mappingRules.id }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(mappingRules, where),
  }));
}

export async function findMappingRule(executor: Executor, id: string): Promise<MappingRule | null> {
  const [row] = await select(executor).where(eq(mappingRules.id, id));
  return row ?? null;
}

/** The rule's row, locked against other writers. */
export async function lockMappingRule(tx: Tx, id: string): Promise<MappingRuleRow | null> {
  const [row] = await tx.select().from(mappingRules).where(eq(mappingRules.id, id)).for('update');
  return row ?? null;
}

/** A rule for the same pool or tag in the same place, other than `exceptId`. */
export async function findDuplicateRule(
  tx: Tx,
  { source, value, cluster_id }: Pick<MappingRuleRow, 'source' | 'value' | 'cluster_id'>,
  exceptId: string | null,
): Promise<string | null> {
  const [row] = await tx
    .select({ id: mappingRules.id })
    .from(mappingRules)
    .where(
      and(
        eq(mappingRules.source, source),
        eq(mappingRules.value, value),
        sql`${mappingRules.cluster_id} is not distinct from ${cluster_id}`,
        exceptId === null ? undefined : sql`${mappingRules.id} <> ${exceptId}`,
      ),
    );
  return row?.id ?? null;
}

export async function countMappingRules(executor: Executor, projectId?: string): Promise<number> {
  return executor.$count(mappingRules, projectId === undefined ? undefined : eq(mappingRules.project_id, projectId));
}

/** The rules that apply, as they are weighed. */
export async function listEnabledRules(executor: Executor): Promise<MappingRuleRow[]> {
  return executor.select().from(mappingRules).where(eq(mappingRules.enabled, true));
}

/** What goes with a cluster: the rules for it alone. */
export async function listClusterRules(
  tx: Tx,
  clusterId: string,
): Promise<Pick<MappingRuleRow, 'id' | 'source' | 'value' | 'project_id'>[]> {
  const { id, source, value, project_id } = mappingRules;
  return tx
    .select({ id, source, value, project_id })
    .from(mappingRules)
    .where(eq(mappingRules.cluster_id, clusterId))
    .orderBy(id);
}

export async function insertMappingRule(tx: Tx, row: typeof mappingRules.$inferInsert): Promise<void> {
  await tx.insert(mappingRules).values(row);
}

export async function updateMappingRule(tx: Tx, id: string, changes: Partial<MappingRuleRow>): Promise<void> {
  await tx
    .update(mappingRules)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(mappingRules.id, id));
}

export async function deleteMappingRuleRow(tx: Tx, id: string): Promise<void> {
  await tx.delete(mappingRules).where(eq(mappingRules.id, id));
}

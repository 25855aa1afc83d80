import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Page } from '@/domain/list';
import { MappingConflict, type MappingConflictListInput } from '@/domain/mapping-rule';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasText, selectColumns } from '../../db/declared-fields';
import { keyOrder } from '../../db/natural-order';
import { pgArray } from '../../db/pg-array';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { mappingRules } from '../../db/schema/mapping-rules';
import { workloads } from '../../db/schema/workloads';
import type { MappingRuleRow } from '../../tenancy/queries/mapping-rules';

/** What is weighed of a rule. `id` is any uuid for one that is not stored. */
export type WeighedRule = Pick<
  MappingRuleRow,
  'id' | 'source' | 'value' | 'cluster_id' | 'project_id' | 'priority' | 'created_at'
>;

/** A workload that the rules put elsewhere than it is. */
export type Placement = {
  workload_id: string;
  workload_name: string;
  vmid: number;
  cluster_id: string;
  cluster_name: string;
  from_project_id: string | null;
  from_project_name: string | null;
  from_tenant_id: string | null;
  from_tenant_name: string | null;
  to_project_id: string | null;
  to_project_name: string | null;
  to_tenant_id: string | null;
  to_tenant_name: string | null;
  mapping_rule_id: string | null;
};

/** Which of two rules decides: the lower number, then the one for this cluster alone, then the older one. */
const buildRuleOrder = (rule: SQL): SQL =>
  sql`${rule}.priority, (${rule}.cluster_id is null), ${rule}.created_at, ${rule}.id`;

/** Whether rules decide on the workload `w`: manual assignments are kept. */
const FREE = sql`(w.project_assigned_by = 'rule' or (w.project_assigned_by is null and w.project_id is null))`;

const RULE_COLUMNS = sql`id uuid, source text, value text, cluster_id uuid, project_id uuid, priority int,
  created_at timestamptz`;

type Within = { clusterId?: string; workloadIds?: readonly string[] };

/**
 * What rules may do with a workload whose config has to be read before it is known whether it is still the same guest: keep it
 * where it is, or only take it out of its tenant, where it may be another tenant's guest by now.
 */
export type UnreadPlacement = 'stay' | 'leave';

const UNREAD = sql`(w.config_digest is null and w.creation_fingerprint is not null)`;

const oneOfIds = (column: SQL, ids: readonly string[]): SQL => sql`${column} = any (${pgArray('uuid', ids)})`;

const buildScopeCondition = ({ clusterId, workloadIds }: Within): SQL => sql`true
  ${clusterId === undefined ? sql`` : sql`and w.cluster_id = ${clusterId}`}
  ${workloadIds === undefined ? sql`` : sql`and ${oneOfIds(sql`w.id`, workloadIds)}`}`;

/** `matched`: each workload with each rule that matches it. `won`: each workload with the rule that decides. */
const buildMatchQueries = (rules: readonly WeighedRule[], within: Within): SQL => sql`
  r as materialized (
    select * from jsonb_to_recordset(${JSON.stringify(rules)}::jsonb) as r(${RULE_COLUMNS})),
  here as materialized (
    select w.id, w.cluster_id, w.pool, w.tags, ${FREE} as free from ${workloads} as w where ${buildScopeCondition(within)}),
  matched as materialized (
    select w.id as workload_id, w.free, r.* from here as w join r on r.source = 'pool' and r.value = w.pool
      where r.cluster_id is null or r.cluster_id = w.cluster_id
    union all
    select w.id, w.free, r.* from here as w cross join lateral unnest(w.tags) as t(tag)
      join r on r.source = 'tag' and r.value = t.tag where r.cluster_id is null or r.cluster_id = w.cluster_id),
  won as materialized (
    select distinct on (m.workload_id) m.* from matched as m order by m.workload_id, ${buildRuleOrder(sql`m`)})`;

/**
 * Workloads that the rules would place elsewhere, by name, at most `limit` of them, and how many there are. Those whose
 * project stays the same while another rule decides count when `deciders` is set.
 */
export async function findPlacements(
  executor: Executor,
  rules: readonly WeighedRule[],
  {
    limit = null,
    deciders = false,
    unread = 'leave',
    ...within
  }: Within & { limit?: number | null; deciders?: boolean; unread?: UnreadPlacement | undefined } = {},
): Promise<{ items: Placement[]; total: number }> {
  const differs = deciders
    ? sql`(w.project_id is distinct from won.project_id or w.mapping_rule_id is distinct from won.id
        or (w.project_assigned_by is null) <> (won.id is null))`
    : sql`w.project_id is distinct from won.project_id`;
  const leaves = sql`${unread === 'leave'} and f.id is not null and f.tenant_id is distinct from wanted.tenant_id`;
  const rows = await executor.execute<Placement & { total: number }>(sql`
    with ${buildMatchQueries(rules, within)}
    select w.id as workload_id, w.name as workload_name, w.vmid, w.cluster_id, c.name as cluster_name,
      f.id as from_project_id, f.name as from_project_name, f.tenant_id as from_tenant_id, ft.name as from_tenant_name,
      p.id as to_project_id, p.name as to_project_name, p.tenant_id as to_tenant_id, pt.name as to_tenant_name,
      case when not ${UNREAD} then won.id end as mapping_rule_id, count(*) over ()::int as total
    from ${workloads} as w
    join ${clusters} as c on c.id = w.cluster_id
    left join won on won.workload_id = w.id
    left join ${projects} as f on f.id = w.project_id
    left join ${tenants} as ft on ft.id = f.tenant_id
    left join ${projects} as wanted on wanted.id = won.project_id
    left join ${projects} as p on p.id = wanted.id and not ${UNREAD}
    left join ${tenants} as pt on pt.id = p.tenant_id
    where ${FREE} and ${differs} and (not ${UNREAD} or (${leaves})) and ${buildScopeCondition(within)}
    order by w.name, w.id
    limit ${limit}`);
  const items = [...rows].map(({ total: _, ...placement }) => placement);
  return { items, total: rows[0]?.total ?? 0 };
}

/** Of the workloads a rule matches: how many, how many stay manually assigned, on how many another rule decides. */
export async function countMatches(
  executor: Executor,
  rules: readonly WeighedRule[],
  ruleId: string,
): Promise<{ matched: number; kept_by_hand: number; overruled: number }> {
  const [row] = await executor.execute<{ matched: number; kept_by_hand: number; overruled: number }>(sql`
    with ${buildMatchQueries(rules, {})}
    select count(distinct m.workload_id)::int as matched,
      count(distinct m.workload_id) filter (where not m.free)::int as kept_by_hand,
      count(distinct m.workload_id) filter (where m.free and won.id <> m.id)::int as overruled
    from matched as m join won on won.workload_id = m.workload_id where m.id = ${ruleId}::uuid`);
  return row ?? { matched: 0, kept_by_hand: 0, overruled: 0 };
}

// An arbitrary constant that names the mapping among the database's advisory locks.
const MAPPING_LOCK = 0x0fab_3a99;

/** Makes this transaction the only one that changes rules or carries them out, until it ends. */
export async function lockMapping(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${MAPPING_LOCK})`);
}

/** Locks workloads in the order of their ids. */
export async function lockPlacedWorkloads(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.execute(sql`select 1 from ${workloads} where ${oneOfIds(sql`id`, ids)} order by id for no key update`);
}

/** Gives the workloads the places that the rules want. Of one that leaves unread, no config counts as read. */
export async function savePlacements(tx: Tx, placements: readonly Placement[]): Promise<void> {
  const column = (name: 'workload_id' | 'to_project_id' | 'mapping_rule_id') =>
    sql`unnest(${pgArray(
      'uuid',
      placements.map((placement) => placement[name]),
    )})`;
  await tx.execute(sql`
    update ${workloads} as w set project_id = p.project_id, mapping_rule_id = p.rule_id,
      project_assigned_by = case when p.rule_id is null then null else 'rule' end,
      config_read_at = case when p.project_id is null and ${UNREAD} then null else w.config_read_at end, updated_at = now()
    from (select ${column('workload_id')} as id, ${column('to_project_id')} as project_id,
      ${column('mapping_rule_id')} as rule_id) as p
    where w.id = p.id`);
}

/** Leaves it to the rules where the workloads belong. */
export async function clearManualAssignments(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.execute(sql`
    update ${workloads} set project_assigned_by = case when project_id is null then null else 'rule' end, updated_at = now()
    where ${oneOfIds(sql`id`, ids)}`);
}

const rulesOf = sql`from ${mappingRules} as r where r.enabled and (r.cluster_id is null or r.cluster_id = ${workloads.cluster_id})
  and case r.source when 'pool' then r.value = ${workloads.pool} else r.value = any (${workloads.tags}) end`;

/** Ids of workloads that enabled rules would assign to different projects: joined by value, not each with each rule. */
const conflicting = sql`(
  select m.id from (
    select w.id, r.project_id from ${workloads} as w join ${mappingRules} as r on r.source = 'pool' and r.value = w.pool
      where ${FREE} and r.enabled and (r.cluster_id is null or r.cluster_id = w.cluster_id)
    union all
    select w.id, r.project_id from ${workloads} as w cross join lateral unnest(w.tags) as t(tag)
      join ${mappingRules} as r on r.source = 'tag' and r.value = t.tag
      where ${FREE} and r.enabled and (r.cluster_id is null or r.cluster_id = w.cluster_id)) as m
  group by m.id having count(distinct m.project_id) > 1)`;

/** Workloads that enabled rules would assign to different projects, page by page. Two queries. */
export async function listMappingConflicts(input: MappingConflictListInput): Promise<Page<MappingConflict>> {
  const where = and(
    sql`${workloads.id} in ${conflicting}`,
    ...buildConditions(input, workloads, { q: hasText(workloads.name) }),
  );
  const sorts = { name: keyOrder(workloads.sort_name, 'name') };
  return queryPage<MappingConflict>(input, { sorts, sort: 'name', id: workloads.id }, (paging) => ({
    rows: db
      .select(
        selectColumns(MappingConflict, workloads, {
          cluster_name: clusters.name,
          rules: sql<MappingConflict['rules']>`(select jsonb_agg(jsonb_build_object('id', r.id, 'source', r.source,
          'value', r.value, 'cluster_id', r.cluster_id, 'priority', r.priority, 'project_id', r.project_id,
          'project_name', (select p.name from ${projects} as p where p.id = r.project_id),
          'tenant_id', (select p.tenant_id from ${projects} as p where p.id = r.project_id),
          'tenant_name', (select t.name from ${tenants} as t join ${projects} as p on p.tenant_id = t.id
            where p.id = r.project_id)) order by ${buildRuleOrder(sql`r`)}) ${rulesOf})`,
        }),
      )
      .from(workloads)
      .innerJoin(clusters, eq(clusters.id, workloads.cluster_id))
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(workloads, where),
  }));
}

import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { POLICY_FIELD_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Owned, Reach } from '@/domain/permissions';
import { type PolicyListInput, PolicySummary, SecurityRule } from '@/domain/policies';
import { POLICY_TIERS } from '@/domain/policy/tier';
import { db, type Executor, type Tx } from '../../db/client';
import {
  buildConditions,
  buildSortKeys,
  hasName,
  hasText,
  selectColumns,
  skipCondition,
} from '../../db/declared-fields';
import { queryPage } from '../../db/query-page';
import { projects, tenants } from '../../db/schema/access';
import { deployments, policies, securityRules } from '../../db/schema/policies';
import { clock } from '../../lib/clock';
import { getMoment } from '../../lib/moment';
import { projectName } from '../../tenancy/queries/projects';
import { filterByTenant, ownedBy, ownedInReach } from '../../tenancy/queries/tenant-reach';

export type PolicyRow = typeof policies.$inferSelect;

const time = (column: typeof deployments.created_at | typeof deployments.finished_at | SQL) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const lastDeployment = sql<PolicySummary['last_deployment']>`(select json_build_object('id', ${deployments.id},
  'cluster_id', ${deployments.cluster_id}, 'kind', ${deployments.kind}, 'status', ${deployments.status},
  'policy_version', ${deployments.policy_version}, 'created_at', ${time(deployments.created_at)},
  'finished_at', ${time(deployments.finished_at)})
  from ${deployments} where ${eq(deployments.policy_id, policies.id)} and ${deployments.kind} <> 'removal'
    and (${policies.project_id} is null or ${eq(deployments.project_id, policies.project_id)})
  order by ${deployments.created_at} desc, ${deployments.id} desc limit 1)`;

const nextExpiry = sql`least(${policies.expires_at}, (select min(${securityRules.expires_at}) from ${securityRules}
  where ${eq(securityRules.policy_id, policies.id)}))`;

/** Policies that expire by then count as those that expire soon. */
const SOON_DAYS = 30;

function expiresBy(expiry: NonNullable<PolicyListInput['expiry']>): SQL {
  const now = sql`${getMoment() ?? clock.now().toISOString()}::timestamptz`;
  const soon = sql`${now} + make_interval(days => ${SOON_DAYS})`;
  switch (expiry) {
    case 'expired':
      return sql`${nextExpiry} <= ${now}`;
    case 'soon':
      return sql`${nextExpiry} > ${now} and ${nextExpiry} <= ${soon}`;
    case 'later':
      return sql`${nextExpiry} > ${soon}`;
    case 'never':
      return sql`${nextExpiry} is null`;
  }
}

const columns = selectColumns(PolicySummary, policies, {
  tenant_name: tenants.name,
  project_name: projectName(policies.project_id),
  rules_total: sql<number>`(select count(*)::int from ${securityRules} where ${eq(securityRules.policy_id, policies.id)})`,
  last_deployment: lastDeployment,
  next_expiry_at: sql<string | null>`${time(nextExpiry)}`,
});

/** More than any priority. */
const TIER_STEP = 100_000;
const tierRank = sql.join(
  POLICY_TIERS.map((tier, rank) => sql`when ${tier} then ${sql.raw(String(rank * TIER_STEP))}`),
  sql` `,
);

const SORTS = {
  ...buildSortKeys(PolicySummary, POLICY_FIELD_SORTS, columns),
  /** As policies are evaluated on a workload. */
  order: {
    column: sql`(case ${policies.tier} ${tierRank} end + ${policies.priority})`,
    type: 'number' as const,
    sortValue: ({ tier, priority }: PolicySummary) => POLICY_TIERS.indexOf(tier) * TIER_STEP + priority,
  },
};

const select = (executor: Executor) =>
  executor.select(columns).from(policies).leftJoin(tenants, eq(tenants.id, policies.tenant_id)).$dynamic();

/** @param touching ids of policies that are visible to the caller through what they touch */
export function policyInReach(reach: Reach, touching: readonly string[] = []): SQL | undefined {
  const owned = ownedInReach(policies, reach);
  return owned && touching.length > 0 ? or(owned, inArray(policies.id, [...touching])) : owned;
}

/** Policies visible to the caller, page by page; `ids` limits them to these. Two queries. */
export async function listPolicies(
  reach: Reach,
  input: PolicyListInput,
  ids: readonly string[] | null = null,
  touching: readonly string[] = [],
): Promise<Page<PolicySummary>> {
  const conditions: (SQL | undefined)[] = [
    policyInReach(reach, touching),
    ids === null ? undefined : ids.length === 0 ? sql`false` : inArray(policies.id, [...ids]),
    ...buildConditions(input, policies, {
      q: hasText(
        policies.name,
        policies.description,
        policies.owner,
        policies.ticket,
        hasName(policies.tenant_id, tenants),
        hasName(policies.project_id, projects),
      ),
      enforcement_mode: (mode) => sql`${policies.definition} ->> 'enforcement_mode' = ${mode}`,
      tenant_id: (id) => filterByTenant(policies.tenant_id, id),
      project_id: (id) => filterByTenant(policies.project_id, id),
      owner: (owner) => eq(policies.owner, owner === 'none' ? '' : owner),
      expiry: expiresBy,
      deployment_status: skipCondition,
      shown_status: skipCondition,
      cluster_id: skipCondition,
      workload_id: skipCondition,
    }),
  ];
  return queryPage<PolicySummary>(input, { sorts: SORTS, sort: 'order', id: policies.id }, (paging) => ({
    rows: select(db)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(policies, and(...conditions)),
  }));
}

/** One policy visible to the caller, or null. */
export async function findPolicy(
  executor: Executor,
  reach: Reach,
  id: string,
  touching: readonly string[] = [],
): Promise<PolicySummary | null> {
  const [row] = await select(executor).where(and(eq(policies.id, id), policyInReach(reach, touching)));
  return row ?? null;
}

/** A policy's rules in their order. */
export async function listPolicyRules(executor: Executor, policyId: string): Promise<SecurityRule[]> {
  return executor
    .select(selectColumns(SecurityRule, securityRules, {}))
    .from(securityRules)
    .where(eq(securityRules.policy_id, policyId))
    .orderBy(asc(securityRules.position));
}

/** The row of a policy visible to the caller; other writers of the policy wait until the transaction ends. */
export async function lockPolicy(tx: Tx, reach: Reach, id: string): Promise<PolicyRow | null> {
  const [row] = await tx
    .select()
    .from(policies)
    .where(and(eq(policies.id, id), policyInReach(reach)))
    .for('update');
  return row ?? null;
}

/** Whether the owner has a policy of this name. That reveals no name of another project. */
export async function isPolicyNameUsed(tx: Tx, owner: Owned, name: string): Promise<boolean> {
  return (await tx.$count(policies, and(ownedBy(policies, owner), eq(policies.name, name)))) > 0;
}

export async function insertPolicy(tx: Tx, row: typeof policies.$inferInsert): Promise<void> {
  await tx.insert(policies).values(row);
}

export async function updatePolicy(tx: Tx, id: string, changes: Partial<PolicyRow>): Promise<void> {
  await tx
    .update(policies)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(policies.id, id));
}

/** Replaces a policy's rules; those that stay keep their ids. */
export async function replaceRules(tx: Tx, policyId: string, rules: readonly SecurityRule[]): Promise<void> {
  await tx.delete(securityRules).where(eq(securityRules.policy_id, policyId));
  if (rules.length > 0) await tx.insert(securityRules).values(rules.map((rule) => ({ ...rule, policy_id: policyId })));
}

/** Removes a policy with its rules; versions and deployments stay. */
export async function deletePolicy(tx: Tx, id: string): Promise<void> {
  await tx.delete(policies).where(eq(policies.id, id));
}

/** Every policy with the texts of its endpoints. */
export async function listPolicyEndpoints(executor: Executor): Promise<{ name: string; endpoints: string[] }[]> {
  const rows = await executor
    .select({ name: policies.name, definition: policies.definition })
    .from(policies)
    .orderBy(asc(policies.name));
  return rows.map(({ name, definition }) => ({ name, endpoints: [...definition.sources, ...definition.targets] }));
}

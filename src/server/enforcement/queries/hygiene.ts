import { type AnyColumn, and, eq, ilike, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { z } from 'zod';
import {
  type HygieneCheck,
  HygieneFinding,
  type HygieneListInput,
  type HygieneSummary,
  type NewFinding,
} from '@/domain/hygiene/finding';
import { type Harm, type HYGIENE_SORTS, LEAST_SCORE } from '@/domain/hygiene/kinds';
import type { Page } from '@/domain/list';
import type { Owned, Reach } from '@/domain/permissions';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, hasName, hasText, likePattern, selectColumns } from '../../db/declared-fields';
import { pgArray } from '../../db/pg-array';
import { queryPage, type SortKeys } from '../../db/query-page';
import { projects } from '../../db/schema/access';
import { clusters } from '../../db/schema/clusters';
import { hygieneChecks, hygieneFindings } from '../../db/schema/hygiene';
import { policies, securityRules } from '../../db/schema/policies';
import { workloads } from '../../db/schema/workloads';
import { newId } from '../../lib/ids';
import { ownedInReach, workloadInReach } from '../../tenancy/queries/tenant-reach';

/** Findings about policies that the reader sees, and about unmanaged rules of workloads that they see. */
function isVisible(
  reach: Reach,
  owner: Pick<typeof hygieneFindings | typeof hygieneChecks, 'policy_id'>,
): SQL | undefined {
  const ofPolicy = ownedInReach(policies, reach);
  if (!ofPolicy) return undefined;
  return sql`case when ${owner.policy_id} is null then ${workloadInReach(reach) ?? sql`true`} else ${ofPolicy} end`;
}

const inHarm: Record<Harm, SQL> = {
  high: sql`${hygieneFindings.score} >= ${LEAST_SCORE.high}`,
  medium: sql`${hygieneFindings.score} >= ${LEAST_SCORE.medium} and ${hygieneFindings.score} < ${LEAST_SCORE.high}`,
  low: sql`${hygieneFindings.score} < ${LEAST_SCORE.medium}`,
};

const Stored = HygieneFinding.omit({
  ...({ harm: true, workloads: true, witnesses: true, example: true, unused: true, used: true } as const),
  ...({ reason: true, hits: true, last_hit_at: true, since: true, actions: true } as const),
});
type Stored = z.output<typeof Stored>;

/** A finding as it is read, with the owner of its policy or workload. */
export type FoundFindingRow = Stored & Owned & Pick<typeof hygieneFindings.$inferSelect, 'score' | 'detail'>;

/** A column of the policy, or without one of the workload. */
const ofOwner = (policy: AnyColumn, workload: AnyColumn) =>
  sql<string | null>`case when ${hygieneFindings.policy_id} is null then ${workload} else ${policy} end`;

const columns = {
  ...selectColumns(Stored, hygieneFindings, {
    policy_name: policies.name,
    workload_name: workloads.name,
    vmid: workloads.vmid,
    cluster_id: workloads.cluster_id,
    cluster_name: clusters.name,
  }),
  score: hygieneFindings.score,
  detail: hygieneFindings.detail,
  tenant_id: ofOwner(policies.tenant_id, projects.tenant_id),
  project_id: ofOwner(policies.project_id, workloads.project_id),
};

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(hygieneFindings)
    .leftJoin(policies, eq(policies.id, hygieneFindings.policy_id))
    .leftJoin(workloads, eq(workloads.id, hygieneFindings.workload_id))
    .leftJoin(projects, eq(projects.id, workloads.project_id))
    .leftJoin(clusters, eq(clusters.id, workloads.cluster_id))
    .$dynamic();

const SORTS = {
  // The most harmful first, then the one on most workloads.
  harm: { column: sql`${hygieneFindings.score}`, type: 'number', sortValue: ({ score }: FoundFindingRow) => score },
  kind: { column: hygieneFindings.kind },
  policy_name: { column: policies.name, nullable: true },
  workload_name: { column: workloads.name, nullable: true },
  workloads_affected: { column: hygieneFindings.workloads_affected },
  first_seen_at: { column: hygieneFindings.first_seen_at },
} satisfies Record<(typeof HYGIENE_SORTS)[number], unknown> as SortKeys;

const listIds = (path: SQL) => sql`select value::uuid from jsonb_array_elements_text(${path})`;

/** Names of workloads and policies in the detail, as far as the reader sees them. */
const hasDetailName =
  (reach: Reach) =>
  (text: string): SQL => {
    const pattern = likePattern(text);
    const named = sql`exists (select 1 from ${workloads} where ${ilike(workloads.name, pattern)}
      and ${workloads.id} in (${listIds(sql`coalesce(${hygieneFindings.detail} -> 'workload_ids', '[]')`)})
      and ${workloadInReach(reach) ?? sql`true`})`;
    const owned = ownedInReach(policies, reach);
    const shown = owned
      ? or(owned, sql`(${policies.tenant_id} is null and ${policies.tenant_visibility} <> 'hidden')`)
      : sql`true`;
    const witness = sql`exists (select 1 from ${policies} where ${ilike(policies.name, pattern)} and ${shown}
      and ${policies.id} in (select (value ->> 'policy_id')::uuid
        from jsonb_array_elements(coalesce(${hygieneFindings.detail} -> 'witnesses', '[]'))))`;
    return sql`(${named} or ${witness})`;
  };

/** Findings visible to the reader, page by page, the most harmful first. Two queries. */
export function listFindingRows(reach: Reach, input: HygieneListInput): Promise<Page<FoundFindingRow>> {
  const where = and(
    isVisible(reach, hygieneFindings),
    ...buildConditions(input, hygieneFindings, {
      q: hasText(
        hygieneFindings.subject,
        policies.name,
        workloads.name,
        sql`${workloads.vmid}::text`,
        sql`${hygieneFindings.detail} ->> 'unused'`,
        hasName(workloads.cluster_id, clusters),
        hasDetailName(reach),
      ),
      harm: (harm) => inHarm[harm],
      cluster_id: (id) => eq(workloads.cluster_id, id),
    }),
  );
  return queryPage<FoundFindingRow>(input, { sorts: SORTS, sort: '-harm', id: hygieneFindings.id }, (paging) => ({
    rows: select(db)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db
      .select({ total: sql<number>`count(*)::int` })
      .from(hygieneFindings)
      .leftJoin(policies, eq(policies.id, hygieneFindings.policy_id))
      .leftJoin(workloads, eq(workloads.id, hygieneFindings.workload_id))
      .where(where)
      .then(([row]) => row?.total ?? 0),
  }));
}

/** One finding visible to the reader. */
export async function findFindingRow(executor: Executor, reach: Reach, id: string): Promise<FoundFindingRow | null> {
  const [row] = await select(executor).where(and(eq(hygieneFindings.id, id), isVisible(reach, hygieneFindings)));
  return row ?? null;
}

/** Names of workloads visible to the reader. */
export async function listFindingWorkloads(reach: Reach, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: workloads.id, name: workloads.name })
    .from(workloads)
    .where(and(inArray(workloads.id, [...ids]), workloadInReach(reach)));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** How many findings there are of each kind, and what nothing is claimed about. Two queries. */
export async function summarizeHygiene(
  reach: Reach,
  policyId: string | undefined,
): Promise<Pick<HygieneSummary, 'findings' | 'unknown'>> {
  const [findings, unknown] = await Promise.all([
    db
      .select({ kind: hygieneFindings.kind, total: sql<number>`count(*)::int` })
      .from(hygieneFindings)
      .leftJoin(policies, eq(policies.id, hygieneFindings.policy_id))
      .leftJoin(workloads, eq(workloads.id, hygieneFindings.workload_id))
      .where(and(isVisible(reach, hygieneFindings), policyId ? eq(hygieneFindings.policy_id, policyId) : undefined))
      .groupBy(hygieneFindings.kind),
    db
      .select({
        reason: sql<HygieneSummary['unknown'][number]['reason']>`reason.key`,
        policies: sql<number>`count(${hygieneChecks.policy_id})::int`,
        workloads: sql<number>`sum(reason.value::int)::int`,
      })
      .from(hygieneChecks)
      .leftJoin(policies, eq(policies.id, hygieneChecks.policy_id))
      .leftJoin(workloads, eq(workloads.id, hygieneChecks.workload_id))
      .innerJoin(sql`lateral jsonb_each_text(${hygieneChecks.unknown}) as reason`, sql`true`)
      .where(and(isVisible(reach, hygieneChecks), policyId ? eq(hygieneChecks.policy_id, policyId) : undefined))
      .groupBy(sql`reason.key`)
      .orderBy(sql`reason.key`),
  ]);
  return { findings, unknown };
}

export type StoredRule = { id: string; policy_id: string; position: number; expires_at: string | null };

/** Rules of all policies: their IDs and when they expire. */
export async function listStoredRules(executor: Executor): Promise<StoredRule[]> {
  const { id, policy_id, position, expires_at } = securityRules;
  return executor.select({ id, policy_id, position, expires_at }).from(securityRules);
}

/** When each policy was last edited, and when it expires. */
export async function listPolicyTimes(
  executor: Executor,
): Promise<Map<string, { updated_at: string; expires_at: string | null }>> {
  const { id, updated_at, expires_at } = policies;
  const rows = await executor.select({ id, updated_at, expires_at }).from(policies);
  return new Map(rows.map(({ id: policyId, ...times }) => [policyId, times]));
}

const CHUNK = 1_000;

/** Replaces what was found before. A finding that is still there keeps its ID. @param at when the check began */
export async function storeHygiene(
  tx: Tx,
  found: readonly NewFinding[],
  checks: readonly HygieneCheck[],
  at: string,
): Promise<void> {
  const present = await tx.select({ policy_id: policies.id }).from(policies);
  const alive = new Set(present.map(({ policy_id }) => policy_id));
  const here = new Set((await tx.select({ id: workloads.id }).from(workloads)).map(({ id }) => id));
  // Deleted while the check ran.
  const isThere = ({ policy_id, workload_id }: Pick<NewFinding, 'policy_id' | 'workload_id'>) =>
    policy_id === null ? workload_id !== null && here.has(workload_id) : alive.has(policy_id);
  const rows = found.filter(isThere).map((row) => ({ ...row, id: newId(), first_seen_at: at, last_seen_at: at }));
  for (let from = 0; from < rows.length; from += CHUNK) {
    await tx
      .insert(hygieneFindings)
      .values(rows.slice(from, from + CHUNK))
      .onConflictDoUpdate({
        target: hygieneFindings.key,
        set: Object.fromEntries(
          (
            [
              'score',
              'policy_version',
              'rule_position',
              'subject',
              'workloads_affected',
              'workloads_total',
              'detail',
              'last_seen_at',
            ] as const
          ).map((column) => [column, sql`excluded.${sql.identifier(column)}`]),
        ),
      });
  }
  const keys = rows.map(({ key }) => key);
  await tx.delete(hygieneFindings).where(sql`not (${hygieneFindings.key} = any(${pgArray('text', keys)}))`);
  await tx.delete(hygieneChecks).where(sql`true`);
  const kept = checks.filter(isThere).map((row) => ({ ...row, id: newId() }));
  for (let from = 0; from < kept.length; from += CHUNK) {
    await tx.insert(hygieneChecks).values(kept.slice(from, from + CHUNK));
  }
}

import { and, asc, desc, eq, isNotNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { SHARED_TITLE } from '@/domain/change/change';
import type { ON_EXPIRY } from '@/domain/choices';
import type { SecurityRule } from '@/domain/policies';
import type { Executor } from '../../db/client';
import { tenants, users } from '../../db/schema/access';
import { changeObjects, changeReviews, changes } from '../../db/schema/changes';
import { policies, policyVersions, securityRules } from '../../db/schema/policies';

/** Policies with something that expires until a time. */
const expiresUntil = (at: string): SQL | undefined =>
  or(
    sql`${policies.expires_at} <= ${at}::timestamptz`,
    sql`exists (select 1 from ${securityRules} where ${eq(securityRules.policy_id, policies.id)}
      and ${securityRules.expires_at} <= ${at}::timestamptz)`,
  );

/**
 * Policies that have expired at a time, or of which rules have, where what expires is removed.
 * @param fallback what the installation chose, for policies of no tenant
 */
export async function listToRemove(
  executor: Executor,
  at: string,
  fallback: (typeof ON_EXPIRY)[number],
): Promise<string[]> {
  const rows = await executor
    .select({ id: policies.id })
    .from(policies)
    .leftJoin(tenants, eq(tenants.id, policies.tenant_id))
    .where(and(expiresUntil(at), sql`coalesce(${tenants.on_expiry}, ${fallback}) = 'remove'`))
    .orderBy(asc(policies.id));
  return rows.map(({ id }) => id);
}

/** Policies with their rules of which something expires until a time. */
export async function listExpiring(executor: Executor, at: string) {
  return executor
    .select({
      id: policies.id,
      name: policies.name,
      tenant_id: policies.tenant_id,
      project_id: policies.project_id,
      owner: policies.owner,
      expires_at: policies.expires_at,
      expiry_problem: policies.expiry_problem,
      rules: sql<Pick<SecurityRule, 'id' | 'position' | 'owner' | 'expires_at'>[]>`(
        select coalesce(json_agg(json_build_object('id', r.id, 'position', r.position, 'owner', r.owner,
          'expires_at', to_char(r.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by r.position), '[]')
        from ${securityRules} as r where r.policy_id = ${sql`${policies.id}`} and r.expires_at <= ${at}::timestamptz)`,
    })
    .from(policies)
    .where(expiresUntil(at))
    .orderBy(asc(policies.id));
}

/** Notes why what expired of a policy is not removed; null: nothing is in the way. */
export async function noteExpiryProblem(executor: Executor, policyId: string, problem: string | null): Promise<void> {
  await executor
    .update(policies)
    .set({ expiry_problem: problem })
    .where(and(eq(policies.id, policyId), sql`${policies.expiry_problem} is distinct from ${problem}`));
}

/** Ends the notes about all other policies: nothing of them is to be removed any more. */
export async function clearExpiryProblems(executor: Executor, except: readonly string[]): Promise<void> {
  await executor
    .update(policies)
    .set({ expiry_problem: null })
    .where(
      and(isNotNull(policies.expiry_problem), except.length === 0 ? undefined : notInArray(policies.id, [...except])),
    );
}

/** How a version has an expiry: of the policy, or of one of its rules. */
const expiryIn = (ruleId: string | null) =>
  ruleId === null
    ? sql<string | null>`${policyVersions.snapshot} ->> 'expires_at'`
    : sql<
        string | null
      >`(select rule ->> 'expires_at' from jsonb_array_elements(${policyVersions.snapshot} -> 'rules') as rule
        where rule ->> 'id' = ${ruleId})`;

/** More versions than these are not looked through. */
const MAX_VERSIONS = 200;

/**
 * The version with which a policy or a rule got the expiry that it has: the first in a row, up to the newest one, that has it.
 * @param ruleId null: the expiry of the policy
 */
export async function findExpiryVersion(executor: Executor, policyId: string, ruleId: string | null, at: string) {
  const rows = await executor
    .select({
      version: policyVersions.version,
      reason: policyVersions.reason,
      created_at: policyVersions.created_at,
      author_id: policyVersions.author_id,
      author_name: users.email,
      expires_at: expiryIn(ruleId),
    })
    .from(policyVersions)
    .leftJoin(users, eq(users.id, policyVersions.author_id))
    .where(eq(policyVersions.policy_id, policyId))
    .orderBy(desc(policyVersions.version))
    .limit(MAX_VERSIONS);
  const other = rows.findIndex((row) => row.expires_at === null || Date.parse(row.expires_at) !== Date.parse(at));
  return (other < 0 ? rows : rows.slice(0, other)).at(-1) ?? null;
}

/** The change that stored a version of a policy, with its approvals that count; null: none did. */
export async function findStoringChange(
  executor: Executor,
  policyId: string,
  { version, reason }: { version: number; reason: string },
) {
  const [change] = await executor
    .select({ id: changes.id })
    .from(changes)
    .innerJoin(changeObjects, eq(changeObjects.change_id, changes.id))
    .where(
      and(
        eq(changeObjects.object_id, policyId),
        isNotNull(changes.applied_at),
        // A change that applied the version before as it was stored has stored none.
        sql`${reason} in ('Change: ' || ${changes.title}, ${`Change: ${SHARED_TITLE}`})`,
        sql`exists (select 1 from jsonb_array_elements(${changes.items}) as item
          where item ->> 'kind' = 'policy' and item ->> 'policy_id' = ${policyId}
            and coalesce((item ->> 'base_version')::int, ${version} - 1) = ${version} - 1)`,
      ),
    )
    .orderBy(desc(changes.applied_at))
    .limit(1);
  if (!change) return null;
  const approvals = await executor
    .select({
      id: changeReviews.actor_id,
      name: changeReviews.actor_name,
      at: changeReviews.created_at,
      tenant_ids: changeReviews.tenant_ids,
    })
    .from(changeReviews)
    .where(
      and(
        eq(changeReviews.change_id, change.id),
        eq(changeReviews.decision, 'approve'),
        sql`${changeReviews.revoked} is null`,
      ),
    )
    .orderBy(changeReviews.created_at);
  return { change_id: change.id, approvals };
}

/** The newest change that removed something of a policy because it expired, and was taken back. */
export async function findTakenBack(executor: Executor, policyId: string) {
  const [row] = await executor
    .select({ id: changes.id, title: changes.title, finished_at: changes.finished_at })
    .from(changes)
    .innerJoin(changeObjects, eq(changeObjects.change_id, changes.id))
    .where(and(eq(changeObjects.object_id, policyId), isNotNull(changes.expiry), eq(changes.state, 'rolled_back')))
    .orderBy(desc(changes.finished_at))
    .limit(1);
  return row ?? null;
}

/** Changes that remove what expired and stopped because a workload could not be written. */
export async function listStopped(executor: Executor): Promise<string[]> {
  const rows = await executor
    .select({ id: changes.id })
    .from(changes)
    .where(and(isNotNull(changes.expiry), eq(changes.state, 'failed')));
  return rows.map(({ id }) => id);
}

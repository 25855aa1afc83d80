import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Page } from '@/domain/list';
import {
  PolicyVersion,
  type PolicyVersionDetail,
  type PolicyVersionListInput,
  type StoredSnapshot,
} from '@/domain/policies';
import type { VersionRules } from '@/domain/policy/rule-history';
import { completeSnapshot } from '@/domain/policy/snapshot';
import { db, type Executor, type Tx } from '../../db/client';
import { buildConditions, buildSortKeys, hasText, selectColumns } from '../../db/declared-fields';
import { pgArray } from '../../db/pg-array';
import { queryPage } from '../../db/query-page';
import { users } from '../../db/schema/access';
import { auditRecords } from '../../db/schema/operations';
import { policies, policyVersions } from '../../db/schema/policies';

const columns = selectColumns(PolicyVersion, policyVersions, {
  author_name: sql<
    string | null
  >`(select ${users.email} from ${users} where ${eq(users.id, policyVersions.author_id)})`,
});

export async function insertPolicyVersion(tx: Tx, row: typeof policyVersions.$inferInsert): Promise<void> {
  await tx.insert(policyVersions).values(row);
}

/** The number of the newest version of a policy, also of a deleted one; 0: it never existed. */
export async function findLastVersion(executor: Executor, policyId: string): Promise<number> {
  const [row] = await executor
    .select({ version: sql<number>`coalesce(max(${policyVersions.version}), 0)::int` })
    .from(policyVersions)
    .where(eq(policyVersions.policy_id, policyId));
  return row?.version ?? 0;
}

/** Versions of a policy, the newest first unless sorted by `version`; `q` is part of the reason, or the number. Two queries. */
export async function listPolicyVersions(
  policyId: string,
  input: PolicyVersionListInput,
): Promise<Page<PolicyVersion>> {
  const search = (text: string) =>
    or(hasText(policyVersions.reason, columns.author_name)(text), sql`${policyVersions.version}::text = ${text}`);
  const where = and(eq(policyVersions.policy_id, policyId), ...buildConditions(input, policyVersions, { q: search }));
  const sorts = buildSortKeys(PolicyVersion, ['version'], columns);
  const list = { sorts, sort: '-version', id: policyVersions.id };
  return queryPage<PolicyVersion>(input, list, (paging) => ({
    rows: db
      .select(columns)
      .from(policyVersions)
      .where(and(where, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db.$count(policyVersions, where),
  }));
}

/** The versions with these numbers, with everything that they keep; by number. */
export async function findPolicyVersions(
  executor: Executor,
  policyId: string,
  versions: readonly number[],
): Promise<Map<number, PolicyVersionDetail>> {
  const rows = await executor
    .select({ ...columns, snapshot: policyVersions.snapshot, tenant_id: policies.tenant_id })
    .from(policyVersions)
    .leftJoin(policies, eq(policies.id, policyVersions.policy_id))
    .where(and(eq(policyVersions.policy_id, policyId), inArray(policyVersions.version, [...versions])));
  return new Map(
    rows.map(({ tenant_id, snapshot, ...row }) => [
      row.version,
      { ...row, snapshot: completeSnapshot(tenant_id, snapshot) },
    ]),
  );
}

/** Versions that a migration of the database made, with the one before, as far as no audit record names them yet. */
export async function listUnrecordedVersions(
  tx: Tx,
  reasons: readonly string[],
): Promise<
  {
    policy_id: string;
    version: number;
    reason: string;
    snapshot: StoredSnapshot;
    before: StoredSnapshot | null;
    tenant_id: string | null;
  }[]
> {
  const before = alias(policyVersions, 'before');
  return tx
    .select({
      policy_id: policyVersions.policy_id,
      version: policyVersions.version,
      reason: policyVersions.reason,
      snapshot: policyVersions.snapshot,
      before: before.snapshot,
      tenant_id: policies.tenant_id,
    })
    .from(policyVersions)
    .innerJoin(policies, eq(policies.id, policyVersions.policy_id))
    .leftJoin(
      before,
      and(eq(before.policy_id, policyVersions.policy_id), sql`${before.version} = ${policyVersions.version} - 1`),
    )
    .where(
      and(
        inArray(policyVersions.reason, [...reasons]),
        isNull(policyVersions.author_id),
        sql`not exists (select 1 from ${auditRecords} where ${auditRecords.object_id} = ${policyVersions.policy_id}::text
          and ${auditRecords.action} = 'policy.updated' and ${auditRecords.after} ->> 'version' = ${policyVersions.version}::text)`,
      ),
    )
    .orderBy(policyVersions.policy_id, policyVersions.version);
}

/** More versions than these are not looked through. */
const MAX_VERSIONS = 200;

/** The versions of a policy that were enforced since a time, and some others, newest first. One query. */
export async function listVersionRules(
  policyId: string,
  since: string,
  others: readonly number[],
): Promise<VersionRules[]> {
  return db
    .select({
      version: policyVersions.version,
      created_at: policyVersions.created_at,
      rules: sql<VersionRules['rules']>`${policyVersions.snapshot} -> 'rules'`,
    })
    .from(policyVersions)
    .where(
      sql`${policyVersions.policy_id} = ${policyId}::uuid and (${policyVersions.created_at} >= ${since}::timestamptz
        or ${policyVersions.version} = any (${pgArray('int', others)})
        or ${policyVersions.version} = (select max(v.version) from ${policyVersions} as v
          where v.policy_id = ${policyId}::uuid and v.created_at < ${since}::timestamptz))`,
    )
    .orderBy(sql`${policyVersions.version} desc`)
    .limit(MAX_VERSIONS);
}

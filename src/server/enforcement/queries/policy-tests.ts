import { and, arrayOverlaps, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import { POLICY_TEST_SORTS } from '@/domain/choices';
import type { Page } from '@/domain/list';
import type { Owned, Reach } from '@/domain/permissions';
import { PolicyTest, type PolicyTestListInput } from '@/domain/policy-tests/definition';
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
import { rowStamp } from '../../db/row-stamp';
import { projects, tenants } from '../../db/schema/access';
import { policyTestResults, policyTests } from '../../db/schema/policy-tests';
import { projectName } from '../../tenancy/queries/projects';
import { filterByTenant, ownedBy, ownedInReach } from '../../tenancy/queries/tenant-reach';

export type PolicyTestRow = typeof policyTests.$inferSelect;
export type PolicyTestResultRow = typeof policyTestResults.$inferSelect;

/** A test with its last result, before what decides is put into words. */
export type FoundTest = Omit<PolicyTest, 'counterexample' | 'deciding' | 'caused_by'> &
  Pick<PolicyTestResultRow, 'finding' | 'workload_ids'> & { caused_by: PolicyTestResultRow['caused_by'] };

const result = sql<PolicyTest['result']>`coalesce(${policyTestResults.result}, 'unknown')`;

const columns = {
  ...selectColumns(PolicyTest.omit({ counterexample: true, deciding: true }), policyTests, {
    tenant_name: tenants.name,
    project_name: projectName(policyTests.project_id),
    result,
    unknown_reason: sql<
      PolicyTest['unknown_reason']
    >`case when ${policyTestResults.result} is null then 'not_evaluated' else ${policyTestResults.unknown_reason} end`,
    not_filtered: sql<PolicyTest['not_filtered']>`coalesce(${policyTestResults.not_filtered}, '[]'::jsonb)`,
    not_filtered_total: sql<number>`coalesce(${policyTestResults.not_filtered_total}, 0)`,
    failing_since: policyTestResults.failing_since,
    caused_by: policyTestResults.caused_by,
    checked_at: policyTestResults.checked_at,
  }),
  finding: policyTestResults.finding,
  workload_ids: sql<string[]>`coalesce(${policyTestResults.workload_ids}, '{}'::uuid[])`,
};

const select = (executor: Executor) =>
  executor
    .select(columns)
    .from(policyTests)
    .leftJoin(tenants, eq(tenants.id, policyTests.tenant_id))
    .leftJoin(policyTestResults, eq(policyTestResults.policy_test_id, policyTests.id))
    .$dynamic();

export const testInReach = (reach: Reach): SQL | undefined => ownedInReach(policyTests, reach);

/** Tests visible to the caller, page by page. @param workloadIds only those with an end that includes one of them; null: all */
export async function listPolicyTests(
  reach: Reach,
  input: PolicyTestListInput,
  workloadIds: readonly string[] | null = null,
): Promise<Page<FoundTest>> {
  const conditions: (SQL | undefined)[] = [
    testInReach(reach),
    workloadIds === null
      ? undefined
      : workloadIds.length === 0
        ? sql`false`
        : arrayOverlaps(policyTestResults.workload_ids, [...workloadIds]),
    ...buildConditions(input, policyTests, {
      q: hasText(
        policyTests.name,
        policyTests.reason,
        policyTests.owner,
        sql`array_to_string(${policyTests.from} || ${policyTests.to} || ${policyTests.ports}, chr(10))`,
        hasName(policyTests.tenant_id, tenants),
        hasName(policyTests.project_id, projects),
      ),
      result: (one) => sql`${result} = ${one}`,
      tenant_id: (id) => filterByTenant(policyTests.tenant_id, id),
      project_id: (id) => filterByTenant(policyTests.project_id, id),
      workload_id: skipCondition,
      policy_id: skipCondition,
    }),
  ];
  const sorts = buildSortKeys(PolicyTest, POLICY_TEST_SORTS, { ...columns, id: policyTests.id });
  return queryPage<FoundTest>(input, { sorts, sort: 'name', id: policyTests.id }, (paging) => ({
    rows: select(db)
      .where(and(...conditions, paging.after))
      .orderBy(...paging.order)
      .limit(paging.limit),
    total: db
      .select({ total: sql<number>`count(*)::int` })
      .from(policyTests)
      .leftJoin(policyTestResults, eq(policyTestResults.policy_test_id, policyTests.id))
      .where(and(...conditions))
      .then(([row]) => row?.total ?? 0),
  }));
}

/** One test visible to the caller, or null. */
export async function findPolicyTest(executor: Executor, reach: Reach, id: string): Promise<FoundTest | null> {
  const [row] = await select(executor).where(and(eq(policyTests.id, id), testInReach(reach)));
  return row ?? null;
}

/** Names of all tests of an owner. */
export async function listPolicyTestNames(executor: Executor, { tenant_id, project_id }: Owned): Promise<string[]> {
  const rows = await executor
    .select({ name: policyTests.name })
    .from(policyTests)
    .where(
      sql`${policyTests.tenant_id} is not distinct from ${tenant_id}::uuid and ${policyTests.project_id} is not distinct from ${project_id}::uuid`,
    );
  return rows.map(({ name }) => name);
}

/** Some tests with their last results, by id; the caller decides who may see them. */
export async function findPolicyTestsByIds(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, FoundTest>> {
  if (ids.length === 0) return new Map();
  const rows = await select(executor).where(inArray(policyTests.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** The tests of protected connections, by template. */
export async function findProtectedTests(executor: Executor): Promise<Map<string, FoundTest>> {
  const rows = await executor
    .select({ id: policyTests.id, template: policyTests.template })
    .from(policyTests)
    .where(eq(policyTests.protected, true));
  const found = await findPolicyTestsByIds(
    executor,
    rows.map(({ id }) => id),
  );
  return new Map(
    rows.flatMap(({ id, template }) => {
      const test = found.get(id);
      return test && template ? [[template, test] as const] : [];
    }),
  );
}

/** The row of a protected connection; other writers of it wait until the transaction ends. */
export async function lockProtectedTest(
  tx: Tx,
  template: NonNullable<PolicyTestRow['template']>,
): Promise<PolicyTestRow | null> {
  const [row] = await tx.select().from(policyTests).where(eq(policyTests.template, template)).for('update');
  return row ?? null;
}

/** The row of a test visible to the caller; other writers of the test wait until the transaction ends. */
export async function lockPolicyTest(tx: Tx, reach: Reach, id: string): Promise<PolicyTestRow | null> {
  const [row] = await tx
    .select()
    .from(policyTests)
    .where(and(eq(policyTests.id, id), testInReach(reach)))
    .for('update');
  return row ?? null;
}

/** Whether the owner has a test of this name. That reveals no name of another project. */
export async function policyTestNameTaken(tx: Tx, owner: Owned, name: string): Promise<boolean> {
  return (await tx.$count(policyTests, and(ownedBy(policyTests, owner), eq(policyTests.name, name)))) > 0;
}

/** How many tests an owner has. */
export const countPolicyTests = (tx: Tx, owner: Owned): Promise<number> =>
  tx.$count(policyTests, ownedBy(policyTests, owner));

export async function insertPolicyTest(tx: Tx, row: typeof policyTests.$inferInsert): Promise<void> {
  await tx.insert(policyTests).values(row);
}

export async function updatePolicyTest(tx: Tx, id: string, changes: Partial<PolicyTestRow>): Promise<void> {
  await tx
    .update(policyTests)
    .set({ ...changes, updated_at: sql`now()` })
    .where(eq(policyTests.id, id));
}

export async function deletePolicyTest(tx: Tx, id: string): Promise<void> {
  await tx.delete(policyTests).where(eq(policyTests.id, id));
}

/** Every test there is, as the evaluation needs it. */
export async function listAllPolicyTests(executor: Executor): Promise<PolicyTestRow[]> {
  return executor.select().from(policyTests).orderBy(policyTests.id);
}

/** The stored results, by test. */
export async function listPolicyTestResults(
  executor: Executor,
  ids: readonly string[],
): Promise<Map<string, PolicyTestResultRow>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .select()
    .from(policyTestResults)
    .where(inArray(policyTestResults.policy_test_id, [...ids]));
  return new Map(rows.map((row) => [row.policy_test_id, row]));
}

/** Stores results; of a test that was changed or deleted since it was evaluated, nothing. */
export async function storePolicyTestResults(executor: Executor, rows: readonly PolicyTestResultRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.entries(getTableColumns(policyTestResults));
  const each = (text: (name: string, type: string) => string) =>
    sql.raw(columns.map(([name, column]) => text(name, column.getSQLType())).join(', '));
  await executor.execute(sql`
    insert into ${policyTestResults} (${each((name) => name)})
      select ${each((name) => `r.${name}`)}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(${each((name, type) => `${name} ${type}`)})
      join ${policyTests} as t on t.id = r.policy_test_id and t.version = r.test_version
    on conflict (policy_test_id) do update set ${each((name) => `${name} = excluded.${name}`)}`);
}

/** The test is as good as new: the next pass evaluates it. */
export async function forgetPolicyTestResult(tx: Tx, id: string): Promise<void> {
  await tx.delete(policyTestResults).where(eq(policyTestResults.policy_test_id, id));
}

/** Changes whenever a test is created, changed or deleted. */
export async function policyTestsStamp(executor: Executor): Promise<string> {
  const [row] = await executor.execute<{ stamp: string }>(sql`select ${rowStamp(policyTests)} as stamp`);
  return row?.stamp ?? '';
}

/** Visible tests that did not pass, with what a notice says about them; `result` null: not evaluated yet. */
export async function listUnpassedTests(
  executor: Executor,
  reach: Reach,
): Promise<{ id: string; name: string; result: string | null; caused_by: PolicyTestResultRow['caused_by'] }[]> {
  return executor
    .select({
      id: policyTests.id,
      name: policyTests.name,
      result: policyTestResults.result,
      caused_by: policyTestResults.caused_by,
    })
    .from(policyTests)
    .leftJoin(policyTestResults, eq(policyTestResults.policy_test_id, policyTests.id))
    .where(and(sql`${policyTestResults.result} is distinct from 'pass'`, testInReach(reach)))
    .orderBy(policyTests.id);
}

/** The ends of all visible tests, by name. One query. */
export const listTestEnds = (executor: Executor, reach: Reach) => {
  const { id, name, tenant_id, project_id, from, to } = policyTests;
  return executor
    .select({ id, name, tenant_id, project_id, from, to })
    .from(policyTests)
    .where(testInReach(reach))
    .orderBy(name, id);
};

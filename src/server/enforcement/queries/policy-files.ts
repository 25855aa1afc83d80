import { asc, sql } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import { SecurityRule } from '@/domain/policies';
import type { Executor } from '../../db/client';
import { selectColumns } from '../../db/declared-fields';
import { projects, tenants } from '../../db/schema/access';
import { policies, securityGroups, securityRules } from '../../db/schema/policies';
import { policyTests } from '../../db/schema/policy-tests';
import { groupBy } from '../../lib/group-by';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';

/** Policies of visible owners with their rules, in the order in which they are evaluated. Two queries. */
export async function listPolicyContents(executor: Executor, reach: Reach) {
  const rows = await executor
    .select()
    .from(policies)
    .where(ownedInReach(policies, reach))
    .orderBy(asc(policies.priority), asc(policies.created_at), asc(policies.id));
  const rules = await executor
    .select({ ...selectColumns(SecurityRule, securityRules, {}), policy_id: securityRules.policy_id })
    .from(securityRules)
    .where(
      sql`${securityRules.policy_id} in (select ${policies.id} from ${policies} where ${ownedInReach(policies, reach) ?? sql`true`})`,
    )
    .orderBy(asc(securityRules.policy_id), asc(securityRules.position));
  const byPolicy = groupBy(rules, ({ policy_id }) => policy_id);
  return rows.map((row) => ({ ...row, rules: byPolicy.get(row.id) ?? [] }));
}

export const listGroupContents = (executor: Executor, reach: Reach) =>
  executor.select().from(securityGroups).where(ownedInReach(securityGroups, reach)).orderBy(asc(securityGroups.id));

/** Policy tests of visible owners, without protected connections. */
export const listTestContents = (executor: Executor, reach: Reach) =>
  executor
    .select()
    .from(policyTests)
    .where(sql`not ${policyTests.protected} and ${ownedInReach(policyTests, reach) ?? sql`true`}`)
    .orderBy(asc(policyTests.id));

/** Every owner there is, by name. */
export async function listOwnerNames(executor: Executor) {
  const found = await executor.select({ id: tenants.id, name: tenants.name }).from(tenants);
  const parts = await executor
    .select({ id: projects.id, tenant_id: projects.tenant_id, name: projects.name })
    .from(projects);
  return { tenants: found, projects: parts };
}

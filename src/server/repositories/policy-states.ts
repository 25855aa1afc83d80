import { and, eq, inArray, sql } from 'drizzle-orm';
import type { TenantReach } from '@/domain/permissions';
import type { Executor } from '../db/client';
import { policies } from '../db/schema/policies';

/** What decides whether a policy may be applied. */
export type PolicyState = Pick<
  typeof policies.$inferSelect,
  'id' | 'name' | 'tenant_id' | 'version' | 'enabled' | 'definition'
>;

const columns = {
  id: policies.id,
  name: policies.name,
  tenant_id: policies.tenant_id,
  version: policies.version,
  enabled: policies.enabled,
  definition: policies.definition,
};

function inReach(tenants: TenantReach) {
  if (tenants === 'all') return undefined;
  return tenants.length === 0 ? sql`false` : inArray(policies.tenant_id, [...tenants]);
}

/** The policy as it is now, or null when it is gone or out of reach. */
export async function findPolicyState(
  executor: Executor,
  id: string,
  tenants: TenantReach = 'all',
): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(tenants)));
  return row ?? null;
}

/** As `findPolicyState`; nobody changes the policy until the transaction ends. */
export async function holdPolicyState(
  executor: Executor,
  id: string,
  tenants: TenantReach,
): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(tenants)))
    .for('share');
  return row ?? null;
}

/** Every policy within reach. */
export function listPolicyStates(executor: Executor, tenants: TenantReach): Promise<PolicyState[]> {
  return executor.select(columns).from(policies).where(inReach(tenants)).orderBy(policies.id);
}

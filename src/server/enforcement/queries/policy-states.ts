import { and, eq } from 'drizzle-orm';
import type { Reach } from '@/domain/permissions';
import type { Executor } from '../../db/client';
import { policies } from '../../db/schema/policies';
import { ownedInReach } from '../../tenancy/queries/tenant-reach';

/** What decides whether a policy may be applied. */
export type PolicyState = Pick<
  typeof policies.$inferSelect,
  'id' | 'name' | 'tenant_id' | 'project_id' | 'version' | 'enabled' | 'definition'
>;

const columns = {
  id: policies.id,
  name: policies.name,
  tenant_id: policies.tenant_id,
  project_id: policies.project_id,
  version: policies.version,
  enabled: policies.enabled,
  definition: policies.definition,
};

const inReach = (reach: Reach) => ownedInReach(policies, reach);

/** The policy as it is now, or null when it is gone or out of reach. */
export async function findPolicyState(
  executor: Executor,
  id: string,
  reach: Reach = 'all',
): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(reach)));
  return row ?? null;
}

/** As `findPolicyState`; nobody changes the policy until the transaction ends. */
export async function holdPolicyState(executor: Executor, id: string, reach: Reach): Promise<PolicyState | null> {
  const [row] = await executor
    .select(columns)
    .from(policies)
    .where(and(eq(policies.id, id), inReach(reach)))
    .for('share');
  return row ?? null;
}

/** Every policy within reach. */
export function listPolicyStates(executor: Executor, reach: Reach): Promise<PolicyState[]> {
  return executor.select(columns).from(policies).where(inReach(reach)).orderBy(policies.id);
}

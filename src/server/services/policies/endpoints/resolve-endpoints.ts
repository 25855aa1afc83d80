import { describeEndpoints, type ResolvedEndpoint, type ResolveInput } from '@/domain/policy-resolution';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { chooseTenant } from '../../tenancy/choose-tenant';
import { loadPolicyWorld } from '../world/load-policy-world';

/**
 * What endpoints stand for at this moment, for a policy of the tenant. No cluster is asked.
 * @throws AppError `malformed` for a tenant that is not the caller's
 */
export async function resolveEndpoints(
  scope: Scope<'policy:read'>,
  { endpoints, tenant_id }: ResolveInput,
): Promise<ResolvedEndpoint[]> {
  const tenant = await db.transaction((tx) => chooseTenant(tx, scope.tenants, tenant_id));
  const { index, clusters } = await loadPolicyWorld();
  return describeEndpoints(endpoints, index, tenant, (id) => clusters.get(id)?.name ?? '');
}

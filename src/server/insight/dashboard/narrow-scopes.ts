import { narrowScope } from '../../auth/scope';
import { withinTenant } from '../../tenancy/choose-owner';
import type { DashboardScopes } from './dashboard-scopes';

/**
 * The scopes for one tenant only; as they are without one. What belongs to the installation (nodes, syncs, agents) then
 * counts as far as the tenant's workloads run there.
 * @throws AppError `not_found` for a tenant that is out of reach
 */
export async function narrowScopes(scopes: DashboardScopes, tenantId: string | undefined): Promise<DashboardScopes> {
  if (tenantId === undefined) return scopes;
  return {
    flow: await withinTenant(scopes.flow, tenantId),
    workload: scopes.workload && narrowScope(scopes.workload, tenantId),
    policy: scopes.policy && narrowScope(scopes.policy, tenantId),
    ipam: scopes.ipam && narrowScope(scopes.ipam, tenantId),
    cluster: scopes.cluster && narrowScope(scopes.cluster, tenantId),
    agent: scopes.agent && narrowScope(scopes.agent, tenantId),
  };
}

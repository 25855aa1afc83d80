import { getReachableProjects, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { PolicyListItem, PolicySummary } from '@/domain/policies';
import type { InputPolicy } from '../queries/policy-inputs';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState } from './firewall-state/read-firewall-state';

const listPlacesInReach = (firewall: FirewallState, policyId: string, reach: Reach): string[] =>
  firewall.listPolicyWorkloads(policyId).filter((id) => {
    const workload = firewall.inputs.workloads.get(id);
    return workload !== undefined && isWithinReach(workload, reach);
  });

/**
 * Ids of the tenants' policies that touch single projects visible to the caller: those with rules on a workload of
 * the project.
 */
export function touchingPolicies(firewall: FirewallState, reach: Reach): string[] {
  if (getReachableProjects(reach).length === 0) return [];
  return firewall.inputs.policies
    .filter(({ id, tenant_id, project_id }) => {
      return tenant_id !== null && project_id === null && listPlacesInReach(firewall, id, reach).length > 0;
    })
    .map(({ id }) => id);
}

/** The same from what was last read. */
export const findTouching = async (reach: Reach): Promise<string[]> =>
  getReachableProjects(reach).length === 0 ? [] : touchingPolicies(await readFirewallState(), reach);

/**
 * The workloads with rules of a policy; for a policy that only touches what the caller may see, only the visible
 * ones.
 */
export const listVisiblePlaces = (
  firewall: FirewallState,
  policy: Owned & { readonly id: string },
  reach: Reach,
): readonly string[] =>
  isWithinReach(policy, reach)
    ? firewall.listPolicyWorkloads(policy.id)
    : listPlacesInReach(firewall, policy.id, reach);

/**
 * How far a policy is enforced; for a policy that only touches what the caller may see, on visible workloads only.
 */
export const getVisibleStatus = (
  firewall: FirewallState,
  policy: Owned & Pick<InputPolicy, 'id' | 'enabled' | 'definition'>,
  reach: Reach,
): ReturnType<FirewallState['standingOf']> =>
  isWithinReach(policy, reach)
    ? firewall.standingOf(policy)
    : firewall.standingAmong(policy, listPlacesInReach(firewall, policy.id, reach));

/**
 * A policy with how far it is enforced. Deployments of a policy that only touches what the caller may see also
 * describe other workloads, so `last_deployment` is null.
 */
export function withDeploymentStatus<P extends PolicySummary>(
  firewall: FirewallState,
  policy: P,
  reach: Reach,
): P & PolicyListItem {
  const { status, deployments } = getVisibleStatus(firewall, policy, reach);
  const whole = isWithinReach(policy, reach);
  return {
    ...policy,
    last_deployment: whole ? policy.last_deployment : null,
    deployment_status: status,
    deployments,
  };
}

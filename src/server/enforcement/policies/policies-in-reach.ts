import type { AddressPolicies } from '@/domain/ipam/address-policies';
import { parseIp } from '@/domain/net/ip-address';
import { getReachableProjects, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import type { PolicyListItem, PolicySummary } from '@/domain/policies';
import { comparePolicies } from '@/domain/policy/tier';
import { listTouches } from '@/domain/policy/touches';
import { findIpAddressDetail } from '../../addresses/queries/ip-addresses';
import type { Scope } from '../../auth/scope';
import { notFound } from '../../lib/refusals';
import type { InputPolicy } from '../queries/policy-inputs';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState } from './firewall-state/read-firewall-state';
import { isDeployed } from './policy-inputs';

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

/**
 * The policies with an endpoint that resolves to an address, including disabled and audit-mode ones. No cluster is
 * contacted.
 * @throws AppError `not_found`
 */
export async function listAddressPolicies(scope: Scope<'policy:read'>, id: string): Promise<AddressPolicies> {
  const { tenants } = scope;
  const found = await findIpAddressDetail(tenants, id);
  const address = found && parseIp(found.address);
  if (!found || !address) throw notFound('address');
  const firewall = await readFirewallState();
  const subject = { address, workload_id: found.workload?.id ?? null };
  const touching = firewall.inputs.policies.flatMap((policy) => {
    const touches = listTouches(policy, subject, firewall.inputs.index);
    return touches.length > 0 ? [{ policy, touches }] : [];
  });
  const isVisible = ({ policy: { tenant_id } }: (typeof touching)[number]) =>
    tenants === 'all' || (tenant_id !== null && tenants.includes(tenant_id));
  const visible = touching.filter(isVisible);
  // The answer shows that the installation's policies filter the address, if not how; those of other tenants do not
  // exist.
  const hidden = touching.filter((one) => !isVisible(one) && one.policy.tenant_id === null);
  const isNamed = ({ policy }: (typeof touching)[number]) =>
    policy.tenant_visibility !== 'hidden' &&
    isDeployed(policy) &&
    firewall.desiredAt(subject.workload_id ?? '')?.rules.some(({ policy_id }) => policy_id === policy.id) === true;
  const platform = hidden
    .filter(isNamed)
    .map(({ policy }) => policy)
    .sort(comparePolicies)
    .map(({ name, tier }) => ({ name, tier }));
  const policies = visible.map(({ policy, touches }) => ({
    policy_id: policy.id,
    name: policy.name,
    enabled: policy.enabled,
    enforcement_mode: policy.definition.enforcement_mode,
    deployment_status: firewall.standingOf(policy).status,
    touches,
  }));
  const byAnyOnly = ({ touches }: (typeof policies)[number]) => Number(touches.every(({ by }) => by === 'any'));
  policies.sort((a, b) => byAnyOnly(a) - byAnyOnly(b) || a.name.localeCompare(b.name, 'en'));
  return { policies, platform, hidden: hidden.length - platform.length };
}

import type { LiveRule } from '@/domain/firewall/live-state';
import { anonymousRule, type FirewallRuleView, viewOfLiveRule } from '@/domain/firewall/rule-view';
import type { TenantReach } from '@/domain/permissions';
import type { PolicyWorld } from '../policies/world/load-policy-world';

export type NamedRule = FirewallRuleView & { policy_name: string | null; residual: boolean };

/**
 * Shows live rules with the names of the policies that they belong to, as far as these are within reach. Those of another
 * tenant's policy, which it left when the workload moved, are residual: they filter, and whose they are is not told.
 */
export function ruleNamer(
  world: PolicyWorld,
  reach: TenantReach,
): { show: (rule: LiveRule, vmid: number | null) => NamedRule; nameOf: (policyId: string) => string | null } {
  const visible = world.policies.filter(
    ({ tenant_id }) => reach === 'all' || (tenant_id !== null && reach.includes(tenant_id)),
  );
  const names = new Map(visible.map(({ id, name }) => [id, name]));
  const nameOf = (policyId: string) => names.get(policyId) ?? null;
  const strange = new Set(
    world.policies
      .filter(({ tenant_id }) => tenant_id !== null && reach !== 'all' && !reach.includes(tenant_id))
      .map(({ id }) => id),
  );
  return {
    nameOf,
    show(rule, vmid) {
      const view = viewOfLiveRule(rule, world.instance, vmid);
      const ours = view.owner === 'this_installation' && view.policy_id !== null;
      if (view.owner !== 'other_installation' && view.policy_id !== null && strange.has(view.policy_id)) {
        return { ...anonymousRule(view), policy_name: null, residual: true };
      }
      return { ...view, policy_name: ours && view.policy_id !== null ? nameOf(view.policy_id) : null, residual: false };
    },
  };
}

import type { LiveRule } from '@/domain/firewall/live-state';
import { anonymizeRule, type FirewallRuleView, toLiveRuleView } from '@/domain/firewall/rule-view';
import { withholdRule } from '@/domain/firewall/withhold-rule';
import { isVisibleAt, isWithinReach, type Owned, type Reach } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import type { PolicyTier, TenantVisibility } from '@/domain/policy/tier';
import { type PolicyInputs, policiesById } from '../policies/policy-inputs';

export type NamedRule = FirewallRuleView & { policy_name: string | null; tier: PolicyTier | null; residual: boolean };

export type RuleNamer = {
  /** A live rule with the name and tier of its policy. */
  readonly show: (rule: LiveRule, vmid: number | null) => NamedRule;
  /** Name of a policy as far as the reader may know it. */
  readonly nameOf: (policyId: string) => string | null;
  /** A rule as far as the reader may see it. */
  readonly withhold: (view: FirewallRuleView) => FirewallRuleView;
  /** A live rule as it is kept with a deployment, as far as the reader may see it. */
  readonly withholdLive: (rule: LiveRule) => LiveRule;
  /** Whether the reader may see what a live rule matches. */
  readonly isOpen: (rule: Pick<LiveRule, 'comment'>) => boolean;
};

/** Everything of policies, existing and deleted, on which it depends how `ruleNamer` shows their rules; as text, by policy. */
export const listNaming = ({ policies, gone }: Pick<PolicyInputs, 'policies' | 'gone'>): ReadonlyMap<string, string> =>
  new Map([
    ...[...gone].map(([id, { tenant_id, project_id }]) => [id, JSON.stringify([tenant_id, project_id])] as const),
    ...policies.map((policy) => {
      const { id, name, tier, tenant_id, project_id, tenant_visibility } = policy;
      return [id, JSON.stringify([tenant_id, project_id, name, tier, tenant_visibility])] as const;
    }),
  ]);

/** `residual`: of another tenant's or project's policy, which it left when the workload moved. */
type Sight = TenantVisibility | 'residual' | null;

/**
 * Shows live rules with the names of the policies that they belong to. Readers without access to the whole
 * installation see rules of platform policies as far as these let tenants see them. For a deleted policy that
 * setting is unknown, so its rules are hidden. Rules of another tenant's or project's policy, left there when the
 * workload moved, are residual: they filter, but neither their owner nor whether the policy still exists is shown.
 * @param workload where the rules are; null: on several, and only policies visible to the caller are named
 */
export function ruleNamer(
  { policies, instance, gone }: Pick<PolicyInputs, 'policies' | 'instance' | 'gone'>,
  reach: Reach,
  workload: Owned | null = null,
): RuleNamer {
  const known = policiesById(policies);
  const getPolicySight = (policyId: string): Sight => {
    if (reach === 'all') return null;
    const policy = known.get(policyId);
    if (policy?.tenant_id === null) return policy.tenant_visibility;
    const owner = policy ?? gone.get(policyId);
    if (!owner || owner.tenant_id === null) return 'hidden';
    const visible = workload ? isVisibleAt(owner, workload, reach) : isWithinReach(owner, reach);
    return visible ? null : 'residual';
  };
  const sightOfLive = ({ comment }: Pick<LiveRule, 'comment'>): Sight => {
    const marker = parseMarker(comment);
    return marker?.instance === instance ? getPolicySight(marker.policy_id) : null;
  };
  const sightOfView = ({ owner, policy_id }: FirewallRuleView): Sight =>
    policy_id !== null && (owner === 'this_installation' || owner === 'copied') ? getPolicySight(policy_id) : null;
  const getPolicyName = (policyId: string) => {
    const sight = getPolicySight(policyId);
    return sight === 'hidden' || sight === 'residual' ? null : (known.get(policyId)?.name ?? null);
  };
  const withhold = (view: FirewallRuleView) => {
    const sight = sightOfView(view);
    if (sight === null) return view;
    return sight === 'residual' ? anonymizeRule(view) : withholdRule(view, sight);
  };
  return {
    nameOf: getPolicyName,
    withhold,
    withholdLive(rule) {
      const sight = sightOfLive(rule);
      if (sight === null || sight === 'rules') return rule;
      const { comment: _, ...anonymous } = rule;
      const { pos, type, action, enable } = rule;
      return sight === 'residual' ? anonymous : { pos, type, action, enable };
    },
    isOpen(rule) {
      const sight = sightOfLive(rule);
      return sight !== 'hidden' && sight !== 'name';
    },
    show(rule, vmid) {
      const view = toLiveRuleView(rule, instance, vmid);
      const residual = sightOfView(view) === 'residual';
      const policyId = view.owner === 'this_installation' && !residual ? view.policy_id : null;
      return {
        ...withhold(view),
        policy_name: policyId === null ? null : getPolicyName(policyId),
        tier: (policyId !== null && known.get(policyId)?.tier) || null,
        residual,
      };
    },
  };
}

import { type AuditPolicy, prepareAuditPolicy } from '@/domain/flow-context/audit-policy';
import type { AuditPolicyView } from '@/domain/insights';
import { isVisibleAt, type Reach } from '@/domain/permissions';
import { compilePolicies } from '@/domain/policy/compile';
import { comparePolicies } from '@/domain/policy/tier';
import type { WantedGuest } from '@/domain/policy/wanted';
import { objectCache } from '../../lib/cache';
import type { PolicyWorld } from '../policies/world';
import type { WorldPolicy } from '../queries/policy-world';

type Placed = { readonly policy: WorldPolicy; readonly wanted: WantedGuest };

const placed = objectCache<PolicyWorld, ReadonlyMap<string, readonly Placed[]>>({ name: 'audited_policies' });

export const isAudited = (policy: Pick<WorldPolicy, 'enabled' | 'definition'>): boolean =>
  policy.enabled && policy.definition.enforcement_mode === 'audit';

/** What each enabled policy in audit mode would put at which guest, by workload; worked out once per world. */
function computePlaces(world: PolicyWorld): ReadonlyMap<string, readonly Placed[]> {
  const fresh = new Map<string, Placed[]>();
  for (const policy of world.policies.filter(isAudited).sort(comparePolicies)) {
    for (const wanted of compilePolicies([policy], world.index, world.instance).guests) {
      const list = fresh.get(wanted.workload_id);
      if (list) list.push({ policy, wanted });
      else fresh.set(wanted.workload_id, [{ policy, wanted }]);
    }
  }
  return fresh;
}

const placeAudited = (world: PolicyWorld) => placed.load(world, null, () => computePlaces(world));

/** Guests that an enabled policy in audit mode means; none for other policies. */
export const guestsOfAudited = (world: PolicyWorld, policyId: string): string[] =>
  [...placeAudited(world)].filter(([, list]) => list.some(({ policy }) => policy.id === policyId)).map(([id]) => id);

/** Enabled policies in audit mode that mean a guest, prepared, in the order in which they would stand there. */
export const auditPoliciesAt = (world: PolicyWorld, workloadId: string): AuditPolicy[] =>
  (placeAudited(world).get(workloadId) ?? []).map(({ policy, wanted }) => prepareAuditPolicy(policy, wanted));

/** The same policies for people, those within reach. */
export function viewAuditPolicies(world: PolicyWorld, workloadId: string, reach: Reach): AuditPolicyView[] {
  const workload = world.workloads.get(workloadId);
  return (placeAudited(world).get(workloadId) ?? [])
    .filter(({ policy }) => workload !== undefined && isVisibleAt(policy, workload, reach))
    .map(({ policy, wanted }) => ({
      policy_id: policy.id,
      name: policy.name,
      version: policy.version,
      priority: policy.priority,
      rules: wanted.rules.length,
      default_drop: [
        ...(wanted.drop_in.length > 0 ? (['in'] as const) : []),
        ...(wanted.drop_out.length > 0 ? (['out'] as const) : []),
      ],
    }));
}

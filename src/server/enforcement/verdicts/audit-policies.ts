import { isDeepStrictEqual } from 'node:util';
import { type AuditPolicy, prepareAuditPolicy } from '@/domain/flow-context/audit-policy';
import type { AuditPolicyView } from '@/domain/insights';
import { isVisibleAt, type Reach } from '@/domain/permissions';
import { compilePolicies } from '@/domain/policy/compile';
import type { DesiredGuest } from '@/domain/policy/desired';
import { comparePolicies } from '@/domain/policy/tier';
import { objectCache } from '../../lib/cache';
import { processState } from '../../lib/process-state';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { InputPolicy } from '../queries/policy-inputs';

type Placed = { readonly policy: InputPolicy; readonly desired: DesiredGuest };

/** What policies in audit mode would put at a guest, by workload. */
export type AuditPlacements = ReadonlyMap<string, readonly Placed[]>;

const placed = objectCache<PolicyInputs, AuditPlacements>({ name: 'audited_policies' });
/** What was computed last. */
const last = processState<{ placements: AuditPlacements }>(() => ({ placements: new Map() }));

export const isAudited = (policy: Pick<InputPolicy, 'enabled' | 'definition'>): boolean =>
  policy.enabled && policy.definition.enforcement_mode === 'audit';

function computePlacements(inputs: PolicyInputs): AuditPlacements {
  const fresh = new Map<string, Placed[]>();
  for (const policy of inputs.policies.filter(isAudited).sort(comparePolicies)) {
    for (const desired of compilePolicies([policy], inputs.index, inputs.instance).guests) {
      const list = fresh.get(desired.workload_id);
      if (list) list.push({ policy, desired });
      else fresh.set(desired.workload_id, [{ policy, desired }]);
    }
  }
  const before = last.placements;
  const shared = [...fresh].map(([id, list]) => {
    const old = before.get(id);
    return [id, old && isDeepStrictEqual(old, list) ? old : list] as const;
  });
  last.placements = new Map(shared);
  return last.placements;
}

/**
 * What each enabled policy in audit mode would put at which guest; computed once for each inputs object. What is the same as it was last is
 * the same object.
 */
export const loadAuditPlacements = (inputs: PolicyInputs): AuditPlacements =>
  placed.load(inputs, null, () => computePlacements(inputs));

/** Guests that an enabled policy in audit mode means; none for other policies. */
export const listAuditedWorkloadIds = (inputs: PolicyInputs, policyId: string): string[] =>
  [...loadAuditPlacements(inputs)]
    .filter(([, list]) => list.some(({ policy }) => policy.id === policyId))
    .map(([id]) => id);

/** Enabled policies in audit mode that target a guest, prepared, in the order in which they would be placed there. */
export const listAuditPolicies = (inputs: PolicyInputs, workloadId: string): AuditPolicy[] =>
  (loadAuditPlacements(inputs).get(workloadId) ?? []).map(({ policy, desired }) => prepareAuditPolicy(policy, desired));

/** The same policies for display, limited to those visible to the reader. */
export function viewAuditPolicies(inputs: PolicyInputs, workloadId: string, reach: Reach): AuditPolicyView[] {
  const workload = inputs.workloads.get(workloadId);
  return (loadAuditPlacements(inputs).get(workloadId) ?? [])
    .filter(({ policy }) => workload !== undefined && isVisibleAt(policy, workload, reach))
    .map(({ policy, desired }) => ({
      policy_id: policy.id,
      name: policy.name,
      version: policy.version,
      priority: policy.priority,
      rules: desired.rules.length,
      default_drop: [
        ...(desired.drop_in.length > 0 ? (['in'] as const) : []),
        ...(desired.drop_out.length > 0 ? (['out'] as const) : []),
      ],
    }));
}

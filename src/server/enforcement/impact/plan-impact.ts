import type { ImpactChange } from '@/domain/impact/stored-impact';
import { compileChange, listSubjects } from '../changes/compiled/compile-change';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import {
  computeApplyChange,
  computeCleanupChange,
  type FirewallChange,
  listAffectedGuests,
  listApplyPlaces,
  listCleanupGuests,
  readUnrestored,
} from '../policies/planned-change';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { TestSubject } from '../policy-tests/tests-after';
import type { InputPolicy } from '../queries/policy-inputs';

/** What an impact is computed from. */
export type PlannedImpact = {
  readonly firewall: FirewallState;
  /** What was last read, and what the change would leave. */
  readonly found: FirewallChange;
  /** With the policies as they would be, and those that it deletes: what names rules before and after. */
  readonly inputs: PolicyInputs;
  /** The policies that are deployed, and workloads of which residual rules are removed. */
  readonly subjects: readonly TestSubject[];
  /** Workloads that the change concerns, whether or not it changes anything there. */
  readonly workload_ids: readonly string[];
};

/** The policies of the inputs, these among them. */
const withPolicies = (inputs: PolicyInputs, policies: readonly InputPolicy[]): PolicyInputs => {
  const ids = new Set(policies.map(({ id }) => id));
  return { ...inputs, policies: [...inputs.policies.filter(({ id }) => !ids.has(id)), ...policies] };
};

/** What was last read, and what the change would leave. */
export async function planImpact(firewall: FirewallState, change: ImpactChange): Promise<PlannedImpact> {
  if ('items' in change) {
    const compiled = await compileChange(change.items, { firewall });
    const { change: found, inputs, touched, workload_ids } = compiled;
    const policies = touched.map(({ policy }) => policy);
    return {
      ...{ firewall, found, workload_ids },
      inputs: withPolicies(inputs, policies),
      subjects: listSubjects(compiled),
    };
  }
  const { policy, leaves } = change;
  const inputs = withPolicies(firewall.inputs, [policy]);
  const unrestored = await readUnrestored(firewall.inputs, [policy]);
  if (leaves === 'cleanup') {
    const workload_ids = listCleanupGuests(firewall, policy.id, unrestored);
    const found = await computeCleanupChange(firewall, policy.id, workload_ids);
    return { firewall, found, inputs, subjects: [policy], workload_ids };
  }
  const places = listApplyPlaces(firewall, policy.id, unrestored);
  const found = await computeApplyChange(firewall, policy, places);
  const workload_ids = listAffectedGuests(firewall.inputs, policy, places);
  return { firewall, found, inputs, subjects: [policy], workload_ids };
}

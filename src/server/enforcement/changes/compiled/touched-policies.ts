import type { ChangeItem } from '@/domain/change/items';
import type { DesiredGuest } from '@/domain/policy/desired';
import { comparePolicies } from '@/domain/policy/tier';
import { getPolicyDrops, listDesiredGuests, selectPolicyRules } from '../../deployments/guest-work';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import {
  listApplyPlaces,
  listCleanupGuests,
  type PlannedDeployment,
  readUnrestored,
} from '../../policies/planned-change';
import { compileInputs, isDeployed, type PolicyInputs, policiesById } from '../../policies/policy-inputs';
import type { InputPolicy } from '../../queries/policy-inputs';
import { changesInventory } from './apply-items';

/**
 * A policy that a change deploys. @property policy as it will be stored; as it was, when the change deletes it
 * @property is_item whether the change edits it, rather than a group that it names
 */
export type TouchedPolicy = PlannedDeployment & { readonly policy: InputPolicy; readonly is_item: boolean };

/** What a policy requires of a guest, as far as it filters: no versions, positions, comments or log levels. */
export function describeRequirements(policyId: string, desired: DesiredGuest) {
  const rules = selectPolicyRules(policyId, { desired }).map(({ content: { log: _log, ...content } }) => content);
  return { rules, ...getPolicyDrops(policyId, { desired }) };
}

/** What a policy requires of all guests, as a text. */
const printRequirements = (inputs: PolicyInputs, policyId: string): string =>
  JSON.stringify(
    listDesiredGuests(compileInputs(inputs), policyId).map((desired) => [
      desired.workload_id,
      describeRequirements(policyId, desired),
    ]),
  );

/** Deployed policies that no item edits and that require something else because groups or owners of workloads differ. */
function listRegrouped(before: PolicyInputs, after: PolicyInputs, items: readonly ChangeItem[]): InputPolicy[] {
  if (!items.some(changesInventory)) return [];
  const edited = new Set(items.flatMap((item) => ('policy_id' in item ? [item.policy_id] : [])));
  return after.policies.filter(
    (policy) =>
      isDeployed(policy) &&
      !edited.has(policy.id) &&
      printRequirements(before, policy.id) !== printRequirements(after, policy.id),
  );
}

const isUnique = <T>(item: T, at: number, list: readonly T[]): boolean => list.indexOf(item) === at;

/**
 * The policies that a change deploys, in the order in which that happens: first those that are applied, as they are evaluated, then
 * those whose rules are removed, so that what takes the place of a policy is there before it goes. A policy that is neither
 * deployed before nor after, and of which nothing is left anywhere, is not among them.
 */
export async function listTouchedPolicies(
  firewall: FirewallState,
  after: PolicyInputs,
  items: readonly ChangeItem[],
): Promise<TouchedPolicy[]> {
  const { inputs: before } = firewall;
  const [was, is] = [policiesById(before.policies), policiesById(after.policies)];
  const compiled = compileInputs(after);
  const regrouped = listRegrouped(before, after, items);
  const ids = items.flatMap((item) => ('policy_id' in item ? [item.policy_id] : [])).filter(isUnique);
  const known = [...ids.flatMap((id) => is.get(id) ?? was.get(id) ?? []), ...regrouped];
  const unrestored = await readUnrestored(before, known);
  const apply = (policy: InputPolicy, is_item: boolean): TouchedPolicy => {
    const desired = listDesiredGuests(compiled, policy.id).map(({ workload_id }) => workload_id);
    const workload_ids = [...new Set([...desired, ...listApplyPlaces(firewall, policy.id, unrestored)])];
    return { policy_id: policy.id, policy, leaves: 'apply', workload_ids, is_item };
  };
  const edited = ids.flatMap((policy_id): TouchedPolicy[] => {
    const [old, fresh] = [was.get(policy_id), is.get(policy_id)];
    if (fresh && isDeployed(fresh)) return [apply(fresh, true)];
    const policy = fresh ?? old;
    if (!old || !policy) return [];
    const workload_ids = listCleanupGuests(firewall, policy_id, unrestored);
    const isLeft = isDeployed(old) || (!fresh && workload_ids.length > 0);
    return isLeft ? [{ policy_id, policy, leaves: 'cleanup', workload_ids, is_item: true }] : [];
  });
  return [...edited, ...regrouped.map((policy) => apply(policy, false))].sort(
    (a, b) => Number(a.leaves === 'cleanup') - Number(b.leaves === 'cleanup') || comparePolicies(a.policy, b.policy),
  );
}

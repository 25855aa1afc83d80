import type { DeploymentProblem } from '@/domain/deployments';
import type { CompilablePolicy, Compiled } from '@/domain/policy/wanted';

const MAX_NAMED = 5;

const WHY: Record<string, string> = {
  invalid: 'cannot be read',
  not_found: 'does not exist',
  ambiguous: 'stands for several things',
  empty: 'has no members',
  not_a_workload: 'is no virtual machine or container',
  template: 'is a template',
  no_address: 'has no known address',
};

const listed = (items: readonly string[]) =>
  items.length > MAX_NAMED
    ? `${items.slice(0, MAX_NAMED).join(', ')} and ${items.length - MAX_NAMED} more`
    : items.join(', ');

/**
 * The enabled rules of a policy that map to no workload at all, in one sentence that names them and the endpoints that
 * are to blame. Null when every rule stands at some guest.
 */
export function unmappedRules(policy: CompilablePolicy, compiled: Compiled): DeploymentProblem | null {
  const placed = new Set(
    compiled.guests.flatMap(({ rules }) =>
      rules.filter(({ policy_id }) => policy_id === policy.id).map(({ rule_position }) => rule_position),
    ),
  );
  const unmapped = policy.rules.filter(({ enabled, position }) => enabled && !placed.has(position));
  if (unmapped.length === 0) return null;
  const rules = unmapped.map(({ position, action, protocol }) => `${position + 1} (${action} ${protocol})`);
  const endpoints = compiled.unresolved
    .filter(({ policy_id }) => policy_id === policy.id)
    .map(({ side, endpoint, reason }) => `${side} ${endpoint} ${WHY[reason] ?? reason}`);
  const because = endpoints.length > 0 ? `: ${listed([...new Set(endpoints)])}` : ': no address fits its protocol';
  return {
    code: 'rule_without_workload',
    message: `${unmapped.length === 1 ? 'Rule' : 'Rules'} ${listed(rules)} could not be mapped to a workload${because}.`,
    remedy: 'Correct the endpoints of the policy, or sync the cluster if the workloads are new.',
  };
}

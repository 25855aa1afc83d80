import type { ChangedPolicy, PolicyChange } from '@/domain/policies';
import { identifyRules } from '@/domain/policy/snapshot';
import type { Scope } from '../../auth/scope';
import { newId } from '../../lib/ids';
import { changePolicy } from './change-policy';

/**
 * Changes fields of a policy; those that are left out stay, rules that are given replace all of them.
 * @throws AppError as `changePolicy`
 */
export function updatePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason, project_id, rules, ...fields }: PolicyChange,
): Promise<ChangedPolicy> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return changePolicy(scope, id, { version, reason, project_id }, 'policy.updated', (current) => ({
    ...current,
    ...given,
    rules: rules ? identifyRules(current.rules, rules, newId) : current.rules,
  }));
}

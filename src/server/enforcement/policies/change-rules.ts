import type {
  ChangedPolicy,
  ChangeGuard,
  PolicySnapshot,
  RuleChange,
  RuleCreate,
  SecurityRule,
} from '@/domain/policies';
import type { Scope } from '../../auth/scope';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertNoPastEntered, changePolicy } from './change-policy';

const MAX_RULES = 200;

/** The rules with positions from 0 without gaps. */
const renumberRules = (rules: readonly SecurityRule[]): SecurityRule[] =>
  rules.map((rule, position) => ({ ...rule, position }));

const ruleNotFound = () => new AppError('not_found', 'The policy has no such rule. It may have been deleted.');

function getRuleIndex(current: PolicySnapshot, ruleId: string): number {
  const at = current.rules.findIndex(({ id }) => id === ruleId);
  if (at < 0) throw ruleNotFound();
  return at;
}

/** The policy with these rules, of which one was sent. @throws AppError as `assertNoPastEntered` */
function replaceRules(current: PolicySnapshot, rules: readonly SecurityRule[]): PolicySnapshot {
  const after = { ...current, rules: renumberRules(rules) };
  assertNoPastEntered(after, [current], () => 'rule.expires_at');
  return after;
}

/**
 * Adds a rule to a policy, at `position` or at the end.
 * @throws AppError as `changePolicy` and `assertNoPastEntered`; `refused` when there are as many as a policy may have
 */
export function addRule(
  scope: Scope<'policy:write'>,
  policyId: string,
  { rule, position, ...guard }: RuleCreate,
): Promise<ChangedPolicy> {
  return changePolicy(scope, policyId, guard, 'policy.rule_added', (current) => {
    if (current.rules.length >= MAX_RULES) {
      throw new AppError('refused', `A policy has at most ${MAX_RULES} rules. Put more rules in another policy.`);
    }
    const added = { ...rule, id: newId(), position: 0 };
    return replaceRules(current, current.rules.toSpliced(position ?? current.rules.length, 0, added));
  });
}

/** Changes content or place of one rule. @throws AppError as `changePolicy` and `assertNoPastEntered`; `not_found` also for the rule */
export function changeRule(
  scope: Scope<'policy:write'>,
  policyId: string,
  ruleId: string,
  { rule, position, ...guard }: RuleChange,
): Promise<ChangedPolicy> {
  return changePolicy(scope, policyId, guard, 'policy.rule_changed', (current) => {
    const at = getRuleIndex(current, ruleId);
    const known = current.rules[at];
    if (!known) throw ruleNotFound();
    const rest = current.rules.toSpliced(at, 1);
    return replaceRules(current, rest.toSpliced(position ?? at, 0, { ...known, ...rule }));
  });
}

/** Removes one rule. @throws AppError as `changePolicy`; `not_found` also for the rule */
export function removeRule(
  scope: Scope<'policy:write'>,
  policyId: string,
  ruleId: string,
  guard: ChangeGuard,
): Promise<ChangedPolicy> {
  return changePolicy(scope, policyId, guard, 'policy.rule_removed', (current) => ({
    ...current,
    rules: renumberRules(current.rules.toSpliced(getRuleIndex(current, ruleId), 1)),
  }));
}

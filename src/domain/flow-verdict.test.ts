import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, type Action, differs } from './flow-action';
import { combineRules, observedAction, type RulesSay } from './flow-verdict';

const buildRulesSay = (action: Action, kind: RulesSay['kind'], workload_id = 'a'): RulesSay => ({
  ...{ action, kind, workload_id, detail: null, explanation: '', position: null, group: null, group_position: null },
  ...{ policy_id: null, policy_name: null, policy_version: null, rule_hash: null, read_at: null },
});

describe('observedAction', () => {
  it('believes the log first, then replies, and else claims nothing', () => {
    expect(observedAction({ decision: 'drop', state: 'ESTABLISHED' })).toBe('dropped');
    expect(observedAction({ decision: 'reject', state: null })).toBe('rejected');
    expect(observedAction({ decision: 'accept', state: null })).toBe('allowed');
    expect(observedAction({ decision: 'observed', state: 'REPLIED' })).toBe('allowed');
    for (const state of [null, 'SYN_SENT', 'UNREPLIED', 'CLOSE', 'NONE']) {
      expect(observedAction({ decision: 'observed', state })).toBe('unknown');
    }
  });
});

describe('combineRules', () => {
  const one = fc.record({
    action: fc.constantFrom(...ACTIONS),
    kind: fc.constantFrom('rule' as const, 'default' as const, 'builtin' as const, 'not_enforced' as const),
  });

  it('says allowed only where both firewalls on the way allow', () => {
    fc.assert(
      fc.property(one, one, (caller, service) => {
        const [first, second] = ([caller, service] as const).map(({ action, kind }) =>
          buildRulesSay(action, action === 'unknown' ? 'unknown' : kind),
        ) as [RulesSay, RulesSay];
        const actions = [first.action, second.action];
        const { action } = combineRules(first, second);
        expect(action === 'allowed').toBe(actions.every((each) => each === 'allowed'));
        const denial = actions.find((each) => each === 'dropped' || each === 'rejected');
        expect(action).toBe(denial ?? (actions.includes('unknown') ? 'unknown' : 'allowed'));
      }),
    );
  });

  it('names a rule before a default policy, and both before a firewall that is off', () => {
    const off = buildRulesSay('allowed', 'not_enforced', 'caller');
    const [caller, service] = [buildRulesSay('allowed', 'rule', 'caller'), buildRulesSay('allowed', 'rule', 'service')];
    expect(combineRules(off, service).kind).toBe('rule');
    expect(combineRules(buildRulesSay('allowed', 'default', 'caller'), off).kind).toBe('default');
    expect(combineRules(caller, service).workload_id).toBe('service');
  });
});

it('differs only where both are known and not alike', () => {
  expect(differs('allowed', 'dropped')).toBe(true);
  expect(differs('dropped', 'allowed')).toBe(true);
  expect(differs('rejected', 'dropped')).toBe(false);
  expect(differs('dropped', 'rejected')).toBe(true);
  for (const action of ACTIONS) {
    expect(differs('unknown', action)).toBe(false);
    expect(differs(action, 'unknown')).toBe(false);
    expect(differs(action, undefined)).toBe(false);
    expect(differs(action, action)).toBe(false);
  }
});

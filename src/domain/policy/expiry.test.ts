import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicySnapshot } from '../policies';
import { listEnteredPast, listExpired, widensAccess, withoutExpiredRules } from './expiry';
import { SecurityRuleInput } from './policy';
import { NO_RESPONSIBILITY } from './responsibility';

const NOW = Date.parse('2027-01-31T00:00:00.000Z');
const at = (offset: number | null) => (offset === null ? null : new Date(NOW + offset).toISOString());
const offset = fc.constantFrom(null, -86_400_000, -1, 0, 1, 86_400_000);
const makePolicy = (own: number | null, rules: readonly (number | null)[]): PolicySnapshot => ({
  ...{ name: 'web', description: '', enabled: true, tier: 'tenant', tenant_visibility: 'rules', priority: 1 },
  ...NO_RESPONSIBILITY,
  expires_at: at(own),
  definition: {
    ...{ enforcement_mode: 'enforced', direction: 'in', sources: ['any'], targets: ['a'], default_action: 'none' },
  },
  rules: rules.map((one, position) => ({
    ...SecurityRuleInput.parse({ action: 'accept', protocol: 'tcp', destination_ports: [String(position + 1)] }),
    ...{ id: `rule ${position}`, position, expires_at: at(one) },
  })),
});

describe('the expiry of policies and rules', () => {
  it('finds each at its time and not before, and the rest stays as it is', () => {
    fc.assert(
      fc.property(offset, fc.array(offset, { maxLength: 6 }), (own, rules) => {
        const policy = makePolicy(own, rules);
        const isOver = (one: number | null) => one !== null && one <= 0;
        const expired = listExpired(policy, NOW);
        if (isOver(own)) expect(expired).toEqual([{ rule: null, expires_at: policy.expires_at }]);
        else expect(expired.map(({ rule }) => rule)).toEqual(policy.rules.filter((_, n) => isOver(rules[n] ?? null)));
        const left = withoutExpiredRules(policy, NOW);
        expect(left.rules.map(({ id }) => id)).toEqual(
          policy.rules.filter((_, n) => !isOver(rules[n] ?? null)).map(({ id }) => id),
        );
        expect(left.rules.map(({ position }) => position)).toEqual([...left.rules.keys()]);
        expect(listExpired({ ...left, expires_at: null }, NOW)).toEqual([]);
      }),
    );
  });

  it('knows that more may pass without a rule or a policy that denies', () => {
    const policy = makePolicy(null, [0, 0]);
    const [allow, deny] = policy.rules.map((rule, n) => ({ ...rule, action: n === 0 ? 'accept' : 'drop' }) as const);
    if (!allow || !deny) throw new Error('expected two rules');
    expect(widensAccess(policy, { rule: allow })).toBe(false);
    expect(widensAccess(policy, { rule: deny })).toBe(true);
    expect(widensAccess(policy, { rule: { ...deny, enabled: false } })).toBe(false);
    expect(widensAccess(policy, { rule: null })).toBe(false);
    expect(widensAccess({ ...policy, rules: [allow, deny] }, { rule: null })).toBe(true);
    const drops = { ...policy, definition: { ...policy.definition, default_action: 'drop' as const } };
    expect(widensAccess(drops, { rule: null })).toBe(true);
  });

  it('finds an expiry in the past that no former content has', () => {
    const own = fc.record({ policy: offset, rules: fc.array(offset, { maxLength: 4 }) });
    fc.assert(
      fc.property(own, own, (before, after) => {
        const policy = makePolicy(after.policy, after.rules);
        const known: (number | null)[] = [before.policy, ...before.rules];
        const isEntered = (one: number | null) => one !== null && one <= 0 && !known.includes(one);
        expect(listEnteredPast(policy, [makePolicy(before.policy, before.rules)], NOW)).toEqual([
          ...(isEntered(after.policy) ? ['expires_at'] : []),
          ...after.rules.flatMap((one, n) => (isEntered(one) ? [`rules.${n}.expires_at`] : [])),
        ]);
        expect(listEnteredPast(policy, [policy], NOW)).toEqual([]);
      }),
    );
  });
});

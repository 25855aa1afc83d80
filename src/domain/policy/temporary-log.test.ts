import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesiredGuest, DesiredRule, RuleContent } from './desired';
import { chooseLoggedRules, getWrittenContent, markLoggedRules } from './temporary-log';

const contents = fc.record({
  type: fc.constant('in' as const),
  action: fc.constantFrom('ACCEPT' as const, 'DROP' as const),
  dport: fc.constantFrom('22', '80', '443'),
  log: fc.constantFrom(undefined, 'warning'),
});
const toRules = (list: readonly Record<string, string | undefined>[]): DesiredRule[] =>
  list.map((content, position) => ({
    ...{ policy_id: 'p', policy_version: 1, rule_position: position, rule_hash: `hash${position}`, comment: '' },
    content: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined)) as RuleContent,
  }));
const count = (rules: readonly DesiredRule[], { type, action, dport }: RuleContent) =>
  rules.filter(({ content }) => content.type === type && content.action === action && content.dport === dport).length;

describe('rules that are logged for a time', () => {
  it('include as many of each kind as there were not before, and none with a log level of its own', () => {
    fc.assert(
      fc.property(fc.array(contents), fc.array(contents), (before, after) => {
        const [old, fresh] = [toRules(before), toRules(after)];
        const hashes = new Set(chooseLoggedRules(fresh, old));
        const logged = fresh.filter(({ rule_hash }) => hashes.has(rule_hash));
        expect(logged.every(({ content }) => content.log === undefined)).toBe(true);
        for (const { content } of fresh) {
          const added = Math.max(0, count(fresh, content) - count(old, content));
          const isAlike = fresh.filter((rule) => count([rule], content) === 1);
          if (isAlike.every((rule) => rule.content.log === undefined)) expect(count(logged, content)).toBe(added);
          else expect(count(logged, content)).toBeLessThanOrEqual(added);
        }
        // In another order, none is new.
        expect(chooseLoggedRules([...fresh].reverse(), fresh)).toEqual([]);
      }),
    );
  });

  it('have their level at one workload, and are the same without it', () => {
    const rules = toRules([{ type: 'in', action: 'ACCEPT', dport: '22' }]);
    const guest = (workload_id: string): DesiredGuest => ({
      ...{ cluster_id: 'c', workload_id, vmid: 100, rules, sets: [], drop_in: [], drop_out: [] },
    });
    const guests = [guest('a'), guest('b')];
    const log = { policy_id: 'p', workload_id: 'b', level: 'info' as const, rule_hashes: ['hash0', 'gone'] };
    const [first, second] = markLoggedRules(guests, [log]);
    expect(first).toBe(guests[0]);
    expect(second?.rules.map(getWrittenContent)).toEqual([{ type: 'in', action: 'ACCEPT', dport: '22', log: 'info' }]);
    expect(second?.rules).toMatchObject(rules);
    expect(markLoggedRules(guests, [{ ...log, policy_id: 'other' }])).toEqual(guests);
  });
});

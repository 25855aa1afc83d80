import { expect, it } from 'vitest';
import type { AuditSay, RulesSay } from '@/domain/flow-verdict';
import { english } from '@/lib/i18n/translator';
import { findAuditChange, rulesText, verdictDiffers } from './verdict-labels';

const id = '01890000-0000-7000-8000-000000000000';
const createRulesSay = (values: Partial<RulesSay>): RulesSay => ({
  ...{ action: 'allowed', kind: 'rule', detail: null, explanation: '', position: 3, group: null, group_position: null },
  ...{ policy_id: null, policy_name: null, policy_version: null, rule_hash: null, workload_id: id, read_at: null },
  ...values,
});
const createAuditSay = (action: AuditSay['action']): AuditSay => ({
  ...{ action, policy_id: id, policy_name: 'policy', by: 'rule', rule_position: 0, workload_id: id },
});

it('says action and reason in the words of every page', () => {
  const text = (values: Partial<RulesSay> | null) => rulesText(english, values && createRulesSay(values));
  expect(text({})).toBe('allowed by the rule at position 3');
  expect(text({ action: 'rejected', policy_id: id, policy_name: 'web' })).toBe('rejected by web, position 3');
  expect(text({ action: 'dropped', group: 'office', group_position: 1 })).toBe(
    'dropped by PVE security group office, position 1',
  );
  expect(text({ action: 'dropped', vnet: 'apps' })).toBe('dropped by VNet apps, position 3');
  expect(text({ action: 'dropped', kind: 'default', position: null })).toBe('dropped by default policy');
  expect(text({ action: 'dropped', kind: 'builtin', position: null })).toBe('dropped by a built-in rule');
  expect(text({ kind: 'not_enforced', position: null })).toBe('not filtered');
  expect(text({ action: 'unknown', kind: 'unknown', position: null })).toBe('unknown');
  expect(text({ action: 'unknown' })).toBe('unknown');
  expect(text(null)).toBe('unknown');
});

it('shows for aggregated rows what their flows have in common', () => {
  const row = { ...createRulesSay({ action: 'dropped', position: null }), kind: 'mixed' as const };
  expect(rulesText(english, row)).toBe('dropped by several rules');
  expect(rulesText(english, { ...row, action: 'mixed' })).toBe('mixed');
  const sum = { action: 'mixed' as const, rules_say: row, audit_say: [] };
  expect([true, false].map((differs) => verdictDiffers({ ...sum, differs }))).toEqual([true, false]);
});

it('shows where observed and evaluated actions differ, and what audit-mode policies would change', () => {
  expect(verdictDiffers({ action: 'allowed', rules_say: createRulesSay({ action: 'dropped' }) })).toBe(true);
  expect(verdictDiffers({ action: 'unknown', rules_say: createRulesSay({ action: 'dropped' }) })).toBe(false);
  expect(findAuditChange({ action: 'allowed', rules_say: createRulesSay({}), audit_say: [] })).toBeNull();
  expect(
    findAuditChange({
      action: 'allowed',
      rules_say: createRulesSay({}),
      audit_say: [createAuditSay('allowed'), createAuditSay('dropped')],
    }),
  ).toBeNull();
  expect(
    findAuditChange({ action: 'allowed', rules_say: createRulesSay({}), audit_say: [createAuditSay('dropped')] }),
  ).toBe('dropped');
});

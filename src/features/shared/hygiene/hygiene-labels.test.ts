import { expect, it } from 'vitest';
import type { HygieneWitness } from '@/domain/hygiene/finding';
import { english } from '@/lib/i18n/translator';
import { formatRule, formatWitness } from './hygiene-labels';

const POLICY = '01890000-0000-7000-8000-000000000000';
const NONE = { policy_id: null, policy_name: null, rule_position: null, position: null };
const createWitness = (values: Partial<HygieneWitness>): HygieneWitness => ({
  ...{ kind: 'rule', text: 'accept tcp 443', action: 'accept' },
  ...NONE,
  ...values,
});

it('counts rules of a policy from 1, and live rules from 0 as Proxmox VE does', () => {
  expect(formatRule(english, { policy_id: POLICY, rule_position: 0 })).toBe('Rule 1');
  expect(formatRule(english, { policy_id: null, rule_position: 0 })).toBe('Position 0');
  expect(formatRule(english, NONE)).toBeNull();
  const text = (values: Partial<HygieneWitness>) => formatWitness(english, createWitness(values));
  expect(text({ policy_id: POLICY, policy_name: 'web', rule_position: 0 })).toBe('web, Rule 1: accept tcp 443');
  expect(text({ position: 0 })).toBe('Position 0: accept tcp 443');
  expect(text({ text: null, action: 'drop' })).toBe('Rule: drop');
});

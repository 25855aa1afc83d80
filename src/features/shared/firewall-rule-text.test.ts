import { expect, test } from 'vitest';
import { formatMarker } from '@/domain/policy/marker';
import { commentText, matchText, ruleText } from './firewall-rule-text';

const rule = {
  type: 'in',
  action: 'ACCEPT',
  protocol: null,
  source: null,
  destination: null,
  source_port: null,
  destination_port: null,
  icmp_type: null,
  macro: null,
  interface: null,
};

test('a rule reads in the order in which people say it', () => {
  const full = { ...rule, protocol: 'tcp', source: '10.0.0.0/24', destination_port: '443', interface: 'net0' };
  expect(ruleText(full)).toBe('in ACCEPT tcp from 10.0.0.0/24 to port 443 on net0');
  expect(ruleText({ ...rule, macro: 'SSH' })).toBe('in ACCEPT SSH (macro)');
});

test('a rule without limits says so', () => expect(matchText(rule)).toBe('everything'));

test('a group is named, not spelled as a verdict', () =>
  expect(ruleText({ ...rule, type: 'group', action: 'web' })).toBe('group web'));

test('the marker is left out of the comment, other comments stay', () => {
  const marker = formatMarker({
    instance: 'abcdefgh',
    policy_id: '0190f3a0-0000-7000-8000-000000000001',
    version: 3,
    rule_hash: '0123456789abcdef',
    vmid: 100,
  });
  expect(commentText(`${marker} web to db`)).toBe('web to db');
  expect(commentText(marker)).toBe('');
  expect(commentText('left by hand')).toBe('left by hand');
});

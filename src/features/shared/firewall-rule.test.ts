import { expect, test } from 'vitest';
import { formatMarker } from '@/domain/policy/marker';
import { english } from '@/lib/i18n/translator';
import { commentText, matchText } from './firewall-rule';

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
  expect(matchText(english, full)).toBe('tcp from 10.0.0.0/24 to port 443 on net0');
  expect(matchText(english, { ...rule, macro: 'SSH' })).toBe('SSH (macro)');
});

test('a rule without limits says so', () => expect(matchText(english, rule)).toBe('everything'));

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

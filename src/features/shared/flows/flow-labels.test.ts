import { expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { endText, formatPerSecond, getDecisionLabel, packetsText, serviceText } from './flow-labels';

it('names services', () => {
  expect(serviceText({ protocol: 'tcp', destination_port: 443, icmp_type: null })).toBe('tcp/443');
  expect(serviceText({ protocol: 'tcp', destination_port: 0, icmp_type: null })).toBe('tcp/0');
  expect(serviceText({ protocol: 'icmp', destination_port: null, icmp_type: 8 })).toBe('icmp type 8');
  expect(serviceText({ protocol: '47', destination_port: null, icmp_type: null })).toBe('47');
});

it('keeps address and port of IPv6 apart', () => {
  expect(endText('10.0.0.1', 22)).toBe('10.0.0.1:22');
  expect(endText('2001:db8::1', 22)).toBe('[2001:db8::1]:22');
  expect(endText('2001:db8::1', null)).toBe('2001:db8::1');
});

it('shows small rates without hiding them', () => {
  expect([0, 0.0123, 0.5, 12.34, 1234.5].map(formatPerSecond)).toEqual([
    '0 /s',
    '0.012 /s',
    '0.5 /s',
    '12 /s',
    '1,235 /s',
  ]);
});

it('counts one and many', () => {
  expect([0, 1, 1234].map((count) => packetsText(english, count))).toEqual(['0 packets', '1 packet', '1,234 packets']);
});

it('keeps a verdict that it does not know', () => {
  expect(getDecisionLabel('drop').word).toBe('Dropped');
  expect(getDecisionLabel('audit_drop')).toMatchObject({ word: 'Would be dropped', tone: 'warn' });
  expect(getDecisionLabel('later_drop')).toMatchObject({ word: 'later_drop', tone: 'unknown' });
  expect(getDecisionLabel('toString').word).toBe('toString');
});

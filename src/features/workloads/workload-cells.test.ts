import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, test } from 'vitest';
import type { UnprotectedReason } from '@/domain/firewall/protection';
import { english } from '@/lib/i18n/translator';
import { firewallText, ProtectionReasons, protectionText } from './workload-cells';

const read = '2026-11-21T00:00:00.000Z';

test.each([
  [0, 0, read, null],
  [1, 1, read, 'On'],
  [1, 0, read, 'Off'],
  [2, 2, read, 'All 2'],
  [2, 0, read, 'None of 2'],
  [3, 1, read, '1 of 3'],
  [0, 0, null, 'Unknown'],
  [2, 1, null, 'Unknown'],
])('%i cards, %i flagged, read at %s: %s', (interfaces_total, interfaces_firewalled, config_read_at, text) => {
  expect(firewallText(english, { interfaces_total, interfaces_firewalled, config_read_at })).toBe(text);
});

test.each([
  ['default_deny', [], 'Default deny'],
  [null, [], null],
  ['unknown', [], 'Unknown'],
  [
    'off',
    [
      ['net0', ['guest_firewall_off']],
      ['net1', ['guest_firewall_off', 'nic_flag_off']],
    ],
    'Guest firewall off; net1 flag off',
  ],
  [
    'off',
    [
      ['net0', ['nic_flag_off']],
      ['net1', ['nic_flag_off']],
    ],
    'net0, net1 flag off',
  ],
  ['no_rules', [['net1', ['no_rules']]], 'net1: No rules, default accept'],
  [
    'no_rules',
    [
      ['net0', ['no_rules']],
      ['net1', ['unknown']],
    ],
    'net0: No rules, default accept; net1: Unknown',
  ],
  [
    'rules_default_accept',
    [
      ['net0', ['default_accept']],
      ['net1', ['default_accept']],
    ],
    'Default accept',
  ],
] as const)('protection %s with %j reads %s', (protection, open, text) => {
  const unprotected_interfaces = open.map(([name, reasons]) => ({ name, reasons: [...reasons] }));
  const found = unprotected_interfaces.flatMap(({ reasons }) => reasons);
  const protection_reasons = protection === 'unknown' ? ['unknown' as const] : [...new Set(found)];
  const workload = { protection, protection_reasons, unprotected_interfaces, interfaces_total: 2 };
  expect(protectionText(english, workload)).toBe(text);
});

describe('ProtectionReasons', () => {
  const shown = (protection_reasons: UnprotectedReason[]) => {
    const workload = {
      protection: 'off' as const,
      protection_reasons,
      unprotected_interfaces: [],
      interfaces_total: 1,
    };
    return renderToStaticMarkup(createElement(ProtectionReasons, { workload }));
  };

  it('shows the first reason and how many more there are, with all of them as a title', () => {
    const page = shown(['guest_firewall_off', 'default_accept', 'nic_flag_off']);
    expect(page).toContain('title="Guest firewall off; Default accept; ');
    expect(page.replace(/<[^>]*>/g, '')).toBe('Guest firewall off+2');
  });

  it('shows one reason alone', () => {
    expect(shown(['guest_firewall_off']).replace(/<[^>]*>/g, '')).toBe('Guest firewall off');
  });
});

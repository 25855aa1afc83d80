import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { vlanText } from './network-labels';

test.each([
  ['vnet', 120, null, '120'],
  ['bridge', null, true, 'VLAN-aware'],
  ['bridge', null, false, 'None'],
  ['bridge', null, null, 'Unknown'],
  ['vnet', null, null, null],
] as const)('%s, tag %s, aware %s: %s', (kind, vlan_tag, vlan_aware, text) => {
  expect(vlanText(english, { kind, vlan_tag, vlan_aware })).toBe(text);
});

import { addressFormat } from '@fabric/simulator/firewall/address-spec';
import { emptyFirewallFile, FILE_SCOPES, parseFirewallFile } from '@fabric/simulator/firewall/firewall-file';
import type { FirewallRule } from '@fabric/simulator/firewall/firewall-rule';
import { destinationPortFormat, sourcePortFormat } from '@fabric/simulator/firewall/port-spec';
import { printRule } from '@fabric/simulator/firewall/rule-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffGuest } from './compare-rules';
import { compilePolicies } from './compile';
import { indexInventory } from './inventory-index';
import { toLiveRule } from './policy-model.fixture';
import { INVENTORY, randomPolicies } from './random-policies.fixture';

const INDEX = indexInventory(INVENTORY);

it('compiled rules are valid for the hypervisor and read back as they were written', () => {
  let stored = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      for (const guest of compilePolicies(randomPolicies(seed), INDEX, 'inst1').guests.slice(0, 6)) {
        const rules = guest.rules.map(toLiveRule).map(({ pos, ...rule }) => rule as FirewallRule);
        for (const rule of rules) {
          expect(addressFormat(rule.source ?? rule.dest ?? '')).toBeUndefined();
          expect(rule.dport && destinationPortFormat(rule.dport)).toBeFalsy();
          expect(rule.sport && sourcePortFormat(rule.sport)).toBeFalsy();
        }
        const sets = guest.sets.map(({ name, cidrs }) => `[IPSET ${name}]\n${cidrs.join('\n')}\n`);
        const text = `${sets.join('\n')}\n[RULES]\n${rules.map((rule) => printRule(rule, true)).join('\n')}\n`;
        const file = parseFirewallFile(text, FILE_SCOPES.qemu, { datacenter: emptyFirewallFile(), sdnSets: new Set() });
        expect(file.rules.filter((rule) => rule.errors)).toEqual([]);
        const live = file.rules.map((rule, pos) => ({ ...rule, pos }));
        const diff = diffGuest(guest.rules, live, { instance: 'inst1', vmid: guest.vmid, placement: 'above' });
        expect([diff.added, diff.removed, diff.moved]).toEqual([[], [], []]);
        expect([...file.ipsets.keys()]).toEqual(guest.sets.map(({ name }) => name));
        stored += live.length;
      }
    }),
  );
  expect(stored).toBeGreaterThan(100);
});

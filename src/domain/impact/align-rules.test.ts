import { describe, expect, it } from 'vitest';
import { addressSet } from '../firewall/address-set';
import type { CompiledRule } from '../firewall/compiled-rule';
import { findDifferentRules } from './align-rules';

const addresses = (first: bigint) => addressSet([{ family: 4, first, last: first + 9n }], 'no');
const ports = (first: number) => ({ ranges: [{ first, last: first }], rest: 'no' as const });
const PLAIN: Omit<CompiledRule, 'place'> = {
  ...{ action: 'accept', protocol: 6, source: addresses(10n), destination: null },
  ...{ source_ports: ports(1), destination_ports: ports(2), icmp: null, vague: false },
};
const buildRules = (...parts: Partial<CompiledRule>[]): CompiledRule[] =>
  parts.map((part, position) => ({ ...PLAIN, ...part, place: { position } }));
const numbered = (at: number): Partial<CompiledRule> => ({ destination_ports: ports(1_000 + at) });

const CHANGES: readonly (readonly [what: string, change: Partial<Omit<CompiledRule, 'place'>>])[] = [
  ['action', { action: 'drop' }],
  ['protocol', { protocol: 17 }],
  ['sources', { source: addresses(500n) }],
  ['sources, any', { source: null }],
  ['destinations', { destination: addresses(10n) }],
  ['source ports', { source_ports: ports(9) }],
  ['source ports, not all of them known', { source_ports: { ...ports(1), rest: 'unknown' } }],
  ['destination ports, any', { destination_ports: null }],
  ['ICMP type', { icmp: { type: 8 } }],
  ['certainty', { vague: true }],
];

describe('findDifferentRules', () => {
  it.each(CHANGES)('names a rule that differs in %s, before and after, and no other', (_, change) => {
    const others = [numbered(1), numbered(2)];
    const before = buildRules(...others, {}, numbered(3));
    const after = buildRules(...others, change, numbered(3));
    expect(findDifferentRules(before, after)).toEqual([before[2], after[2]]);
  });

  it('distinguishes codes of one ICMP type', () => {
    expect(
      findDifferentRules(buildRules({ icmp: { type: 8 } }), buildRules({ icmp: { type: 8, code: 1 } })),
    ).toHaveLength(2);
  });

  it('finds nothing where only places differ and equal addresses were read twice', () => {
    const before = buildRules(numbered(1), {}, { source: addresses(70n) });
    const after = buildRules(numbered(1), { source: addresses(10n) }, { source: addresses(70n) });
    const moved = after.map((rule) => ({ ...rule, place: { position: rule.place.position + 5 } }));
    expect(findDifferentRules(before, moved)).toEqual([]);
  });

  it('names what was added, removed or put elsewhere', () => {
    const before = buildRules(numbered(1), numbered(2), numbered(3));
    expect(findDifferentRules(before, buildRules(numbered(9), numbered(1), numbered(2), numbered(3)))).toHaveLength(1);
    expect(findDifferentRules(before, buildRules(numbered(1), numbered(3)))).toEqual([before[1]]);
    expect(findDifferentRules(before, buildRules(numbered(2), numbered(1), numbered(3)))).toHaveLength(2);
  });
});

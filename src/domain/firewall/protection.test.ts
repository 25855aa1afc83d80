import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { parseIp } from '../net/ip-address';
import { evaluateEnforcement } from './enforcement';
import { evaluate } from './evaluate';
import { computeProtection, explainProtection } from './explain-protection';
import { effectiveOptions } from './guest-options';
import type { LiveNic, LiveRule, LiveState } from './live-state';
import type { Packet } from './packet';
import { prepareGuest } from './prepare-guest';
import { PROTECTIONS, type Protection, UNPROTECTED_REASONS, worstProtection } from './protection';
import { PLAIN_NODE, RANDOM_NIC, randomSource, randomState } from './random-state.fixture';

const NIC: LiveNic = { name: 'net0', firewall: true, mac: '02:00:00:00:00:01' };
const OBJECTS = { ipsets: {}, aliases: {} };

type Parts = { options?: LiveState['guest']['options']; rules?: readonly LiveRule[] | null; nic?: Partial<LiveNic> };
const state = ({ options, rules = [] }: Parts, cluster: Partial<LiveState['cluster']> = {}): LiveState => ({
  cluster: { firewall_enabled: true, groups: {}, ...OBJECTS, ...cluster },
  guest: { ...OBJECTS, options: options === undefined ? { enable: 1 } : options, rules },
  node: PLAIN_NODE,
});
const getProtection = (parts: Parts, cluster: Partial<LiveState['cluster']> = {}) =>
  computeProtection(state(parts, cluster), { ...NIC, ...parts.nic });

const rule = (values: Partial<LiveRule>): LiveRule => ({ pos: 0, type: 'in', action: 'ACCEPT', enable: 1, ...values });
const ssh = rule({ proto: 'tcp', dport: '22' });
const ACCEPT = { enable: 1, policy_in: 'ACCEPT' };
const GROUP = rule({ type: 'group', action: 'web' });

/** A packet of a protocol that no rule names, between addresses that none does. */
const buildUnmatchedPacket = (family: 4 | 6, last: number): Packet => {
  const ip = (text: string) => parseIp(text) ?? { family, value: 0n };
  const net = family === 4 ? '203.0.113.' : '2001:db8:9::';
  return { direction: 'in', source: ip(`${net}${last}`), destination: ip(`${net}1`), protocol: 253 };
};

describe('computeProtection', () => {
  it('returns default_deny exactly when the default drops packets without a matching rule, under random states', () => {
    const seen = new Map<Protection, number>();
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 2, max: 99 }), fc.boolean(), (seed, last, bare) => {
        const random = randomState(seed);
        const live: LiveState =
          bare && random.guest.rules
            ? { ...random, guest: { ...random.guest, rules: random.guest.rules.slice(0, seed & 1) } }
            : random;
        const protection = computeProtection(live, RANDOM_NIC);
        seen.set(protection, (seen.get(protection) ?? 0) + 1);
        // Dropped or rejected is the same here, also to an evaluator that does not know which.
        const denying: LiveState = JSON.parse(JSON.stringify(live).replaceAll('"REJECT"', '"DROP"'));
        const guest = prepareGuest(denying, RANDOM_NIC);
        const verdicts = ([4, 6] as const).map((family) => evaluate(guest, buildUnmatchedPacket(family, last)).verdict);
        const denies = live.guest.options !== null && effectiveOptions(live.guest.options).policy_in !== 'ACCEPT';
        const dropped = verdicts.every((verdict) => verdict === 'drop');
        expect(protection === 'default_deny').toBe(denies && dropped && live.guest.rules !== null);
        if (protection === 'no_rules') expect(verdicts).not.toContain('drop');
        const { status } = evaluateEnforcement(live, RANDOM_NIC);
        if (status === 'on' && denies && verdicts.includes('accept')) expect(protection).toBe('rules_default_accept');
      }),
      { numRuns: getRunCount(500, 1_500) },
    );
    for (const protection of ['default_deny', 'rules_default_accept', 'no_rules', 'unknown'] as const) {
      expect(seen.get(protection) ?? 0, protection).toBeGreaterThan(5);
    }
  });

  it('has a reason exactly where it does not deny, and each switch that is off, under random states', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = randomState(seed);
        const switches = randomSource(seed);
        const cluster = switches() < 0.1 ? { ...random.cluster, firewall_enabled: false } : random.cluster;
        const live: LiveState = { ...random, cluster };
        const nic: LiveNic = { ...RANDOM_NIC, firewall: switches() >= 0.1 };
        const { protection, reasons } = explainProtection(live, nic);
        for (const reason of reasons) seen.add(reason);
        expect(reasons.length === 0).toBe(protection === 'default_deny');
        expect(reasons.includes('unknown')).toBe(protection === 'unknown');
        const enforcement = evaluateEnforcement(live, nic);
        if (enforcement.status === 'off') expect(reasons).toEqual(enforcement.reasons);
        else expect(reasons.some((reason) => reason.endsWith('_off'))).toBe(false);
        expect(reasons.includes('no_rules')).toBe(protection === 'no_rules');
        const accepts = live.guest.options !== null && effectiveOptions(live.guest.options).policy_in === 'ACCEPT';
        if (protection === 'rules_default_accept') {
          expect(reasons).toEqual([accepts ? 'default_accept' : 'accepts_everything']);
        }
      }),
      { numRuns: getRunCount(500, 1_500) },
    );
    expect([...seen].sort()).toEqual([...UNPROTECTED_REASONS].sort());
  });

  it.each<[string, Protection, Parts, Partial<LiveState['cluster']>?]>([
    ['no stored default, which is DROP', 'default_deny', {}],
    ['a default of REJECT', 'default_deny', { options: { enable: 1, policy_in: 'REJECT' } }],
    ['a default of DROP with rules', 'default_deny', { rules: [ssh] }],
    ['a default of ACCEPT without rules', 'no_rules', { options: ACCEPT }],
    ['a default of ACCEPT with a disabled rule', 'no_rules', { options: ACCEPT, rules: [{ ...ssh, enable: 0 }] }],
    [
      'a default of ACCEPT with an invalid rule',
      'no_rules',
      { options: ACCEPT, rules: [{ ...ssh, errors: { source: 'gone' } }] },
    ],
    [
      'a default of ACCEPT with a rule of another interface',
      'no_rules',
      { options: ACCEPT, rules: [{ ...ssh, iface: 'net1' }] },
    ],
    ['a default of ACCEPT with an outbound rule', 'no_rules', { options: ACCEPT, rules: [{ ...ssh, type: 'out' }] }],
    [
      'a default of ACCEPT with an empty group',
      'no_rules',
      { options: ACCEPT, rules: [GROUP] },
      { groups: { web: [] } },
    ],
    ['a default of ACCEPT with a rule that accepts', 'rules_default_accept', { options: ACCEPT, rules: [ssh] }],
    [
      'a default of ACCEPT with a rule that drops everything',
      'rules_default_accept',
      { options: ACCEPT, rules: [rule({ action: 'DROP' })] },
    ],
    [
      'a default of ACCEPT with a rule in a group',
      'rules_default_accept',
      { options: ACCEPT, rules: [GROUP] },
      { groups: { web: [ssh] } },
    ],
    [
      'a rule that accepts everything before a default of DROP',
      'rules_default_accept',
      { rules: [ssh, rule({ pos: 1 })] },
    ],
    [
      'a rule that accepts everything of one family',
      'rules_default_accept',
      { rules: [rule({ source: '0.0.0.0/0' })] },
    ],
    [
      'a rule that accepts everything after one that drops everything',
      'default_deny',
      { rules: [rule({ action: 'DROP' }), rule({ pos: 1 })] },
    ],
    ['the cluster off', 'off', {}, { firewall_enabled: false }],
    ['the guest off', 'off', { options: { enable: 0 } }],
    ['the interface off', 'off', { nic: { firewall: false } }],
    ['the cluster unread', 'unknown', {}, { firewall_enabled: null }],
    ['the options unread', 'unknown', { options: null }],
    ['the interface unread', 'unknown', { nic: { firewall: null } }],
    ['the rules unread', 'unknown', { rules: null }],
    ['a group unread', 'unknown', { rules: [GROUP] }, { groups: null }],
    ['a group unread behind a default of ACCEPT', 'unknown', { options: ACCEPT, rules: [GROUP] }, { groups: null }],
  ])('rates %s as %s', (_, expected, parts, cluster = {}) => {
    expect(getProtection(parts, cluster)).toBe(expected);
  });
});

describe('worstProtection', () => {
  it('returns one of the given values in any order, and default_deny only when all are default_deny', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PROTECTIONS), { minLength: 1, maxLength: 5 }), (list) => {
        const worst = worstProtection(list);
        expect(worst).toBe(worstProtection([...list].reverse()));
        expect(list).toContain(worst);
        expect(worst === 'default_deny').toBe(list.every((one) => one === 'default_deny'));
      }),
    );
    expect(worstProtection([])).toBeNull();
    expect(worstProtection(['unknown', 'no_rules', 'default_deny'])).toBe('no_rules');
  });
});

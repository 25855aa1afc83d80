import { describe, expect, it } from 'vitest';
import type { LiveRule } from '@/domain/firewall/live-state';
import type { FirewallChange } from '../policies/planned-change';
import { GuestPairs } from './guest-pairs';

const IDS = ['a', 'b', 'c', 'd'];
const makeRules = (count: number): LiveRule[] =>
  Array.from({ length: count }, (_, pos) => ({ pos, type: 'in', action: 'ACCEPT', enable: 1 }));
const GROUP: LiveRule = { pos: 0, type: 'group', action: 'web', enable: 1 };

/** Four guests on one cluster; `a` is changed. */
function makeChange(rules: readonly LiveRule[], groups: Record<string, LiveRule[]> = {}): FirewallChange {
  const guest = {
    presence: 'present',
    options: {},
    rules,
    ipsets: {},
    aliases: {},
    nics: [],
    pending_nics: [],
    unreadable: [],
  };
  const workloads = new Map(IDS.map((id) => [id, { id, cluster_id: 'cluster', node_name: null, nftables: false }]));
  const clusters = new Map([['cluster', { state: { firewall_enabled: true, groups, ipsets: {}, aliases: {} } }]]);
  const guests = new Map(IDS.map((id) => [id, { state: guest }]));
  const one = {
    inputs: { workloads, policies: [], instance: 'here', gone: new Map() },
    snapshots: { guests, clusters },
  };
  const change = { before: one, after: one, changed: new Set(['a']), unreadable: new Set(['d']) };
  return change as unknown as FirewallChange;
}

describe('GuestPairs', () => {
  it('keeps the pairs that were used last, up to a number of rules, and prepares others again', () => {
    const pairs = new GuestPairs(makeChange(makeRules(9)), 25);
    const [b, c] = [pairs.of('b'), pairs.of('c')];
    expect(pairs.of('b')).toBe(b);
    // 10 for each with its rules: with a third pair the one goes that was not used for longest.
    pairs.of('d');
    expect(pairs.of('b')).toBe(b);
    expect(pairs.of('c')).not.toBe(c);
  });

  it('counts rules of groups where they are named, and keeps a pair that alone has more', () => {
    const groups = { web: makeRules(50) };
    const pairs = new GuestPairs(makeChange([GROUP], groups), 25);
    const b = pairs.of('b');
    expect(pairs.of('b')).toBe(b);
    pairs.of('c');
    expect(pairs.of('b')).not.toBe(b);
  });

  it('prepares one guest for both states where nothing changes, none where the result is unknown, and forgets what is taken', () => {
    const pairs = new GuestPairs(makeChange(makeRules(2)));
    const [a, b, d] = [pairs.of('a'), pairs.of('b'), pairs.of('d')];
    expect(a.after).not.toBe(a.before);
    expect(b.after).toBe(b.before);
    expect(d.after).toBeNull();
    expect(pairs.take('b')).toBe(b);
    expect(pairs.of('b')).not.toBe(b);
  });
});

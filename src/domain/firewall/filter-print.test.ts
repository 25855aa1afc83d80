import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate';
import { printFilter } from './filter-print';
import type { LiveRule, LiveState } from './live-state';
import { prepareGuest } from './prepare-guest';
import { RANDOM_NIC, randomPacket, randomSource, randomState, withForwarding } from './random-state.fixture';

const seeds = fc.integer({ min: 0, max: 50_000 });
const renumber = (rules: readonly LiveRule[]) => rules.map((rule, pos) => ({ ...rule, pos }));

function withRules(state: LiveState, edit: (rules: readonly LiveRule[]) => readonly LiveRule[]): LiveState {
  const rules = state.guest.rules && renumber(edit(state.guest.rules));
  return { ...state, guest: { ...state.guest, rules } };
}

const verdicts = (state: LiveState, seed: number) => {
  const random = randomSource(seed);
  const guest = prepareGuest(state, RANDOM_NIC);
  return Array.from({ length: 40 }, () => evaluate(guest, randomPacket(random)).verdict);
};

describe('printFilter', () => {
  it('stays the same when only comments, log levels, disabled rules and unused objects change', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const state = randomState(seed);
        const edited = withRules(state, (rules) => [
          { pos: 0, type: 'in', action: 'DROP', enable: 0, comment: 'off' },
          ...rules.map((rule) => ({ ...rule, comment: `${rule.comment ?? ''} edited`, log: 'info' })),
        ]);
        const { cluster, guest } = edited;
        const unused = {
          ...edited,
          cluster: { ...cluster, ipsets: cluster.ipsets && { ...cluster.ipsets, spare: [{ cidr: '192.0.2.1' }] } },
          guest: { ...guest, ipsets: guest.ipsets && { ...guest.ipsets, spare: [{ cidr: '192.0.2.2' }] } },
        };
        expect(printFilter(unused, RANDOM_NIC)).toBe(printFilter(state, RANDOM_NIC));
      }),
      { numRuns: 200 },
    );
  });

  it('changes whenever a verdict does, whatever is edited', () => {
    let differing = 0;
    fc.assert(
      fc.property(seeds, seeds, fc.integer({ min: 0, max: 5 }), (seed, other, part) => {
        const plain = randomState(seed);
        const state = { ...plain, cluster: withForwarding(plain.cluster, randomSource(seed)) };
        const donor = randomState(other);
        const edited: LiveState = [
          { ...state, cluster: { ...state.cluster, ...donor.cluster } },
          { ...state, node: donor.node },
          { ...state, guest: { ...state.guest, options: donor.guest.options } },
          { ...state, guest: { ...state.guest, ipsets: donor.guest.ipsets } },
          withRules(state, (rules) => rules.slice(1)),
          withRules(state, (rules) => [...rules].reverse()),
        ][part] as LiveState;
        if (JSON.stringify(verdicts(state, seed)) === JSON.stringify(verdicts(edited, seed))) return;
        differing += 1;
        expect(printFilter(edited, RANDOM_NIC)).not.toBe(printFilter(state, RANDOM_NIC));
      }),
      { numRuns: 300 },
    );
    expect(differing).toBeGreaterThan(30);
  });
});

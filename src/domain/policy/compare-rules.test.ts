import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveRule } from '../firewall/live-state';
import { randomSource } from '../firewall/random-state.fixture';
import { type DiffOptions, diffGuest } from './compare-rules';
import { compilePolicies } from './compile';
import { indexInventory } from './inventory-index';
import { computeLayout } from './plan/layout';
import { applyDiff, renumber, toLiveRule } from './policy-model.fixture';
import { INVENTORY, randomPolicies } from './random-policies.fixture';

const INDEX = indexInventory(INVENTORY);

/** The desired rules of web1, an older state of them, unmanaged rules and damage, in any order. */
function randomLive(seed: number) {
  const random = randomSource(seed);
  const policies = randomPolicies(seed);
  const older = policies.map((policy) => ({ ...policy, version: policy.version + (random() < 0.3 ? 1 : 0) }));
  const compileRules = (list: typeof policies, instance: string) =>
    compilePolicies(list, INDEX, instance)
      .guests.find(({ workload_id }) => workload_id === 'web1')
      ?.rules.slice(0, 12) ?? [];
  const desired = compileRules(policies, 'inst1');
  const damage = (rule: LiveRule): LiveRule[] => {
    const dice = random();
    if (dice < 0.1) return [];
    if (dice < 0.2) return [rule, rule];
    if (dice < 0.3) return [{ ...rule, enable: 0 }];
    if (dice < 0.4) return [{ ...rule, action: 'REJECT' }];
    if (dice < 0.5) return [{ ...rule, comment: rule.comment?.replace('g=101', 'g=999') ?? '' }];
    return [rule];
  };
  const foreign: LiveRule[] = Array.from({ length: Math.floor(random() * 3) }, () => ({
    pos: 0,
    type: 'in',
    action: 'DROP',
    enable: 1,
    comment: 'by hand',
  }));
  const ours = [...compileRules(older, 'inst1'), ...(random() < 0.2 ? compileRules(policies, 'inst2') : [])]
    .map(toLiveRule)
    .flatMap(damage);
  const mixed = [...ours, ...foreign].map((rule) => ({ ...rule }));
  const shuffled =
    random() < 0.5
      ? mixed
      : mixed
          .map((rule) => [random(), rule] as const)
          .sort(([a], [b]) => a - b)
          .map(([, rule]) => rule);
  return { desired, live: renumber(shuffled) };
}

describe('the difference between desired and live rules', () => {
  it.each(['above', 'below'] as const)('leaves nothing to do when applied, with managed rules %s', (placement) => {
    const options: DiffOptions = { instance: 'inst1', vmid: 101, placement };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const { desired, live } = randomLive(seed);
        const diff = diffGuest(desired, live, options);
        const after = applyDiff(live, diff);
        const again = diffGuest(desired, after, options);
        expect([again.added, again.removed, again.moved]).toEqual([[], [], []]);
        expect(again.kept.map((item) => item.desired)).toEqual(desired);
        const byHand = (rules: readonly LiveRule[]) => rules.filter(({ comment }) => comment === 'by hand').length;
        expect(byHand(after)).toBe(byHand(live));
        // Every live rule is accounted for exactly once.
        expect(diff.kept.length + diff.removed.length + byHand(live)).toBe(live.length);
        expect(diff.kept.length + diff.added.length).toBe(desired.length);
      }),
    );
  });

  it('takes rules of an earlier version for live when that compiled to the same, and no others', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 4 }), (seed, age) => {
        const policies = randomPolicies(seed);
        const at = (change: number, since: number | null) =>
          compilePolicies(
            policies.map((policy) => ({
              ...policy,
              version: policy.version + change,
              rules_version: since === null ? null : policy.version + since,
            })),
            INDEX,
            'inst1',
          ).guests.find(({ workload_id }) => workload_id === 'web1')?.rules ?? [];
        // Versions 1 to 3 are alike; 4 is not there yet, 0 said something else.
        const desired = at(3, 1);
        const live = at(age, null).map(toLiveRule);
        const intent = {
          instance: 'inst1',
          vmid: 101,
          placement: 'above' as const,
          scope: new Set(policies.map(({ id }) => id)),
          rules: desired,
          sets: [],
          order: [...new Set(desired.map(({ policy_id }) => policy_id))],
          remove_strays: true,
          default_in: 'keep' as const,
          default_out: 'keep' as const,
          switch_on: false,
        };
        const diff = diffGuest(desired, live, { instance: 'inst1', vmid: 101, placement: 'above' });
        const { slots, stale } = computeLayout(live, intent);
        if (age >= 1 && age <= 3) {
          expect([diff.added, diff.removed, diff.moved, stale]).toEqual([[], [], [], []]);
          expect(slots.every((slot) => slot.kind === 'desired' && slot.live !== null && slot.in_place)).toBe(true);
        } else {
          expect(diff.kept).toEqual([]);
          for (const gone of [diff.removed, stale])
            expect(gone.map(({ reason }) => reason)).toEqual(live.map(() => 'outdated_version'));
        }
        const damaged = live.map((rule) => ({ ...rule, comment: `${rule.comment} edited` }));
        expect(diffGuest(desired, damaged, { instance: 'inst1', vmid: 101, placement: 'above' }).kept).toEqual([]);
        expect(
          computeLayout(damaged, intent).slots.every((slot) => slot.kind === 'desired' && slot.live === null),
        ).toBe(true);
      }),
    );
  });

  it('moves as few rules as possible', () => {
    const guests = [1, 2, 3, 4, 5, 6, 7, 8].flatMap(
      (seed) => compilePolicies(randomPolicies(seed), INDEX, 'inst1').guests,
    );
    const rules = guests.find((guest) => guest.rules.length > 3)?.rules ?? [];
    const [first, ...rest] = rules;
    if (!first) throw new Error('The seeds must give rules.');
    const vmid = Number(/g=(\d+)/.exec(first.comment)?.[1]);
    const live = [...rest, first].map(toLiveRule);
    const { moved } = diffGuest(rules, live, { instance: 'inst1', vmid, placement: 'above' });
    expect(moved).toEqual([expect.objectContaining({ desired: first, reason: 'order' })]);
  });
});

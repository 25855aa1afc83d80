import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Canaries, planWaves, type Rollout } from './waves';

const ids = Array.from({ length: 8 }, (_, index) => `w${index}`);
const rollouts: fc.Arbitrary<Rollout[]> = fc.subarray(ids).chain((some) =>
  fc.tuple(
    ...some.map((id, index) =>
      fc.record({
        id: fc.constant(id),
        vmid: fc.constant(100 + index),
        tags: fc.subarray(['web', 'db']),
        evidence: fc.integer({ min: 0, max: 3 }),
        own: fc.boolean(),
      }),
    ),
  ),
);
const canaries: fc.Arbitrary<Canaries | null> = fc.oneof(
  fc.constant(null),
  fc.record({ by: fc.constant('count' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ by: fc.constant('tag' as const), tag: fc.constantFrom('web', 'db', 'none') }),
  fc.record({ by: fc.constant('workloads' as const), workload_ids: fc.subarray(ids, { minLength: 1 }) }),
);

describe('planWaves', () => {
  it('puts every workload in exactly one wave, and those of Fabric itself last', () => {
    fc.assert(
      fc.property(rollouts, canaries, (given, chosen) => {
        const waves = planWaves(given, { canaries: chosen, pause_seconds: null });
        expect(waves.flatMap(({ workload_ids }) => workload_ids).sort()).toEqual(given.map(({ id }) => id).sort());
        expect(waves.every(({ workload_ids }) => workload_ids.length > 0)).toBe(true);
        const own = given.filter((one) => one.own).map(({ id }) => id);
        const last = waves.filter(({ kind }) => kind === 'own').flatMap(({ workload_ids }) => workload_ids);
        expect([...last].sort()).toEqual(own.sort());
        if (own.length > 0) expect(waves.at(-1)?.kind).toBe('own');
      }),
    );
  });

  it('proposes the workloads with most evidence as canaries', () => {
    const one = (id: string, evidence: number): Rollout => ({ id, vmid: 100, tags: [], evidence, own: false });
    const waves = planWaves([one('a', 1), one('b', 9), one('c', 5)], {
      canaries: { by: 'count', count: 2 },
      pause_seconds: 0,
    });
    expect(waves[0]).toEqual({ kind: 'canary', workload_ids: ['b', 'c'] });
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectNext } from './rollout';

const policies = fc.array(
  fc.record({
    kind: fc.constantFrom('apply' as const, 'cleanup' as const),
    workload_ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')),
  }),
  { maxLength: 8 },
);

test('every policy is deployed once at each workload, in the given order, and removals come last', () => {
  fc.assert(
    fc.property(policies, (given) => {
      let pending = given.map((policy, name) => ({ ...policy, name }));
      const done: { name: number; kind: string; workload: string; round: number }[] = [];
      for (let round = 0; pending.some(({ workload_ids }) => workload_ids.length > 0); round++) {
        const next = new Set(selectNext(pending));
        expect(next.size).toBeGreaterThan(0);
        for (const { name, kind, workload_ids } of next)
          done.push(...workload_ids.map((workload) => ({ name, kind, workload, round })));
        pending = pending.map((policy) => (next.has(policy) ? { ...policy, workload_ids: [] } : policy));
      }
      expect(selectNext(pending)).toEqual([]);
      expect(done.length).toBe(given.reduce((sum, { workload_ids }) => sum + workload_ids.length, 0));
      for (const one of done) {
        for (const other of done) {
          const isBefore = one.kind === other.kind ? one.name < other.name : one.kind === 'apply';
          if (one.workload === other.workload && one !== other && isBefore) expect(one.round).toBeLessThan(other.round);
          if (one.kind === 'apply' && other.kind === 'cleanup') expect(one.round).toBeLessThan(other.round);
        }
      }
    }),
  );
});

test('policies that share no workload are deployed together', () => {
  const apply = (...workload_ids: string[]) => ({ kind: 'apply' as const, workload_ids });
  const [first, second, third] = [apply('a'), apply('a', 'b'), apply('c')];
  expect(selectNext([first, second, third])).toEqual([first, third]);
});

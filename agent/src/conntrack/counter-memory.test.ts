import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CounterMemory } from './counter-memory';

it('gives back what the previous dump had, and nothing older', () => {
  const entry = fc.record({
    id: fc.integer({ min: 0, max: 6 }),
    check: fc.integer({ min: 0, max: 3 }),
    bytes: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(entry, { selector: ({ id, check }) => `${id} ${check}` })), (dumps) => {
      const memory = new CounterMemory();
      let previous = new Map<string, number>();
      dumps.forEach((dump, index) => {
        memory.startDump();
        expect(memory.isPrimed).toBe(index > 0);
        const current = new Map<string, number>();
        for (const { id, check, bytes } of dump) {
          const cursor = {
            identity: new Uint32Array([id, check]),
            counters: new Float64Array([bytes, 1, 2 * bytes, 3]),
            toEntry: () => {
              throw new Error('not needed');
            },
          };
          const before = memory.exchange(cursor);
          const known = previous.get(`${id} ${check}`);
          expect(before === null ? undefined : [...before]).toEqual(
            known === undefined ? undefined : [known, 1, 2 * known, 3],
          );
          current.set(`${id} ${check}`, bytes);
        }
        memory.endDump();
        previous = current;
      });
    }),
  );
});

it('grows to many connections and shrinks again', () => {
  const memory = new CounterMemory();
  const dump = (count: number) => {
    memory.startDump();
    let known = 0;
    for (let i = 0; i < count; i += 1) {
      const identity = new Uint32Array([Math.imul(i, 2_654_435_761), i]);
      if (
        memory.exchange({
          identity,
          counters: new Float64Array([i, 0, 0, 0]),
          toEntry: () => {
            throw new Error();
          },
        })?.[0] === i
      )
        known += 1;
    }
    memory.endDump();
    return known;
  };
  expect([dump(50_000), dump(60_000), dump(10), dump(60_000)]).toEqual([0, 50_000, 10, 10]);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAhead } from './read-ahead';

/** Records with the numbers from 1 on, in windows as a source has them. */
function makeSource(count: number, window: number) {
  let reads = 0;
  return {
    countReads: () => reads,
    read: async ({ seq: after }: { seq: number }, limit: number) => {
      reads += 1;
      const until = Math.min(after + window, count);
      const numbers = Array.from({ length: Math.min(limit, until - after) }, (_, i) => after + 1 + i);
      const records = numbers.map((seq) => ({ record: seq, position: { seq } }));
      const end = { seq: numbers.at(-1) ?? after };
      return { records, end, is_last: numbers.length < limit && until === count };
    },
  };
}

it('gives what the source has, in its order and once, wherever a reader continues', async () => {
  const run = fc.asyncProperty(
    fc.integer({ min: 0, max: 12_000 }),
    fc.constantFrom(700, 100_000),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: 1,
    }),
    async (count, window, steps) => {
      const { read } = makeSource(count, window);
      const ahead = readAhead(read as never);
      const got: number[] = [];
      let position = { seq: 0 };
      for (let i = 0; ; i++) {
        const [limit, share] = steps[i % steps.length] as [number, number];
        const batch = await ahead(position, limit);
        expect(batch.records.length).toBeLessThanOrEqual(limit);
        // A payload may have room for a part of them.
        const taken = batch.records.slice(0, Math.ceil(batch.records.length * Math.max(share, 0.1)));
        got.push(...taken.map(({ record }) => record as never as number));
        const isWhole = taken.length === batch.records.length;
        position = (isWhole ? batch.end : taken.at(-1)?.position) as { seq: number };
        if (isWhole && batch.is_last) break;
      }
      expect(got).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    },
  );
  await fc.assert(run, { numRuns: 30 });
});

it('asks its source once for several batches', async () => {
  const { read, countReads } = makeSource(12_000, 100_000);
  const ahead = readAhead(read as never);
  for (let seq = 0; seq < 12_000; seq += 1_000) await ahead({ seq }, 1_000);
  expect(countReads()).toBe(3);
});

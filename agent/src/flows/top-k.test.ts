import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TopK } from './top-k';

it('keeps what sorting would put first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 20 }), (scores, k) => {
      const top = new TopK<number>(k);
      scores.forEach((score, item) => {
        top.offer(score, item);
      });
      const kept = top.sorted();
      const best = [...scores].sort((a, b) => b - a).slice(0, k);
      expect(kept.map((item) => scores[item])).toEqual(best);
      expect(new Set(kept).size).toBe(kept.length);
    }),
  );
});

it('says beforehand whether it wants an item', () => {
  const top = new TopK<string>(1);
  expect(top.wants(0)).toBe(true);
  top.offer(5, 'a');
  expect([top.wants(5), top.wants(6)]).toEqual([false, true]);
});

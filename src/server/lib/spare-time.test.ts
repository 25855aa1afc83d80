import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { createPacer, machine } from './spare-time';

let times = { idle: 0, total: 0 };
beforeEach(() => {
  times = { idle: 0, total: 0 };
  machine.readTimes = () => times;
});
const pass = (total: number, idle: number) => {
  times = { idle: times.idle + idle, total: times.total + total };
};

it('takes the share of time that is idle, at most half and at least a twentieth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }))),
      (steps) => {
        const pace = createPacer();
        for (const [total, idle] of steps) {
          pass(total, total * idle);
          const share = 100 / (100 + pace(100));
          expect(share).toBeCloseTo(Math.min(0.5, Math.max(0.05, idle)), 6);
        }
      },
    ),
  );
});

it('takes half of the time when the clock of the processors has not moved', () => {
  expect(createPacer()(40)).toBe(40);
});

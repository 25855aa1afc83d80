import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rovingIndex } from './roving-index';

describe('rovingIndex', () => {
  it('leads around the ends and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(8), fc.boolean(), (count, place, isHorizontal) => {
        const at = place % count;
        const next = rovingIndex('ArrowRight', at, count, isHorizontal) ?? -1;
        expect(rovingIndex('ArrowLeft', next, count, isHorizontal)).toBe(at);
        expect(rovingIndex('Home', at, count, isHorizontal)).toBe(0);
        expect(rovingIndex('End', at, count, isHorizontal)).toBe(count - 1);
      }),
    );
  });

  it('leaves vertical arrows to the page where only horizontal ones move', () => {
    expect(rovingIndex('ArrowDown', 0, 3)).toBe(1);
    expect(rovingIndex('ArrowDown', 0, 3, true)).toBeNull();
    expect(rovingIndex('x', 0, 3)).toBeNull();
    expect(rovingIndex('End', 0, 0)).toBeNull();
  });
});

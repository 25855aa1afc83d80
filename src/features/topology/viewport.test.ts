import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitBox, MAX_SCALE, MIN_SCALE, moveBy, toMap, zoomAt } from './viewport';

const screen = { width: 1000, height: 600 };
const size = fc.double({ min: 10, max: 20_000, noNaN: true });
const place = fc.double({ min: -5_000, max: 5_000, noNaN: true });

describe('viewport', () => {
  it('shows all of a box, in the middle', () => {
    fc.assert(
      fc.property(place, place, size, size, (x, y, width, height) => {
        const view = fitBox({ x, y, width, height }, screen);
        const left = view.x + x * view.scale;
        const right = view.x + (x + width) * view.scale;
        expect(left + right).toBeCloseTo(screen.width, 4);
        if (view.scale > MIN_SCALE) expect(left).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('zooms about a point, within its bounds', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (x, factor) => {
          const view = { x: 30, y: -40, scale: 0.7 };
          const at = { x, y: 200 };
          const zoomed = zoomAt(view, at, factor);
          expect(zoomed.scale).toBeGreaterThanOrEqual(MIN_SCALE);
          expect(zoomed.scale).toBeLessThanOrEqual(MAX_SCALE);
          expect(toMap(zoomed, at).x).toBeCloseTo(toMap(view, at).x, 6);
          expect(toMap(zoomed, at).y).toBeCloseTo(toMap(view, at).y, 6);
        },
      ),
    );
  });

  it('never moves the map out of sight', () => {
    fc.assert(
      fc.property(place, place, size, size, (x, y, width, height) => {
        const view = moveBy({ x: 0, y: 0, scale: 1 }, { x, y }, { width, height }, screen);
        expect(view.x).toBeLessThan(screen.width);
        expect(view.x + width).toBeGreaterThan(0);
        expect(view.y).toBeLessThan(screen.height);
        expect(view.y + height).toBeGreaterThan(0);
      }),
    );
  });
});

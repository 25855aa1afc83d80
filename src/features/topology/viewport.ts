import type { Box } from './lay-out';

/** The part of the map that is seen: a point of the map is at `x + scale * mx`, `y + scale * my` of the screen. */
export type Viewport = { x: number; y: number; scale: number };
export type ScreenSize = { width: number; height: number };
export type Point = { x: number; y: number };

export const MIN_SCALE = 0.05;
export const MAX_SCALE = 3;
const MARGIN = 16;

/** Nothing is gained by showing a few workloads larger than text is elsewhere. */
const MAX_FIT_SCALE = 1.15;

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

/** The view that shows all of a box in the middle of the screen. */
export function fitBox(box: Box, screen: ScreenSize, most = MAX_FIT_SCALE): Viewport {
  const scale = clamp(
    Math.min((screen.width - 2 * MARGIN) / box.width, (screen.height - 2 * MARGIN) / box.height),
    MIN_SCALE,
    most,
  );
  return {
    scale,
    x: (screen.width - box.width * scale) / 2 - box.x * scale,
    y: (screen.height - box.height * scale) / 2 - box.y * scale,
  };
}

/** Zooms by a factor; the point of the map under `at` stays where it is. */
export function zoomAt(view: Viewport, at: Point, factor: number): Viewport {
  const scale = clamp(view.scale * factor, MIN_SCALE, MAX_SCALE);
  const by = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by };
}

/** The view moved by pixels, but never so far that nothing of the map is left in sight. */
export function moveBy(view: Viewport, by: Point, map: ScreenSize, screen: ScreenSize): Viewport {
  const keep = 48;
  return {
    scale: view.scale,
    x: clamp(view.x + by.x, keep - map.width * view.scale, screen.width - keep),
    y: clamp(view.y + by.y, keep - map.height * view.scale, screen.height - keep),
  };
}

export const toMap = (view: Viewport, { x, y }: Point): Point => ({
  x: (x - view.x) / view.scale,
  y: (y - view.y) / view.scale,
});

/** Whether a box of the map is seen, or near enough to matter. */
export const isVisible = (view: Viewport, screen: ScreenSize, box: Box): boolean => {
  const x = view.x + box.x * view.scale;
  const y = view.y + box.y * view.scale;
  return x < screen.width && y < screen.height && x + box.width * view.scale > 0 && y + box.height * view.scale > 0;
};

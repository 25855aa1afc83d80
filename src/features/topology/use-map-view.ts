'use client';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { drawMap } from './draw-map';
import type { Box } from './lay-out';
import type { Attention, Palette, Scene } from './scene';
import { fitBox, moveBy, type Point, type ScreenSize, type Viewport, zoomAt } from './viewport';

type Options = {
  canvas: RefObject<HTMLCanvasElement | null>;
  /** Elements over the map; moved and zoomed with it. */
  plane: RefObject<HTMLElement | null>;
  scene: Scene | null;
  palette: Palette | null;
  attention: Attention;
  /** When it changes all of the map is shown again. */
  viewKey: string;
};

/** More pixels than this cost time and are indistinguishable. */
const MAX_RATIO = 2;

/**
 * Draws the map into a canvas whenever something changes, at most once for each frame, and holds what part of it is seen. Moving
 * the map does not involve React.
 */
export function useMapView({ canvas, plane, scene, palette, attention, viewKey }: Options) {
  const state = useRef({ view: { x: 0, y: 0, scale: 1 } as Viewport, screen: { width: 0, height: 0 } as ScreenSize });
  const current = useRef({ scene, palette, attention });
  const frame = useRef(0);
  const fitted = useRef<string | null>(null);
  /** All of the map is shown, and it was not moved since. */
  const whole = useRef(true);

  const draw = useCallback(() => {
    if (frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      const { scene: what, palette: colors, attention: who } = current.current;
      const ctx = canvas.current?.getContext('2d', { alpha: false });
      const { view, screen } = state.current;
      if (!ctx || !what || !colors || screen.width === 0) return;
      const { x, y, scale } = view;
      if (plane.current) plane.current.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
      drawMap(ctx, what, view, screen, who, colors, Math.min(devicePixelRatio, MAX_RATIO));
    });
  }, [canvas, plane]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  const show = useCallback(
    (box: Box | null) => {
      const { scene: what } = current.current;
      const { screen } = state.current;
      if (!what || screen.width === 0) return;
      const all = { x: 0, y: 0, width: what.layout.width, height: what.layout.height };
      whole.current = box === null;
      state.current.view = fitBox(box ?? all, screen);
      draw();
    },
    [draw],
  );

  useLayoutEffect(() => {
    current.current = { scene, palette, attention };
    if (scene && fitted.current !== viewKey && state.current.screen.width > 0) {
      fitted.current = viewKey;
      show(null);
    }
    draw();
  }, [scene, palette, attention, viewKey, draw, show]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = element;
      const ratio = Math.min(devicePixelRatio, MAX_RATIO);
      element.width = Math.round(width * ratio);
      element.height = Math.round(height * ratio);
      const before = state.current.screen;
      state.current.screen = { width, height };
      // The details beside the map take room.
      if (before.width === 0 || whole.current) show(null);
      else draw();
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [canvas, draw, show]);

  const pan = useCallback(
    (by: Point) => {
      const layout = current.current.scene?.layout;
      if (!layout) return;
      whole.current = false;
      state.current.view = moveBy(state.current.view, by, layout, state.current.screen);
      draw();
    },
    [draw],
  );
  const zoom = useCallback(
    (factor: number, at?: Point) => {
      const { width, height } = state.current.screen;
      whole.current = false;
      state.current.view = zoomAt(state.current.view, at ?? { x: width / 2, y: height / 2 }, factor);
      draw();
    },
    [draw],
  );
  return { state, pan, zoom, show };
}
export type MapView = ReturnType<typeof useMapView>;

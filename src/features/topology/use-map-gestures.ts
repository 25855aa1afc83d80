'use client';
import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { MapView } from './use-map-view';
import type { Point } from './viewport';

type Options = {
  element: RefObject<HTMLElement | null>;
  view: MapView;
  onHover: (at: Point | null) => void;
  onPress: (at: Point) => void;
};

/** A pointer that moves less than this presses, and does not drag. */
const SLOP = 4;
const WHEEL = 0.0015;
/** Two fingers on a touch pad arrive as a wheel with Ctrl, in small steps. */
const PINCH_WHEEL = 0.01;
const LINE_PX = 16;

/** Dragging moves the map, the wheel and two fingers zoom it, a press chooses. */
export function useMapGestures({ element, view, onHover, onPress }: Options) {
  const pointers = useRef(new Map<number, Point>());
  const travelled = useRef(0);
  const { pan, zoom } = view;

  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = target.getBoundingClientRect();
      const delta = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1);
      zoom(Math.exp(-delta * (event.ctrlKey ? PINCH_WHEEL : WHEEL)), {
        x: event.clientX - left,
        y: event.clientY - top,
      });
    };
    // React listens passively: the page would scroll along.
    target.addEventListener('wheel', wheel, { passive: false });
    return () => target.removeEventListener('wheel', wheel);
  }, [element, zoom]);

  const at = (event: PointerEvent): Point => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const end = (event: PointerEvent) => {
    if (!pointers.current.delete(event.pointerId)) return false;
    if (event.currentTarget.hasPointerCapture(event.pointerId))
      event.currentTarget.releasePointerCapture(event.pointerId);
    return pointers.current.size === 0 && travelled.current < SLOP;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      if (pointers.current.size === 0) travelled.current = 0;
      pointers.current.set(event.pointerId, at(event));
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const to = at(event);
      const from = pointers.current.get(event.pointerId);
      if (!from) {
        if (event.pointerType === 'mouse') onHover(to);
        return;
      }
      const [other] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      pointers.current.set(event.pointerId, to);
      travelled.current += Math.hypot(to.x - from.x, to.y - from.y);
      if (travelled.current < SLOP) return;
      if (!other) pan({ x: to.x - from.x, y: to.y - from.y });
      else {
        const apart = (point: Point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
        zoom(apart(to) / apart(from), { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 });
        pan({ x: (to.x - from.x) / 2, y: (to.y - from.y) / 2 });
      }
    },
    onPointerUp: (event: PointerEvent) => {
      const point = at(event);
      if (end(event)) onPress(point);
    },
    onPointerCancel: (event: PointerEvent) => void end(event),
    onPointerLeave: () => onHover(null),
  };
}

'use client';
import { Maximize, Minus, Plus } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useT } from '@/lib/i18n/use-t';
import { IconButton } from '@/ui/button';
import { fitLabels } from './draw-tiles';
import { GroupButtons } from './group-buttons';
import { type Box, layOut } from './lay-out';
import { bundleLines, findLineAt, linkLines, selectLines } from './map-lines';
import type { MapModel } from './map-model';
import type { Palette, Scene } from './scene';
import { useMapGestures } from './use-map-gestures';
import { useMapView } from './use-map-view';
import { usePalette } from './use-palette';
import { type Point, toMap } from './viewport';

type Props = {
  model: MapModel;
  label: string;
  selected: string | null;
  onSelect: (nodeId: string | null) => void;
  /** A group was pressed: a tile, or the box of an expanded one. */
  onGroup: (groupId: string, byButton: boolean) => void;
  /** A line was pressed: the ID of its link. */
  onLine: (linkId: string) => void;
  /** Nodes that are searched for; null: nothing is searched for. */
  matches: ReadonlySet<string> | null;
  /** The hint for the node under the pointer. */
  hintOf: (nodeId: string) => ReactNode;
  /** When it changes all of the map is shown again. */
  viewKey: string;
};

const containsPoint = (box: Box, { x, y }: Point) =>
  x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;
const findIdAt = (boxes: ReadonlyMap<string, Box>, at: Point): string | null => {
  for (const [id, box] of boxes) if (containsPoint(box, at)) return id;
  return null;
};

/** Pixels on the screen. */
const LINE_REACH = 5;
const STEP = 60;
const ZOOM_STEP = 1.3;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: STEP, y: 0 },
  ArrowRight: { x: -STEP, y: 0 },
  ArrowUp: { x: 0, y: STEP },
  ArrowDown: { x: 0, y: -STEP },
};

/** The map as a drawing that can be moved and zoomed. Nothing is only here: the tables say the same. */
export function MapCanvas({ model, label, selected, onSelect, onGroup, onLine, matches, hintOf, viewKey }: Props) {
  const t = useT();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const help = useId();
  const palette = usePalette();
  const plane = useRef<HTMLDivElement>(null);
  const scene = useScene(model, palette);
  const [hovered, setHovered] = useState<string | null>(null);
  const known = (id: string | null) =>
    id !== null && (model.nodes.has(id) || model.groups.some((group) => group.id === id)) ? id : null;
  const active = known(hovered) ?? known(selected);
  const attention = useMemo(() => ({ active, matches }), [active, matches]);
  const view = useMapView({ canvas, plane, scene, palette, attention, viewKey });
  const { state, pan, zoom, show } = view;
  const press = useRef(onGroup);
  useLayoutEffect(() => {
    press.current = onGroup;
  });
  const pressGroup = useCallback((id: string) => press.current(id, true), []);
  const gestures = useMapGestures({
    element: frame,
    view,
    onHover: (at) => setHovered(at && scene ? findIdAt(scene.layout.nodes, toMap(state.current.view, at)) : null),
    onPress: (at) => {
      if (!scene) return;
      const point = toMap(state.current.view, at);
      const node = findIdAt(scene.layout.nodes, point);
      // A tile of a group is a node, too; between the workloads of an expanded group its box is pressed.
      const group = findIdAt(scene.layout.groups, point);
      const { scale } = state.current.view;
      const line = node === null ? findLineAt(selectLines(scene, scale), point, LINE_REACH / scale) : null;
      if (line && model.nodes.has(line.source) && model.nodes.has(line.destination)) {
        onLine(`${line.source} ${line.destination} ${line.verdict}`);
      } else if (node !== null && node !== group) onSelect(node);
      else if (group !== null) onGroup(group, false);
      else onSelect(null);
    },
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[key];
    if (arrow) pan(arrow);
    else if (key === '+' || key === '=') zoom(ZOOM_STEP);
    else if (key === '-') zoom(1 / ZOOM_STEP);
    else if (key === '0') show(null);
    else if (key === 'Escape') onSelect(null);
    else return;
    event.preventDefault();
  };
  return (
    <div className="relative flex min-h-0 min-w-0 flex-1 overflow-hidden rounded-lg border">
      <div
        ref={frame}
        role="application"
        aria-label={label}
        aria-describedby={help}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the map takes keys.
        tabIndex={0}
        onKeyDown={onKeyDown}
        {...gestures}
        className="relative min-h-0 min-w-0 flex-1 cursor-grab touch-none select-none -outline-offset-2 active:cursor-grabbing"
      >
        <canvas ref={canvas} aria-hidden className="absolute inset-0 size-full" />
      </div>
      {scene && <GroupButtons model={model} layout={scene.layout} plane={plane} onPress={pressGroup} />}
      <p id={help} className="sr-only">
        {t('Arrow keys pan, plus and minus zoom, 0 fits the map. The tables show the same data.')}
      </p>
      <div className="absolute right-2 bottom-2 flex gap-0.5 rounded-md border bg-surface p-0.5">
        <IconButton label={t('Zoom out')} icon={<Minus size={16} />} onClick={() => zoom(1 / ZOOM_STEP)} />
        <IconButton label={t('Zoom in')} icon={<Plus size={16} />} onClick={() => zoom(ZOOM_STEP)} />
        <IconButton label={t('Fit map')} icon={<Maximize size={16} />} onClick={() => show(null)} />
      </div>
      {hovered !== null && model.nodes.has(hovered) && (
        <div className="popup pointer-events-none absolute bottom-2 left-2 max-w-[min(24rem,60%)] px-2.5 py-1.5 text-sm">
          {hintOf(hovered)}
        </div>
      )}
    </div>
  );
}

const NARROW = '(max-width: 640px)';
const watchWidth = (changed: () => void) => {
  const query = matchMedia(NARROW);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
};
/** Width of the map for each unit of height; a phone is held upright. */
const NARROW_ASPECT = 0.62;

/** Everything that is drawn, worked out once for what is shown. Null until the page is there. */
function useScene(model: MapModel, palette: Palette | null): Scene | null {
  const narrow = useSyncExternalStore(
    watchWidth,
    () => matchMedia(NARROW).matches,
    () => false,
  );
  const layout = useMemo(() => layOut(model.groups, narrow ? NARROW_ASPECT : undefined), [model, narrow]);
  const lines = useMemo(
    () => ({ links: linkLines(model, layout), bundles: bundleLines(model, layout) }),
    [model, layout],
  );
  return useMemo(() => {
    const ctx = palette && document.createElement('canvas').getContext('2d');
    return ctx && { model, layout, ...lines, labels: fitLabels(ctx, model.nodes.values(), palette) };
  }, [model, layout, lines, palette]);
}

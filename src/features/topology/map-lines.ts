import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import type { Box, MapLayout } from './lay-out';
import type { MapModel } from './map-model';
import type { Point } from './viewport';

/** A curve on the map from border to border; `control` bends it. */
export type MapLine = {
  source: string;
  destination: string;
  verdict: EdgeVerdict;
  /** One of `LINE_WIDTHS`, by how much is carried. */
  width: number;
  from: Point;
  control: Point;
  to: Point;
  bounds: Box;
};

const getCenter = (box: Box): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/** Where the way from a point outside to the centre of a box meets its border. */
function findBorderPoint(box: Box, outside: Point): Point {
  const to = getCenter(box);
  const [dx, dy] = [outside.x - to.x, outside.y - to.y];
  const share = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
    1,
  );
  return { x: to.x + dx * share, y: to.y + dy * share };
}

const BEND = 0.14;
const MAX_BEND = 70;
const STEP = 6;
/** Between the two directions when both bend inwards. */
const RETURN = 16;

/** Pixels on the screen. */
export const LINE_WIDTHS = [1, 1.5, 2.25, 3.5] as const;

/**
 * A line between two boxes that bends to its right, so that both directions are seen; `lane` moves it further aside. With a center
 * it bends inwards: tiles on a ring have their neighbors outside.
 */
function computeCurve(
  a: Box,
  b: Box,
  lane: number,
  center: Point | null = null,
): Pick<MapLine, 'from' | 'control' | 'to' | 'bounds'> {
  const [start, end] = [getCenter(a), getCenter(b)];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy) || 1;
  const outwards = center && -dy * (center.x - (start.x + end.x) / 2) + dx * (center.y - (start.y + end.y) / 2) < 0;
  const right = Math.min(length * BEND, MAX_BEND) + lane * STEP;
  const bend = outwards ? -right - RETURN : right;
  const control = { x: (start.x + end.x) / 2 - (dy / length) * bend, y: (start.y + end.y) / 2 + (dx / length) * bend };
  const [from, to] = [findBorderPoint(a, control), findBorderPoint(b, control)];
  const xs = [from.x, control.x, to.x];
  const ys = [from.y, control.y, to.y];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { from, control, to, bounds: { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y } };
}

/** Up to a megabyte, 30 megabytes, a gigabyte, and more. */
const getLineWidth = (bytes: number) =>
  bytes < 1e6 ? LINE_WIDTHS[0] : bytes < 3e7 ? LINE_WIDTHS[1] : bytes < 1e9 ? LINE_WIDTHS[2] : LINE_WIDTHS[3];

const getLane = (verdict: EdgeVerdict) => EDGE_VERDICTS.indexOf(verdict);
// The most important lines are drawn on top of the others.
const byVerdict = (a: MapLine, b: MapLine) => getLane(b.verdict) - getLane(a.verdict);

/** Lines between nodes: one for each link. */
export function linkLines(model: MapModel, layout: MapLayout): MapLine[] {
  const lines = model.links.flatMap(({ source, destination, verdict, bytes }): MapLine[] => {
    const [a, b] = [layout.nodes.get(source), layout.nodes.get(destination)];
    if (!a || !b || source === destination) return [];
    const center = layout.groups.has(source) && layout.groups.has(destination) ? layout.center : null;
    return [
      { source, destination, verdict, width: getLineWidth(bytes), ...computeCurve(a, b, getLane(verdict), center) },
    ];
  });
  return lines.sort(byVerdict);
}

/** Lines between groups, for the view from afar: one for each verdict of all that is said from one group to another. */
export function bundleLines(model: MapModel, layout: MapLayout): MapLine[] {
  const bundles = new Map<string, { source: string; destination: string; verdict: EdgeVerdict; bytes: number }>();
  for (const link of model.links) {
    const source = model.nodes.get(link.source)?.group_id;
    const destination = model.nodes.get(link.destination)?.group_id;
    if (!source || !destination || source === destination) continue;
    const { verdict, bytes } = link;
    const key = `${source} ${destination} ${verdict}`;
    const bundle = bundles.get(key);
    if (bundle) bundle.bytes += bytes;
    else bundles.set(key, { source, destination, verdict, bytes });
  }
  const lines = [...bundles.values()].flatMap(({ source, destination, verdict, bytes }): MapLine[] => {
    const [a, b] = [layout.groups.get(source), layout.groups.get(destination)];
    if (!a || !b) return [];
    return [{ source, destination, verdict, width: getLineWidth(bytes), ...computeCurve(a, b, getLane(verdict)) }];
  });
  return lines.sort(byVerdict);
}

const isDenied = ({ verdict }: { verdict: EdgeVerdict }) => verdict === 'dropped' || verdict === 'would_drop';

/** From this scale on, links can be distinguished. */
const CLOSE_SCALE = 1.3;
/** So few are drawn one by one at any distance. */
const FEW_LINKS = 120;
const FEW_DENIED = 120;

/**
 * The lines for a distance: from near one for each link; from afar groups are joined, but what is denied is still shown link
 * by link, unless that is too much.
 */
export function selectLines(
  lines: { links: readonly MapLine[]; bundles: readonly MapLine[] },
  scale: number,
): readonly MapLine[] {
  const { links, bundles } = lines;
  if (scale >= CLOSE_SCALE || links.length <= FEW_LINKS) return links;
  const denied = links.filter(isDenied);
  if (denied.length > FEW_DENIED) return bundles;
  return [...bundles.filter((line) => !isDenied(line)), ...denied];
}

/** Parts of a curve that are measured as straight lines. */
const PARTS = 24;

function distanceTo({ from, control, to }: MapLine, { x, y }: Point): number {
  let least = Number.POSITIVE_INFINITY;
  let [ax, ay] = [from.x, from.y];
  for (let part = 1; part <= PARTS; part++) {
    const t = part / PARTS;
    const [bx, by] = (['x', 'y'] as const).map(
      (axis) => (1 - t) ** 2 * from[axis] + 2 * (1 - t) * t * control[axis] + t ** 2 * to[axis],
    ) as [number, number];
    const [dx, dy] = [bx - ax, by - ay];
    const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
    [ax, ay] = [bx, by];
  }
  return least;
}

/** The line at a point of the map, not farther away than `reach`: the nearest, of several the most severe. */
export function findLineAt(lines: readonly MapLine[], at: Point, reach: number): MapLine | null {
  let [found, least]: [MapLine | null, number] = [null, reach];
  for (const line of lines) {
    const { x, y, width, height } = line.bounds;
    if (at.x < x - reach || at.y < y - reach || at.x > x + width + reach || at.y > y + height + reach) continue;
    const distance = distanceTo(line, at);
    // Lines are sorted by severity, the most severe last.
    if (distance <= least) [found, least] = [line, distance];
  }
  return found;
}

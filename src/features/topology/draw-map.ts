import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { type Box, CLUSTER, GROUP, type MapLayout, TILE } from './lay-out';
import { LINE_WIDTHS, type MapLine } from './map-lines';
import type { MapModel, MapNode } from './map-model';
import { VERDICT_LOOKS } from './verdict-look';
import { isSeen, type ScreenSize, type Viewport } from './viewport';

/** Colours and fonts as the theme has them now. */
export type Palette = {
  canvas: string;
  surface: string;
  raised: string;
  line: string;
  strong: string;
  text: string;
  muted: string;
  faint: string;
  accent: string;
  sans: string;
  verdicts: Record<EdgeVerdict, string>;
};

/** Everything there is to draw. Made anew when what is shown changes, not when it moves. */
export type Scene = {
  model: MapModel;
  layout: MapLayout;
  links: readonly MapLine[];
  bundles: readonly MapLine[];
  /** Names cut to the width of a tile. */
  labels: ReadonlyMap<string, string>;
};

/** What is pointed at, chosen, or searched for. */
export type Attention = { active: string | null; matches: ReadonlySet<string> | null };

/** From here on links can be told apart. */
const CLOSE_SCALE = 1.3;
/** From here on names can be read. */
const TEXT_SCALE = 0.42;
/** So few links are drawn one by one at any distance. */
const FEW_LINKS = 120;
const MANY_DENIED = 120;
const DIMMED = 0.12;
const FONT = 13;
const LABEL = 12;
const MAX_LABEL = 19;
/** What is denied stands out, what is only seen stays in the background. */
const ALPHA: Record<EdgeVerdict, number> = { dropped: 1, would_drop: 1, accepted: 0.75, default: 0.6, observed: 0.5 };

const isDenied = ({ verdict }: { verdict: EdgeVerdict }) => verdict === 'dropped' || verdict === 'would_drop';

/**
 * The lines for a distance: from near one for each link; from afar groups are joined, but what is denied is still shown link
 * by link, unless that is too much.
 */
export function linesFor(scene: Pick<Scene, 'links' | 'bundles'>, scale: number): readonly MapLine[] {
  const { links, bundles } = scene;
  if (scale >= CLOSE_SCALE || links.length <= FEW_LINKS) return links;
  const denied = links.filter(isDenied);
  if (denied.length > MANY_DENIED) return bundles;
  return [...bundles.filter((line) => !isDenied(line)), ...denied];
}

/** Names as they fit into tiles. */
export function fitLabels(
  ctx: CanvasRenderingContext2D,
  nodes: Iterable<MapNode>,
  palette: Palette,
): Map<string, string> {
  ctx.font = `${FONT}px ${palette.sans}`;
  const room = TILE.width - 14;
  const labels = new Map<string, string>();
  for (const { id, label } of nodes) {
    let text = label;
    if (ctx.measureText(text).width > room) {
      let [low, high] = [0, label.length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (ctx.measureText(`${label.slice(0, middle)}…`).width <= room) low = middle;
        else high = middle - 1;
      }
      text = `${label.slice(0, low)}…`;
    }
    labels.set(id, text);
  }
  return labels;
}

/** What everything is drawn with. */
type Look = { palette: Palette; scale: number; view: Viewport; screen: ScreenSize };

function strokeLines(ctx: CanvasRenderingContext2D, lines: readonly MapLine[], look: Look, dimmed: boolean): void {
  const { palette, scale } = look;
  for (const verdict of [...EDGE_VERDICTS].reverse()) {
    const own = lines.filter((line) => line.verdict === verdict);
    if (own.length === 0) continue;
    ctx.globalAlpha = dimmed ? DIMMED : ALPHA[verdict];
    ctx.strokeStyle = palette.verdicts[verdict];
    ctx.setLineDash(VERDICT_LOOKS[verdict].dash.map((length) => length / scale));
    for (const width of LINE_WIDTHS) {
      ctx.beginPath();
      for (const line of own) {
        if (line.width !== width) continue;
        ctx.moveTo(line.from.x, line.from.y);
        ctx.quadraticCurveTo(line.control.x, line.control.y, line.to.x, line.to.y);
      }
      ctx.lineWidth = width / scale;
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}

function fillHeads(ctx: CanvasRenderingContext2D, lines: readonly MapLine[], { palette, scale }: Look): void {
  for (const verdict of EDGE_VERDICTS) {
    ctx.fillStyle = palette.verdicts[verdict];
    ctx.beginPath();
    for (const { verdict: own, control, to, width } of lines) {
      if (own !== verdict) continue;
      const angle = Math.atan2(to.y - control.y, to.x - control.x);
      const size = (5 + width) / scale;
      ctx.moveTo(to.x, to.y);
      ctx.lineTo(to.x - size * Math.cos(angle - 0.4), to.y - size * Math.sin(angle - 0.4));
      ctx.lineTo(to.x - size * Math.cos(angle + 0.4), to.y - size * Math.sin(angle + 0.4));
    }
    ctx.fill();
  }
}

function drawLabel(
  ctx: CanvasRenderingContext2D,
  text: string,
  box: Box,
  room: number,
  size: number,
  { palette }: Look,
): void {
  ctx.font = `600 ${size}px ${palette.sans}`;
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y, box.width - 4, room + 2);
  ctx.clip();
  ctx.fillText(text, box.x + GROUP.padding, box.y + room / 2 + 2);
  ctx.restore();
}

function seenBoxes(scene: Scene, look: Look): { clusters: Labelled[]; groups: Labelled[] } {
  const seen = (boxes: ReadonlyMap<string, Box>) => (item: { id: string; label: string }) => {
    const box = boxes.get(item.id);
    return box && isSeen(look.view, look.screen, box) ? [{ label: item.label, box }] : [];
  };
  const { model, layout } = scene;
  return {
    clusters: model.clusters.flatMap(seen(layout.clusters)),
    groups: [...model.groups.values()].flatMap(seen(layout.groups)),
  };
}

function drawBoxes(
  ctx: CanvasRenderingContext2D,
  boxes: readonly Labelled[],
  fill: string,
  { palette, scale }: Look,
): void {
  ctx.fillStyle = fill;
  for (const { box } of boxes) ctx.fillRect(box.x, box.y, box.width, box.height);
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1 / scale;
  for (const { box } of boxes) ctx.strokeRect(box.x, box.y, box.width, box.height);
}

type Labelled = { label: string; box: Box };
type Tile = { node: MapNode; box: Box };

function drawTiles(
  ctx: CanvasRenderingContext2D,
  tiles: readonly Tile[],
  scene: Scene,
  scale: number,
  palette: Palette,
): void {
  ctx.fillStyle = palette.surface;
  for (const { box } of tiles) ctx.fillRect(box.x, box.y, box.width, box.height);
  ctx.lineWidth = 1 / scale;
  for (const outside of [false, true]) {
    ctx.strokeStyle = outside ? palette.strong : palette.line;
    ctx.setLineDash(outside ? [4 / scale, 3 / scale] : []);
    ctx.beginPath();
    for (const { node, box } of tiles) {
      if ((node.kind !== 'workload') === outside) ctx.rect(box.x, box.y, box.width, box.height);
    }
    ctx.stroke();
  }
  ctx.setLineDash([]);
  const bar = scale < TEXT_SCALE ? TILE.width / 4 : 4;
  for (const verdict of EDGE_VERDICTS) {
    ctx.fillStyle = palette.verdicts[verdict];
    for (const { node, box } of tiles) if (node.verdict === verdict) ctx.fillRect(box.x, box.y, bar, box.height);
  }
  if (scale < TEXT_SCALE) return;
  ctx.font = `${FONT}px ${palette.sans}`;
  for (const { node, box } of tiles) {
    const idle = node.workload !== null && node.workload.status !== 'running';
    ctx.fillStyle = idle ? palette.faint : palette.text;
    ctx.fillText(scene.labels.get(node.id) ?? '', box.x + 8, box.y + box.height / 2 + 1);
  }
}

function frame(ctx: CanvasRenderingContext2D, box: Box, color: string, scale: number): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 / scale;
  const gap = 2 / scale;
  ctx.strokeRect(box.x - gap, box.y - gap, box.width + 2 * gap, box.height + 2 * gap);
}

/**
 * Draws what is seen of the map. Lines of the active node are always drawn one by one, above all others, and what has nothing
 * to do with it or with the search is dimmed.
 * @param ratio device pixels for each pixel of the page
 */
export function drawMap(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  view: Viewport,
  screen: ScreenSize,
  { active, matches }: Attention,
  palette: Palette,
  ratio: number,
): void {
  const { scale } = view;
  const look = { palette, scale, view, screen };
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.canvas;
  ctx.fillRect(0, 0, screen.width, screen.height);
  ctx.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * view.x, ratio * view.y);
  ctx.textBaseline = 'middle';
  const { clusters, groups } = seenBoxes(scene, look);
  drawBoxes(ctx, clusters, palette.raised, look);
  drawBoxes(ctx, groups, palette.canvas, look);

  const isActive = (line: MapLine) => line.source === active || line.destination === active;
  const lines = linesFor(scene, scale).filter((line) => !isActive(line) && isSeen(view, screen, line.bounds));
  const dimmed = active !== null || matches !== null;
  strokeLines(ctx, lines, look, dimmed);
  if (!dimmed) fillHeads(ctx, lines, look);

  const size = Math.min(Math.max(LABEL, LABEL / scale), MAX_LABEL);
  ctx.fillStyle = palette.text;
  for (const { label, box } of clusters) drawLabel(ctx, label, box, CLUSTER.header, size * 1.15, look);
  ctx.fillStyle = palette.muted;
  for (const { label, box } of groups) drawLabel(ctx, label, box, GROUP.header, size, look);

  const own = active === null ? [] : scene.links.filter(isActive);
  const near = new Set(active === null ? [] : [active, ...own.flatMap((line) => [line.source, line.destination])]);
  const bright: Tile[] = [];
  const dim: Tile[] = [];
  for (const node of scene.model.nodes.values()) {
    const box = scene.layout.nodes.get(node.id);
    if (!box || !isSeen(view, screen, box)) continue;
    const lit = active !== null ? near.has(node.id) : matches === null || matches.has(node.id);
    (lit ? bright : dim).push({ node, box });
  }
  ctx.globalAlpha = 0.35;
  drawTiles(ctx, dim, scene, scale, palette);
  ctx.globalAlpha = 1;
  strokeLines(ctx, own, look, false);
  fillHeads(ctx, own, look);
  drawTiles(ctx, bright, scene, scale, palette);
  for (const { node, box } of bright) {
    if (node.id === active) frame(ctx, box, palette.accent, scale);
    else if (matches?.has(node.id)) frame(ctx, box, palette.strong, scale);
  }
}

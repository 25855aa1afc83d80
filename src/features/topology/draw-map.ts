import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { type Box, CLUSTER, GROUP, type MapLayout, TILE } from './lay-out';
import type { MapLine } from './map-lines';
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

/** From here on names can be read and single links told apart. */
const CLOSE_SCALE = 0.8;
const TEXT_SCALE = 0.5;
/** So few links are drawn one by one at any distance. */
const FEW_LINKS = 150;
const DIMMED = 0.16;
const FONT = 11;
const MAX_LABEL = 20;

export const showsLinks = (scene: Scene, scale: number): boolean =>
  scale >= CLOSE_SCALE || scene.links.length <= FEW_LINKS;

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

function strokeLines(ctx: CanvasRenderingContext2D, lines: readonly MapLine[], palette: Palette, scale: number): void {
  for (const verdict of [...EDGE_VERDICTS].reverse()) {
    const own = lines.filter((line) => line.verdict === verdict);
    if (own.length === 0) continue;
    ctx.strokeStyle = palette.verdicts[verdict];
    ctx.setLineDash(VERDICT_LOOKS[verdict].dash.map((length) => length / scale));
    for (const weight of [1, 2, 3, 4]) {
      ctx.beginPath();
      for (const line of own) {
        if (Math.round(line.weight) !== weight) continue;
        ctx.moveTo(line.from.x, line.from.y);
        ctx.quadraticCurveTo(line.control.x, line.control.y, line.to.x, line.to.y);
      }
      ctx.lineWidth = weight / scale;
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
}

function fillHeads(ctx: CanvasRenderingContext2D, lines: readonly MapLine[], palette: Palette, scale: number): void {
  const length = 7 / scale;
  for (const verdict of EDGE_VERDICTS) {
    ctx.fillStyle = palette.verdicts[verdict];
    ctx.beginPath();
    for (const { verdict: own, control, to, weight } of lines) {
      if (own !== verdict) continue;
      const angle = Math.atan2(to.y - control.y, to.x - control.x);
      const size = length * (0.8 + weight / 5);
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
  palette: Palette,
): void {
  ctx.font = `600 ${size}px ${palette.sans}`;
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x, box.y, box.width - 4, room + 2);
  ctx.clip();
  ctx.fillText(text, box.x + GROUP.padding, box.y + room / 2 + 2);
  ctx.restore();
}

function drawBoxes(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  view: Viewport,
  screen: ScreenSize,
  palette: Palette,
): void {
  const size = Math.min(Math.max(FONT, FONT / view.scale), MAX_LABEL);
  ctx.lineWidth = 1 / view.scale;
  for (const cluster of scene.model.clusters) {
    const box = scene.layout.clusters.get(cluster.id);
    if (!box || !isSeen(view, screen, box)) continue;
    ctx.fillStyle = palette.raised;
    ctx.fillRect(box.x, box.y, box.width, box.height);
    ctx.strokeStyle = palette.line;
    ctx.strokeRect(box.x, box.y, box.width, box.height);
    ctx.fillStyle = palette.text;
    drawLabel(ctx, cluster.label, box, CLUSTER.header, Math.min(size * 1.15, CLUSTER.header), palette);
    for (const group of cluster.groups) {
      const inner = scene.layout.groups.get(group.id);
      if (!inner || !isSeen(view, screen, inner)) continue;
      ctx.fillStyle = palette.canvas;
      ctx.fillRect(inner.x, inner.y, inner.width, inner.height);
      ctx.strokeRect(inner.x, inner.y, inner.width, inner.height);
      ctx.fillStyle = palette.muted;
      drawLabel(ctx, group.label, inner, GROUP.header, size, palette);
    }
  }
}

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
 * Draws what is seen of the map. From afar lines join groups, from near they join workloads; lines of the active node are
 * always drawn one by one, above all others, and what has nothing to do with it or with the search is dimmed.
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
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.canvas;
  ctx.fillRect(0, 0, screen.width, screen.height);
  ctx.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * view.x, ratio * view.y);
  ctx.textBaseline = 'middle';
  drawBoxes(ctx, scene, view, screen, palette);

  const close = showsLinks(scene, scale);
  const isActive = (line: MapLine) => line.source === active || line.destination === active;
  const lines = (close ? scene.links : scene.bundles).filter(
    (line) => isSeen(view, screen, line.bounds) && !(close && isActive(line)),
  );
  ctx.globalAlpha = active !== null || matches !== null ? DIMMED : close ? 0.8 : 0.65;
  strokeLines(ctx, lines, palette, scale);
  if (close) fillHeads(ctx, lines, palette, scale);

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
  ctx.globalAlpha = 0.3;
  drawTiles(ctx, dim, scene, scale, palette);
  ctx.globalAlpha = 1;
  strokeLines(ctx, own, palette, scale);
  fillHeads(ctx, own, palette, scale);
  drawTiles(ctx, bright, scene, scale, palette);
  for (const { node, box } of bright) {
    if (node.id === active) frame(ctx, box, palette.accent, scale);
    else if (matches?.has(node.id)) frame(ctx, box, palette.strong, scale);
  }
}

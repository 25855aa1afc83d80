import { fillHeads, strokeLines } from './draw-lines';
import { drawTiles, frame, type Tile } from './draw-tiles';
import { type Box, CLUSTER, GROUP } from './lay-out';
import { linesFor, type MapLine } from './map-lines';
import type { Attention, Look, Palette, Scene } from './scene';
import { isSeen, type ScreenSize, type Viewport } from './viewport';

const LABEL = 12;
const MAX_LABEL = 19;
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
  strokeLines(ctx, lines, look, dimmed ? 'dimmed' : 'plain');
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
  drawTiles(ctx, dim, scene, look);
  ctx.globalAlpha = 1;
  strokeLines(ctx, own, look, 'active');
  fillHeads(ctx, own, look);
  drawTiles(ctx, bright, scene, look);
  for (const { node, box } of bright) {
    if (node.id === active) frame(ctx, box, palette.accent, scale);
    else if (matches?.has(node.id)) frame(ctx, box, palette.strong, scale);
  }
}

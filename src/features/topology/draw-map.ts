import { drawArrowheads, strokeLines } from './draw-lines';
import { drawFrame, drawTiles, type Tile } from './draw-tiles';
import { type Box, GROUP } from './lay-out';
import { type MapLine, selectLines } from './map-lines';
import type { MapModel } from './map-model';
import type { Attention, Look, Palette, Scene } from './scene';
import { isVisible, type ScreenSize, type Viewport } from './viewport';

const LABEL = 13;
const MAX_LABEL = 20;

type Labelled = { label: string; box: Box };

/** Expanded groups that are in sight. */
const listVisibleBoxes = ({ model, layout }: Scene, { view, screen }: Look): Labelled[] =>
  model.groups.flatMap(({ id, label, expanded }) => {
    const box = expanded ? layout.groups.get(id) : undefined;
    return box && isVisible(view, screen, box) ? [{ label, box }] : [];
  });

function drawBoxes(ctx: CanvasRenderingContext2D, boxes: readonly Labelled[], { palette, scale }: Look): void {
  ctx.fillStyle = palette.raised;
  for (const { box } of boxes) ctx.fillRect(box.x, box.y, box.width, box.height);
  ctx.strokeStyle = palette.strong;
  ctx.lineWidth = 1 / scale;
  for (const { box } of boxes) ctx.strokeRect(box.x, box.y, box.width, box.height);
}

/** Names of expanded groups, each on a strip that covers the lines below it. */
function drawHeaders(ctx: CanvasRenderingContext2D, boxes: readonly Labelled[], { palette, scale }: Look): void {
  const size = Math.min(Math.max(LABEL, LABEL / scale), MAX_LABEL);
  const inset = 1 / scale;
  ctx.font = `600 ${size}px ${palette.sans}`;
  for (const { label, box } of boxes) {
    ctx.fillStyle = palette.raised;
    ctx.fillRect(box.x + inset, box.y + inset, box.width - 2 * inset, GROUP.header);
    ctx.save();
    ctx.beginPath();
    ctx.rect(box.x, box.y, box.width - 4, GROUP.header + 2);
    ctx.clip();
    ctx.fillStyle = palette.text;
    ctx.fillText(label, box.x + GROUP.padding, box.y + GROUP.header / 2 + 1);
    ctx.restore();
  }
}

/** What a selection means: a node, or the workloads of an expanded group. */
export const selectedNodes = ({ nodes, groups }: MapModel, id: string | null): ReadonlySet<string> => {
  if (id === null) return new Set();
  if (nodes.has(id)) return new Set([id]);
  return new Set(groups.find((group) => group.id === id)?.nodes.map((node) => node.id));
};

/**
 * Draws what is seen of the map: boxes, then all lines, then everything that has a name, so that no line is above a name. Lines of
 * the active nodes are always drawn one by one, and what has nothing to do with them or with the search is dimmed.
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
  const boxes = listVisibleBoxes(scene, look);
  drawBoxes(ctx, boxes, look);

  const ids = selectedNodes(scene.model, active);
  const isActive = (line: MapLine) => ids.has(line.source) || ids.has(line.destination);
  const own = ids.size === 0 ? [] : scene.links.filter(isActive);
  const lines = selectLines(scene, scale).filter((line) => !isActive(line) && isVisible(view, screen, line.bounds));
  const dimmed = ids.size > 0 || matches !== null;
  strokeLines(ctx, lines, look, dimmed ? 'dimmed' : 'plain');
  if (!dimmed) drawArrowheads(ctx, lines, look);
  strokeLines(ctx, own, look, 'active');
  drawArrowheads(ctx, own, look);

  drawHeaders(ctx, boxes, look);
  const near = new Set([...ids, ...own.flatMap((line) => [line.source, line.destination])]);
  const bright: Tile[] = [];
  const dim: Tile[] = [];
  for (const node of scene.model.nodes.values()) {
    const box = scene.layout.nodes.get(node.id);
    if (!box || !isVisible(view, screen, box)) continue;
    const lit = ids.size > 0 ? near.has(node.id) : matches === null || matches.has(node.id);
    (lit ? bright : dim).push({ node, box });
  }
  drawTiles(ctx, dim, scene, look, true);
  drawTiles(ctx, bright, scene, look);
  const group = active === null || scene.model.nodes.has(active) ? undefined : scene.layout.groups.get(active);
  if (group) drawFrame(ctx, group, palette.accent, scale);
  for (const { node, box } of bright) {
    if (node.id === active) drawFrame(ctx, box, palette.accent, scale);
    else if (matches?.has(node.id)) drawFrame(ctx, box, palette.strong, scale);
  }
}

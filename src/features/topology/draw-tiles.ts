import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { type Box, GROUP_TILE, TILE } from './lay-out';
import type { MapNode } from './map-model';
import type { Look, Palette, Scene } from './scene';

const FONT = 13;
/** From this scale on, names are readable. */
const TEXT_SCALE = 0.42;
/** What has nothing to do with the selection. */
const DIMMED = 0.35;

const getFont = (node: MapNode, palette: Palette) =>
  node.workload ? `${FONT}px ${palette.sans}` : `600 ${FONT + 1}px ${palette.sans}`;

/** Names as they fit into tiles. */
export function fitLabels(
  ctx: CanvasRenderingContext2D,
  nodes: Iterable<MapNode>,
  palette: Palette,
): Map<string, string> {
  const labels = new Map<string, string>();
  for (const node of nodes) {
    const { id, label } = node;
    ctx.font = getFont(node, palette);
    const room = (node.workload ? TILE : GROUP_TILE).width - 16;
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

export type Tile = { node: MapNode; box: Box };

const isOutside = ({ kind }: MapNode) => kind === 'external' || kind === 'internal';

/** Draws nodes: a bar in the color of the most severe verdict, and the name where it can be read. Tiles are never transparent. */
export function drawTiles(
  ctx: CanvasRenderingContext2D,
  tiles: readonly Tile[],
  { labels }: Pick<Scene, 'labels'>,
  { palette, scale }: Look,
  dimmed = false,
): void {
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.surface;
  for (const { box } of tiles) ctx.fillRect(box.x, box.y, box.width, box.height);
  if (dimmed) ctx.globalAlpha = DIMMED;
  for (const outside of [false, true]) {
    ctx.strokeStyle = outside ? palette.strong : palette.line;
    ctx.setLineDash(outside ? [4 / scale, 3 / scale] : []);
    for (const group of [false, true]) {
      ctx.lineWidth = (group ? 1.5 : 1) / scale;
      ctx.beginPath();
      for (const { node, box } of tiles) {
        if (isOutside(node) === outside && (node.group !== null) === group)
          ctx.rect(box.x, box.y, box.width, box.height);
      }
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  const bar = scale < TEXT_SCALE ? TILE.width / 4 : 4;
  for (const verdict of EDGE_VERDICTS) {
    ctx.fillStyle = palette.verdicts[verdict];
    for (const { node, box } of tiles) if (node.verdict === verdict) ctx.fillRect(box.x, box.y, bar, box.height);
  }
  if (scale >= TEXT_SCALE) drawNames(ctx, tiles, labels, palette);
  ctx.globalAlpha = 1;
}

function drawNames(
  ctx: CanvasRenderingContext2D,
  tiles: readonly Tile[],
  labels: ReadonlyMap<string, string>,
  palette: Palette,
): void {
  for (const { node, box } of tiles) {
    const idle = node.workload !== null && node.workload.status !== 'running';
    const middle = box.y + box.height / 2 + 1;
    ctx.font = getFont(node, palette);
    ctx.fillStyle = idle ? palette.faint : palette.text;
    ctx.fillText(labels.get(node.id) ?? '', box.x + 10, node.detail === null ? middle : middle - 9);
    if (node.detail === null) continue;
    ctx.font = `${FONT - 1}px ${palette.sans}`;
    ctx.fillStyle = palette.muted;
    ctx.fillText(node.detail, box.x + 10, middle + 9);
  }
}

/** A frame around one tile. */
export function drawFrame(ctx: CanvasRenderingContext2D, box: Box, color: string, scale: number): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 / scale;
  const gap = 2 / scale;
  ctx.strokeRect(box.x - gap, box.y - gap, box.width + 2 * gap, box.height + 2 * gap);
}

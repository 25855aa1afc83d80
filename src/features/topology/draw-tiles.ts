import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { type Box, TILE } from './lay-out';
import type { MapNode } from './map-model';
import type { Look, Palette, Scene } from './scene';

const FONT = 13;
/** From here on names can be read. */
const TEXT_SCALE = 0.42;

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

export type Tile = { node: MapNode; box: Box };

/** Draws nodes: a bar in the colour of the weightiest verdict, and the name where it can be read. */
export function drawTiles(
  ctx: CanvasRenderingContext2D,
  tiles: readonly Tile[],
  { labels }: Pick<Scene, 'labels'>,
  { palette, scale }: Look,
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
    ctx.fillText(labels.get(node.id) ?? '', box.x + 8, box.y + box.height / 2 + 1);
  }
}

/** A frame around one tile. */
export function frame(ctx: CanvasRenderingContext2D, box: Box, color: string, scale: number): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = 2 / scale;
  const gap = 2 / scale;
  ctx.strokeRect(box.x - gap, box.y - gap, box.width + 2 * gap, box.height + 2 * gap);
}

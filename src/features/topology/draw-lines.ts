import { EDGE_VERDICTS, type EdgeVerdict } from '@/domain/topology/edge-verdict';
import { EDGE_VERDICT_STYLES } from '../shared/edge-verdict-styles';
import { LINE_WIDTHS, type MapLine } from './map-lines';
import type { Look } from './scene';

const DIMMED = 0.12;
/** What is denied stands out, what is only seen stays in the background. */
const ALPHA: Record<EdgeVerdict, number> = { dropped: 1, would_drop: 1, accepted: 0.75, default: 0.6, observed: 0.5 };

/** Draws lines, those of one kind in one stroke. */
export function strokeLines(
  ctx: CanvasRenderingContext2D,
  lines: readonly MapLine[],
  look: Look,
  emphasis: 'dimmed' | 'plain' | 'active',
): void {
  const { palette, scale } = look;
  for (const verdict of [...EDGE_VERDICTS].reverse()) {
    const own = lines.filter((line) => line.verdict === verdict);
    if (own.length === 0) continue;
    ctx.globalAlpha = emphasis === 'dimmed' ? DIMMED : emphasis === 'active' ? 1 : ALPHA[verdict];
    ctx.strokeStyle = palette.verdicts[verdict];
    ctx.setLineDash(EDGE_VERDICT_STYLES[verdict].dash.map((length) => length / scale));
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

/** Draws the heads of lines, which say who was called. */
export function drawArrowheads(
  ctx: CanvasRenderingContext2D,
  lines: readonly MapLine[],
  { palette, scale }: Look,
): void {
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

type Box = { width: number; height: number; padding: number };

/**
 * The line through `values` as SVG path data, scaled from 0 (or the least value below it) to the greatest. Null is a gap:
 * not measured is not zero.
 */
export function sparklinePath(values: readonly (number | null)[], { width, height, padding }: Box): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '';
  const low = Math.min(0, ...known);
  const high = Math.max(...known);
  const span = high - low || 1;
  const x = (index: number) => padding + (index * (width - 2 * padding)) / Math.max(1, values.length - 1);
  const y = (value: number) => height - padding - ((value - low) / span) * (height - 2 * padding);
  let path = '';
  let pen = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      pen = false;
      continue;
    }
    const alone = !pen && (values[index + 1] ?? null) === null;
    path += `${pen ? 'L' : 'M'}${round(x(index))} ${round(y(value))}`;
    // A single point has no length; a stroke of zero with round ends is a dot.
    if (alone) path += 'h0';
    pen = true;
  }
  return path;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** Indexes of one longest rising subsequence: the most elements that can stay where they are. */
export function longestRising(values: readonly number[]): Set<number> {
  const tails: number[] = [];
  const before: number[] = [];
  for (const [at, current] of values.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < current) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = at;
  }
  const rising = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) rising.add(at);
  return rising;
}

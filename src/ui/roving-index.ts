/**
 * Where a key leads in a row of elements of which one takes the focus, around the ends; null for keys that do not move.
 * @param keys for rows of which only the horizontal arrows move
 */
export function rovingIndex(key: string, at: number, count: number, isHorizontal = false): number | null {
  if (count === 0) return null;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'ArrowRight' || (key === 'ArrowDown' && !isHorizontal)) return (at + 1) % count;
  if (key === 'ArrowLeft' || (key === 'ArrowUp' && !isHorizontal)) return (at - 1 + count) % count;
  return null;
}

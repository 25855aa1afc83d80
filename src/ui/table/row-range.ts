/** Pixels, as `h-row` of the theme. The header, which stays in view, is as high. */
export const ROW_HEIGHT = 32;
/** Rows beyond the edges that are in the document as well. */
export const OVERSCAN = 10;

/** Places of rows, both inclusive. */
export type RowRange = { first: number; last: number };

/** The rows that can be seen below the header, and some more. */
export function computeRowRange(scrollTop: number, height: number): RowRange {
  const seen = Math.ceil((scrollTop + height) / ROW_HEIGHT) - 2;
  return {
    first: Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN),
    last: Math.max(0, seen) + OVERSCAN,
  };
}

/** Those of `count` rows that are in the document, in order: the range and the current one. */
export function listRenderedRows({ first, last }: RowRange, count: number, current: number): number[] {
  const end = Math.min(last, count - 1);
  const rows = Array.from({ length: Math.max(0, end - first + 1) }, (_, i) => first + i);
  if (current >= count || current < 0) return rows;
  if (current < first) return [current, ...rows];
  return current > end ? [...rows, current] : rows;
}

/** Where to scroll so that a row is seen whole; where it is when it already is. */
export function scrollTopFor(index: number, scrollTop: number, height: number): number {
  const top = index * ROW_HEIGHT;
  const bottom = (index + 2) * ROW_HEIGHT - height;
  return Math.min(top, Math.max(bottom, scrollTop));
}

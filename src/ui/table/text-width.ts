/** Padding at both sides of a cell. */
const CELL_PADDING = 20;
/** The mark of a sortable column and the gap before it. */
const SORT_MARK = 16;

const NARROW = /[ijlI|.,:;'!]/;
const SMALL = /[ftr()[\]/\s-]/;
const WIDE = /[mwMW%@—…]/;
const CAPITAL = /[\p{Lu}+=<>~]/u;

function estimateCharacterWidth(character: string): number {
  if (NARROW.test(character)) return 0.32;
  if (SMALL.test(character)) return 0.38;
  if (WIDE.test(character)) return 0.93;
  return CAPITAL.test(character) ? 0.72 : 0.64;
}

/**
 * About how wide a text is in the widest of the usual sans-serif fonts (DejaVu Sans), of `size` pixels. Server and browser get the
 * same number.
 */
export function estimateTextWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += estimateCharacterWidth(character);
  return Math.ceil(width * size);
}

/** The least width of a text on at most two lines. */
function estimateTwoLineWidth(text: string, size: number): number {
  const words = text.split(' ');
  const breaks = words.map((_, at) => [words.slice(0, at).join(' '), words.slice(at).join(' ')]);
  return Math.min(...breaks.map((lines) => Math.max(...lines.map((line) => estimateTextWidth(line, size)))));
}

/** The width of a column that shows its title in full, on two lines if need be. */
export function estimateHeaderWidth(header: string, sortable = false): number {
  return estimateTwoLineWidth(header, 12) + CELL_PADDING + (sortable ? SORT_MARK : 0);
}

/** The width of a column whose cells have at most the length of `sample`, and whose title is shown in full. */
export function estimateContentWidth(sample: string, header: string, sortable = false): number {
  return Math.max(estimateTextWidth(sample, 13) + CELL_PADDING, estimateHeaderWidth(header, sortable));
}

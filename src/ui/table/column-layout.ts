/** What a person changed about the columns of a list: which are shown, and how wide they are. */
export type ColumnLayout = {
  /** id -> shown, where that is not the default. */
  shown: Readonly<Record<string, boolean>>;
  /** id -> pixels. */
  widths: Readonly<Record<string, number>>;
};

/** What the layout needs of a column. */
export type Sized = { id: string; width: number; grow?: boolean; hidden?: boolean };

export const LEAST_WIDTH = 48;
export const GREATEST_WIDTH = 1200;
/** Columns of the checkbox and of the row's menu. */
export const SELECT_WIDTH = 36;
export const ACTIONS_WIDTH = 40;

const isEntries = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A width that a column can have. */
export const clampWidth = (width: number): number => Math.round(Math.min(GREATEST_WIDTH, Math.max(LEAST_WIDTH, width)));

/**
 * Reads what the browser stored. Whatever is no layout is the default; earlier versions stored which columns are shown, and nothing
 * else.
 */
export function parseLayout(stored: string | null): ColumnLayout {
  let value: unknown = null;
  try {
    value = JSON.parse(stored ?? 'null');
  } catch {
    // Invalid JSON is the default.
  }
  if (!isEntries(value)) return { shown: {}, widths: {} };
  const shown = isEntries(value.shown) ? value.shown : value;
  const widths = isEntries(value.widths) ? value.widths : {};
  return {
    shown: Object.fromEntries(
      Object.entries(shown).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    ),
    widths: Object.fromEntries(
      Object.entries(widths).flatMap(([id, width]) =>
        typeof width === 'number' && Number.isFinite(width) ? [[id, clampWidth(width)]] : [],
      ),
    ),
  };
}

/** The text to store: only what differs from the declaration, so that later defaults reach everyone who never chose. Null for nothing. */
export function formatLayout({ shown, widths }: ColumnLayout, columns: readonly Sized[]): string | null {
  const declared = new Map(columns.map((column) => [column.id, column]));
  const chosen = Object.entries(shown).filter(([id, isShown]) => {
    const column = declared.get(id);
    return column === undefined || isShown === Boolean(column.hidden);
  });
  if (chosen.length === 0 && Object.keys(widths).length === 0) return null;
  return JSON.stringify({ shown: Object.fromEntries(chosen), widths });
}

/** The CSS width of a column. The first one stays in view on a phone and must leave room for the others. */
function cssWidth(column: Sized, index: number, chosen: number | undefined, most: string): string {
  const width = `${chosen ?? column.width}px`;
  return index === 0 ? `min(${width}, ${most})` : width;
}

/**
 * The widths of a table: of each column (undefined takes a share of what is left), and the least of all. A column that was
 * sized no longer grows; when none grows any more, the table is as wide as its columns.
 */
export function layOut(
  columns: readonly Sized[],
  widths: ColumnLayout['widths'],
  { extra, most = '44vw' }: { extra: number; most?: string },
): { widths: (string | undefined)[]; least: string; grows: boolean } {
  const all = columns.map((column, index) => cssWidth(column, index, widths[column.id], most));
  const isGrowing = columns.map((column) => Boolean(column.grow) && widths[column.id] === undefined);
  return {
    widths: all.map((width, index) => (isGrowing[index] ? undefined : width)),
    least: `calc(${[...all, `${extra}px`].join(' + ')})`,
    grows: isGrowing.includes(true) || columns.every(({ id }) => widths[id] === undefined),
  };
}

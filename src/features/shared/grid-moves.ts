/** A cell of a grid that keys move through. */
export type Position = { row: number; column: number };

const PAGE = 10;

/** Where a key moves to, inside the table; null: the key is not for it. */
export function moveByKey(
  key: string,
  all: boolean,
  { row, column }: Position,
  { rows, columns }: { rows: number; columns: number },
): Position | null {
  const moves: Record<string, Position> = {
    ArrowUp: { row: all ? 0 : row - 1, column },
    ArrowDown: { row: all ? rows - 1 : row + 1, column },
    ArrowLeft: { row, column: all ? 0 : column - 1 },
    ArrowRight: { row, column: all ? columns - 1 : column + 1 },
    PageUp: { row: row - PAGE, column },
    PageDown: { row: row + PAGE, column },
    Home: { row: all ? 0 : row, column: 0 },
    End: { row: all ? rows - 1 : row, column: columns - 1 },
  };
  const to = Object.hasOwn(moves, key) ? moves[key] : undefined;
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return to ? { row: within(to.row, rows), column: within(to.column, columns) } : null;
}

import type { ImportChange } from '@/domain/ipam/csv-import';
import type { RowError } from '@/domain/ipam/import-rows';

/** Why a change is only written if it is chosen, and of which fields; `fields` null: all of it. */
export type Withheld = { reason: string; fields: ReadonlySet<string> | null };

type Plan = { changes: ImportChange[]; errors: RowError[]; unchanged: number };
type Row = { line: number };

/** A row without the fields that are withheld; empty when nothing of it is left to write. */
export function withoutWithheld<R extends Row>(row: R, withheld: Withheld | undefined): R[] {
  if (!withheld) return [row];
  if (withheld.fields === null) return [];
  return [Object.fromEntries(Object.entries(row).filter(([field]) => !withheld.fields?.has(field))) as R];
}

/**
 * Plans rows twice: with everything, to see which of it is a conflict, and without the conflicts, which is what is written unless a
 * user chooses otherwise.
 */
export function separateConflicts<R extends Row, P extends Plan>(
  rows: readonly R[],
  plan: (rows: readonly R[]) => P,
  findConflict: (change: ImportChange) => Withheld | null,
): { view: P; conflicts: ImportChange[]; withheld: Map<number, Withheld>; unchanged: number } {
  const full = plan(rows);
  const withheld = new Map<number, Withheld>();
  const conflicts = full.changes.flatMap((change): ImportChange[] => {
    const found = findConflict(change);
    if (!found) return [];
    withheld.set(change.line, found);
    const { fields } = found;
    const shown = fields === null ? change.fields : change.fields.filter(({ field }) => fields.has(field));
    return [{ ...change, conflict: found.reason, fields: shown }];
  });
  if (withheld.size === 0) return { view: full, conflicts, withheld, unchanged: full.unchanged };
  // A row with an error stays one, although the row that it repeats may be withheld.
  const bad = new Set(full.errors.map(({ line }) => line));
  const view = plan(
    rows.filter(({ line }) => !bad.has(line)).flatMap((row) => withoutWithheld(row, withheld.get(row.line))),
  );
  return {
    view: { ...view, errors: [...full.errors, ...view.errors] },
    conflicts,
    withheld,
    unchanged: full.unchanged,
  };
}

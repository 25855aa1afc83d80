import { createHash } from 'node:crypto';
import type { ImportChange } from '@/domain/ipam/csv-import';
import type { RowError } from '@/domain/ipam/import-rows';

type Value = ImportChange['fields'][number]['old'];
/** A row as a person reads it: by the columns of the file. */
export type Readable = Readonly<Record<string, Value>>;
type Place = Pick<ImportChange, 'line' | 'name' | 'cluster_name' | 'network_name'>;

const isEmpty = (value: Value | undefined) => value === null || value === undefined || value === '';

/** What becomes of a row: of a new one its values, of another one those that differ. */
export function toImportChange(place: Place, before: Readable | null, after: Readable): ImportChange {
  const fields = Object.keys(after).flatMap((field) => {
    const [old, next] = [before?.[field] ?? null, after[field] ?? null];
    if (before === null ? isEmpty(next) : old === next) return [];
    return [{ field, old: before === null ? null : old, new: next }];
  });
  return { ...place, action: before === null ? 'create' : 'update', fields };
}

/** Two plans with the same hash write the same and leave out the same. */
export function hashPlan(changes: readonly ImportChange[], errors: readonly RowError[]): string {
  const lines = [...new Set(errors.map(({ line }) => line))].sort((a, b) => a - b);
  const ordered = [...changes].sort((a, b) => a.line - b.line);
  const reported = ordered.map((one) => [
    one.line,
    one.action,
    ...(one.object ? [one.object, one.conflict ?? null] : []),
    one.cluster_name,
    one.network_name,
    one.name,
    one.fields.map(({ field, old, new: next }) => [field, old, next]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([reported, lines]))
    .digest('hex');
}

/** The lines about which a preview said something else, as errors. */
export function listPreviewDifferences(preview: readonly ImportChange[], changes: readonly ImportChange[]): RowError[] {
  // Of an import from NetBox a line can have several changes.
  const joinByLine = (list: readonly ImportChange[]) => {
    const texts = new Map<number, string>();
    for (const one of list) texts.set(one.line, `${texts.get(one.line) ?? ''}${JSON.stringify(one)}`);
    return texts;
  };
  const [reported, now] = [joinByLine(preview), joinByLine(changes)];
  return [...new Set([...reported.keys(), ...now.keys()])]
    .filter((line) => reported.get(line) !== now.get(line))
    .sort((a, b) => a - b)
    .map((line) => ({ line, field: 'row', message: 'The stored data of this row changed since the check.' }));
}

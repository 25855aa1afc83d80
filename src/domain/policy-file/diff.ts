import { FILE_LISTS, type FileList, type PolicyFile } from './document';

type Entry<L extends FileList = FileList> = PolicyFile[L][number];

/** An object as it is stored, in the form of a file. */
export type StoredEntry<L extends FileList = FileList> = {
  readonly id: string;
  readonly version: number;
  /** The source that manages it; null: none does. */
  readonly source: string | null;
  readonly entry: Entry<L>;
};
/** Everything that is stored, list by list. */
export type StoredEntries = { readonly [L in FileList]: readonly StoredEntry<L>[] };

/** One field that differs. */
type FieldChange = { readonly field: string; readonly before: unknown; readonly after: unknown };

/** What is done with one object. @property at its place in the list of the file; null: it is deleted */
export type FileOperation<L extends FileList = FileList> = {
  [K in L]: {
    readonly list: K;
    readonly action: 'create' | 'update' | 'delete';
    readonly at: number | null;
    readonly stored: StoredEntry<K> | null;
    readonly entry: Entry<K>;
    readonly fields: readonly FieldChange[];
  };
}[L];

/** A mistake in the file. @property field path in the document */
export type FileProblem = { readonly field: string; readonly message: string };

/** What identifies an object: its owner and its name. */
const toKey = ({ tenant, project, name }: Pick<Entry, 'tenant' | 'project' | 'name'>) =>
  JSON.stringify([tenant, project, name]);

const isSame = (a: unknown, b: unknown) => JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));

/** The same value with the keys of its objects in one order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sortKeys(one)]));
}

/** The fields of two entries of one object that differ; what `after` leaves undefined stays. */
function compareEntries(before: object, after: object): FieldChange[] {
  return Object.entries(after).flatMap(([field, value]): FieldChange[] => {
    const old = (before as Record<string, unknown>)[field];
    if (value === undefined || isSame(old, value)) return [];
    if (field !== 'definition') return [{ field, before: old, after: value }];
    return compareEntries(old ?? {}, value).map((change) => ({ ...change, field: `definition.${change.field}` }));
  });
}

/** Objects of the file that another source manages, as far as the file edits them. */
export const findManaged = (operations: readonly FileOperation[], source: string | null): FileProblem[] =>
  operations.flatMap(({ list, at, stored }): FileProblem[] => {
    if (at === null || !stored || stored.source === null || stored.source === source) return [];
    const remedy = 'Edit it there, or release it in the console.';
    return [{ field: `${list}.${at}.name`, message: `This is managed as code by ${stored.source}. ${remedy}` }];
  });

/** Objects that the file names twice. */
export function findDuplicates(file: PolicyFile): FileProblem[] {
  return FILE_LISTS.flatMap((list) => {
    const known = new Map<string, number>();
    return file[list].flatMap((entry, at): FileProblem[] => {
      const key = toKey(entry);
      const first = known.get(key);
      if (first === undefined) known.set(key, at);
      const message = `${entry.name} is in the list already, at number ${(first ?? 0) + 1}. Remove one of them, or rename it.`;
      return first === undefined ? [] : [{ field: `${list}.${at}.name`, message }];
    });
  });
}

/** @property source where the file comes from; null: it has no source */
type CompareOptions = { readonly prune: boolean; readonly source: string | null };

/** That the source of the file manages the object from now on. */
const compareSource = (known: StoredEntry | null, source: string | null): FieldChange[] =>
  known === null || source === null || known.source === source
    ? []
    : [{ field: 'managed_by', before: known.source, after: source }];

/**
 * What makes the stored objects those of the file. Without `prune`, what the file lacks stays; with it, it is deleted if the source of
 * the file manages it. A file without a source deletes what no source manages.
 * @param file without duplicates
 */
export function compareFile(
  file: PolicyFile,
  stored: StoredEntries,
  { prune, source }: CompareOptions,
): FileOperation[] {
  const compareList = <L extends FileList>(list: L): FileOperation<L>[] => {
    const entries = file[list] as readonly Entry<L>[];
    const rows = stored[list] as readonly StoredEntry<L>[];
    const open = new Map(rows.map((one) => [toKey(one.entry), one]));
    const operations = entries.flatMap((entry, at) => {
      const known = open.get(toKey(entry)) ?? null;
      open.delete(toKey(entry));
      const fields = [...compareEntries(known?.entry ?? {}, entry), ...compareSource(known, source)];
      if (known && fields.length === 0) return [];
      return [{ list, action: known ? 'update' : 'create', at, stored: known, entry, fields } as FileOperation<L>];
    });
    const deletions = prune
      ? [...open.values()]
          .filter((one) => one.source === source)
          .map((one) => {
            const deletion = { list, action: 'delete', at: null, stored: one, entry: one.entry, fields: [] };
            return deletion as unknown as FileOperation<L>;
          })
      : [];
    return [...operations, ...deletions];
  };
  return FILE_LISTS.flatMap((list): FileOperation[] => compareList(list));
}

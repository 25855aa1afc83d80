/** One entry of a list that differs between two states. */
export type EntryChange = {
  kind: 'added' | 'removed' | 'changed' | 'moved';
  before: unknown;
  after: unknown;
};

/** One field that differs, or stayed the same, between two states. `undefined` is absent, which is not null. */
export type FieldChange = {
  /** Names of the fields from the outside in. */
  path: readonly string[];
  before: unknown;
  after: unknown;
  kind: 'added' | 'removed' | 'changed' | 'same';
  /** Of a list: the entries that differ. */
  entries?: EntryChange[];
};

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON that is the same for the same content, whatever the order of its fields. */
const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? '';

/** What an entry of a list is recognized by in another state: its id, else all of its content. */
const getIdentity = (entry: unknown): string =>
  isFields(entry) && typeof entry.id === 'string' ? entry.id : toCanonicalJson(entry);

const withoutPosition = (entry: unknown): unknown => {
  if (!isFields(entry)) return entry;
  const { position: _, ...rest } = entry;
  return rest;
};

/** Entries that differ between two lists. Those that only changed places with each other have moved. */
function entryChanges(before: readonly unknown[], after: readonly unknown[]): EntryChange[] {
  const left = new Map<string, unknown[]>();
  for (const entry of before) {
    const identity = getIdentity(entry);
    left.set(identity, [...(left.get(identity) ?? []), entry]);
  }
  const kept: string[] = [];
  const paired: EntryChange[] = after.flatMap((entry): EntryChange[] => {
    const identity = getIdentity(entry);
    const [old, ...others] = left.get(identity) ?? [];
    if (!left.has(identity)) return [{ kind: 'added', before: undefined, after: entry }];
    if (others.length > 0) left.set(identity, others);
    else left.delete(identity);
    kept.push(identity);
    if (toCanonicalJson(old) === toCanonicalJson(entry)) return [];
    const moved = toCanonicalJson(withoutPosition(old)) === toCanonicalJson(withoutPosition(entry));
    return [{ kind: moved ? 'moved' : 'changed', before: old, after: entry }];
  });
  const removed = [...left.values()].flat().map((entry): EntryChange => {
    return { kind: 'removed', before: entry, after: undefined };
  });
  const changes = [...paired, ...removed];
  if (changes.length > 0) return changes;
  // The same entries: what is elsewhere in the list has moved.
  return after.flatMap((entry, place): EntryChange[] =>
    getIdentity(before[place]) === kept[place] ? [] : [{ kind: 'moved', before: before[place], after: entry }],
  );
}

function compare(path: readonly string[], before: unknown, after: unknown, into: FieldChange[]): void {
  if ((isFields(before) || before === undefined) && (isFields(after) || after === undefined)) {
    const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
    if (names.size > 0) {
      for (const name of names) compare([...path, name], before?.[name], after?.[name], into);
      return;
    }
  }
  if (before === undefined && after === undefined) return;
  const same = toCanonicalJson(before) === toCanonicalJson(after);
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : same ? 'same' : 'changed';
  const areLists = [before, after].every((value) => Array.isArray(value) || value === undefined);
  const entries = !same && areLists ? entryChanges((before as unknown[]) ?? [], (after as unknown[]) ?? []) : undefined;
  into.push({ path, before, after, kind, ...(entries && entries.length > 0 && { entries }) });
}

/** A record without fields states as little as none. */
const emptyToUndefined = (value: unknown): unknown =>
  value === null || (isFields(value) && Object.keys(value).length === 0) ? undefined : value;

/** What differs between two states, field by field: changes first in the order of `after`, then what stayed the same. */
export function changeDiff(before: unknown, after: unknown): FieldChange[] {
  const found: FieldChange[] = [];
  compare([], emptyToUndefined(before), emptyToUndefined(after), found);
  return [...found.filter(({ kind }) => kind !== 'same'), ...found.filter(({ kind }) => kind === 'same')];
}

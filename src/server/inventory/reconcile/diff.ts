/** What turns `present` into `desired`. Everything present is in exactly one of change, keep and remove. */
export type Diff<W, P> = {
  create: W[];
  change: { present: P; desired: W }[];
  keep: P[];
  remove: P[];
};

/**
 * Compares two sets by key. `same` reports whether a present item already matches the desired one. If several desired
 * items share a key, the first counts.
 */
export function diffByKey<W, P>(
  desired: Iterable<W>,
  present: Iterable<P>,
  keys: { desired: (item: W) => string | number; present: (item: P) => string | number },
  same: (desired: W, present: P) => boolean,
): Diff<W, P> {
  const rest = new Map<string | number, P>();
  for (const item of present) rest.set(keys.present(item), item);
  const diff: Diff<W, P> = { create: [], change: [], keep: [], remove: [] };
  const done = new Set<string | number>();
  for (const item of desired) {
    const key = keys.desired(item);
    if (done.has(key)) continue;
    done.add(key);
    const match = rest.get(key);
    rest.delete(key);
    if (match === undefined) diff.create.push(item);
    else if (same(item, match)) diff.keep.push(match);
    else diff.change.push({ present: match, desired: item });
  }
  diff.remove.push(...rest.values());
  return diff;
}

/** Equality of what columns hold: scalars, lists of scalars (in order), flat objects (in any order of keys). */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = Object.entries(b).filter(([, value]) => value !== undefined);
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && sameValue(value, b[key as keyof typeof b]))
  );
}

/** Whether two rows agree in the columns of `a`. */
export function sameFields<T extends object>(a: T, b: T): boolean {
  return Object.entries(a).every(([key, value]) => sameValue(value, b[key as keyof T]));
}

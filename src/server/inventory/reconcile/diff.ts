import type { Presence } from '../../providers/hypervisor/types';

/** What turns `present` into `wanted`. Everything present is in exactly one of change, keep and remove. */
export type Diff<W, P> = {
  create: W[];
  change: { present: P; wanted: W }[];
  keep: P[];
  remove: P[];
};

/**
 * Compares two sets by key. `same` says whether a present item already is what is wanted. Of several wanted items with
 * one key the first counts.
 */
export function diffByKey<W, P>(
  wanted: Iterable<W>,
  present: Iterable<P>,
  keys: { wanted: (item: W) => string | number; present: (item: P) => string | number },
  same: (wanted: W, present: P) => boolean,
): Diff<W, P> {
  const rest = new Map<string | number, P>();
  for (const item of present) rest.set(keys.present(item), item);
  const diff: Diff<W, P> = { create: [], change: [], keep: [], remove: [] };
  const done = new Set<string | number>();
  for (const item of wanted) {
    const key = keys.wanted(item);
    if (done.has(key)) continue;
    done.add(key);
    const match = rest.get(key);
    rest.delete(key);
    if (match === undefined) diff.create.push(item);
    else if (same(item, match)) diff.keep.push(match);
    else diff.change.push({ present: match, wanted: item });
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

type Absent = { id: string; missing_since: string | null };

/** Below this many known guests no share of them is suspicious. */
export const MASS_ABSENCE_FLOOR = 10;
/** When more than half of the guests vanish at once, nothing is removed until they have been missing this long. */
export const MASS_ABSENCE_HOLD_MS = 24 * 60 * 60 * 1000;

export type AbsencePlan<T> = {
  /** To be confirmed by a direct read. */
  ask: T[];
  /** To be kept as missing without asking. */
  hold: T[];
  /** So many vanished at once that a fault is likelier than so many deletions. */
  mass: boolean;
};

/**
 * Decides which of the guests that a list leaves out may be removed at all. A wrong address, a restored cluster file
 * system or a lost privilege makes many vanish together, and then even direct reads prove the wrong thing; so a mass
 * of them is only removed after having been missing for a day, each with its own proof.
 */
export function planAbsence<T extends Absent>(absent: readonly T[], knownCount: number, now: Date): AbsencePlan<T> {
  const mass = knownCount > MASS_ABSENCE_FLOOR && absent.length * 2 > knownCount;
  if (!mass) return { ask: [...absent], hold: [], mass };
  const longGone = (item: T) =>
    item.missing_since !== null && now.getTime() - Date.parse(item.missing_since) >= MASS_ABSENCE_HOLD_MS;
  return { ask: absent.filter(longGone), hold: absent.filter((item) => !longGone(item)), mass };
}

export type AbsenceVerdict = 'remove' | 'mark' | 'clear' | 'keep';

/** What follows from the direct read: proof removes, doubt marks, existence (the list was filtered) takes a mark away. */
export function judgeAbsence(presence: Presence, item: Absent): AbsenceVerdict {
  if (presence === 'absent') return 'remove';
  if (presence === 'present') return item.missing_since === null ? 'keep' : 'clear';
  return item.missing_since === null ? 'mark' : 'keep';
}

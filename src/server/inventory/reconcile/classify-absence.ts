import type { Presence } from '../../providers/hypervisor/types';

type Absent = { id: string; missing_since: string | null };

/** Below this many known guests no share of them is suspicious. */
export const MASS_ABSENCE_FLOOR = 10;
/** When over half of the guests vanish at the same time, none is removed until missing for this long. */
export const MASS_ABSENCE_HOLD_MS = 24 * 60 * 60 * 1000;

export type AbsencePlan<T> = {
  /** To be confirmed by a direct read. */
  ask: T[];
  /** To be kept as missing without asking. */
  hold: T[];
  /** So many vanished at the same time that a fault is more likely than so many deletions. */
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
export function classifyAbsence(presence: Presence, item: Absent): AbsenceVerdict {
  if (presence === 'absent') return 'remove';
  if (presence === 'present') return item.missing_since === null ? 'keep' : 'clear';
  return item.missing_since === null ? 'mark' : 'keep';
}

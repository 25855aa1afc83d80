import type { Builtin, DecidedBy, DefiniteVerdict, RulePlace, UnknownReason, Verdict } from './verdict';

/** Something that may have decided before: what it would have said, why that is not known, and where it stands. */
export type Possibility = { verdict: DefiniteVerdict | 'unknown'; reason: UnknownReason; place?: RulePlace };

export const settled = (verdict: DefiniteVerdict, decided_by: DecidedBy): Verdict => ({ verdict, decided_by });

export const byBuiltin = (verdict: DefiniteVerdict, name: Builtin): Verdict =>
  settled(verdict, { kind: 'builtin', name });

export const undecided = (reason: UnknownReason, possible: readonly Possibility[] = []): Verdict => ({
  verdict: 'unknown',
  decided_by: { kind: 'unknown', reason, places: possible.flatMap(({ place }) => (place ? [place] : [])) },
});

/** A possibility that ends as the certain decision changes nothing. */
export function conclude(certain: Verdict, possible: readonly Possibility[]): Verdict {
  if (possible.length === 0 || certain.verdict === 'unknown') return certain;
  const open = possible.find(({ verdict }) => verdict !== certain.verdict);
  return open ? undecided(open.reason, possible) : certain;
}

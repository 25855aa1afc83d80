import { MINUTE_MS } from '../durations';
import type { Fact } from './condition';
import type { IncidentEndReason } from './notification';

/** An incident of a rule that is not closed. Times are RFC 3339. */
export type ActiveIncident = {
  readonly id: string;
  readonly status: 'pending' | 'open';
  readonly condition: Fact['condition'];
  readonly key: string;
  readonly object_name: string;
  readonly detail: string;
  readonly first_seen_at: string;
  readonly clear_since: string | null;
  readonly flaps: number;
};

/** What was found: what holds, and what could not be determined. */
export type Findings = {
  readonly facts: readonly Fact[];
  /** Conditions that could not be checked this time. */
  readonly unreadable: ReadonlySet<Fact['condition']>;
  /** Keys of single objects about which nothing can be said now. */
  readonly unknown: ReadonlySet<string>;
  /** By id of the incident, why its object is no longer a matter of the rule. */
  readonly ends?: ReadonlyMap<string, IncidentEndReason>;
};

export type IncidentChange =
  | { readonly kind: 'create'; readonly fact: Fact; readonly open: boolean }
  /** Of one that stays what it is: seen again, not seen any more, or told in other words. */
  | {
      readonly kind: 'note';
      readonly incident: ActiveIncident;
      readonly fact: Fact | null;
      readonly clear_since: string | null;
      readonly flaps: number;
    }
  | { readonly kind: 'open'; readonly incident: ActiveIncident; readonly fact: Fact; readonly flaps: number }
  | { readonly kind: 'close'; readonly incident: ActiveIncident; readonly end_reason?: IncidentEndReason }
  /** It never opened. */
  | { readonly kind: 'drop'; readonly incident: ActiveIncident };

type Hysteresis = { readonly open_after_minutes: number; readonly close_after_minutes: number };

/** Identifies a matter among all that one rule looks at. */
export const incidentKey = ({ condition, key }: { condition: string; key: string }): string => `${condition} ${key}`;

/** Whether so many minutes have passed. A time as far ahead was stored by a clock that was put back since, and counts as well. */
const hasPassed = (since: number, minutes: number, now: number): boolean =>
  Math.abs(now - since) >= minutes * MINUTE_MS;

function planDetectedChange(
  incident: ActiveIncident,
  fact: Fact,
  rule: Hysteresis,
  now: number,
): IncidentChange | null {
  const back = incident.clear_since !== null;
  const flaps = incident.flaps + (back ? 1 : 0);
  const due = hasPassed(Date.parse(incident.first_seen_at), rule.open_after_minutes, now);
  if (incident.status === 'pending' && due) return { kind: 'open', incident, fact, flaps };
  const changed = fact.detail !== incident.detail || fact.object_name !== incident.object_name;
  return back || changed ? { kind: 'note', incident, fact, clear_since: null, flaps } : null;
}

const planClose = (incident: ActiveIncident, end_reason?: IncidentEndReason): IncidentChange =>
  incident.status === 'open'
    ? { kind: 'close', incident, ...(end_reason && { end_reason }) }
    : { kind: 'drop', incident };

function planClearedChange(
  incident: ActiveIncident,
  rule: Hysteresis,
  end: IncidentEndReason | undefined,
  now: number,
): IncidentChange | null {
  const since = incident.clear_since === null ? now : Date.parse(incident.clear_since);
  if (hasPassed(since, rule.close_after_minutes, now)) return planClose(incident, end);
  if (incident.clear_since !== null) return null;
  return { kind: 'note', incident, fact: null, clear_since: new Date(now).toISOString(), flaps: incident.flaps };
}

/**
 * What happens to a rule's incidents at `now` (milliseconds). One opens when its condition holds and was first seen
 * `open_after_minutes` ago. Gaps shorter than `close_after_minutes` do not count as an end, neither before it opens
 * nor afterwards, so a flapping condition is one incident. What cannot be determined changes nothing. Of objects that are
 * not concerned any more there is nothing left to determine: of removed ones incidents close immediately, of others as usual. With the same findings a second time
 * there is nothing to do.
 */
export function advanceIncidents(
  rule: Hysteresis,
  incidents: readonly ActiveIncident[],
  findings: Findings,
  now: number,
): IncidentChange[] {
  const facts = new Map(findings.facts.map((fact) => [incidentKey(fact), fact]));
  const known = new Set(incidents.map(incidentKey));
  const changes: (IncidentChange | null)[] = incidents.map((incident) => {
    const key = incidentKey(incident);
    const fact = facts.get(key);
    const end = findings.ends?.get(incident.id);
    if (!fact && end === 'removed') return planClose(incident, end);
    if (fact) return planDetectedChange(incident, fact, rule, now);
    const isUnknown = findings.unreadable.has(incident.condition) || findings.unknown.has(key);
    // That an object left is known, whatever is not known about it; of a conflict it is concluded from its absence.
    const isKnownEnd = end !== undefined && incident.condition !== 'address_conflict';
    if (isUnknown && !isKnownEnd) return null;
    return planClearedChange(incident, rule, end, now);
  });
  for (const [key, fact] of facts) {
    if (!known.has(key)) changes.push({ kind: 'create', fact, open: rule.open_after_minutes === 0 });
  }
  return changes.filter((change) => change !== null);
}

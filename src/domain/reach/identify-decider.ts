import type { LiveRule } from '../firewall/live-state';
import { parseMarker } from '../policy/marker';
import type { DecidedBy } from '../policy-tests/place-parts';
import type { TestPlace } from '../policy-tests/test-end';
import type { Identify } from './profiles';

/** Rules of different places differ, whatever they say. */
export const identifyByPlace: Identify = (place, by) =>
  by.kind === 'rule' || by.kind === 'unknown' ? `${place.key} ${JSON.stringify(by)}` : JSON.stringify(by);

/**
 * A rule that a policy has placed at several workloads is one rule to the reader.
 * @param findRule the live rule that decides at a place; null: it is not known
 */
export const identifyByPolicy =
  (findRule: (place: TestPlace, by: DecidedBy) => LiveRule | null): Identify =>
  (place, by) => {
    const marker = by.kind === 'rule' ? parseMarker(findRule(place, by)?.comment) : null;
    if (!marker) return identifyByPlace(place, by);
    return `policy ${marker.instance} ${marker.policy_id} ${marker.version} ${marker.rule_hash}`;
  };

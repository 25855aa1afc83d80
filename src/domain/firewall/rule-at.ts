import { type Marker, parseMarker } from '../policy/marker';
import type { LiveRule, LiveState } from './live-state';
import type { RulePlace } from './verdict';

/** A live rule, the group that it is of, and whether it is in the guest's own list. */
export type RuleAtPlace = { readonly rule: LiveRule; readonly group: string | null; readonly own: boolean };

/** The same text for the same place. */
export const placeKey = ({ scope, name, position, group, group_position }: RulePlace): string =>
  `${scope ?? ''} ${name ?? ''} ${position} ${group ?? ''} ${group_position ?? ''}`;

function getRuleList({ cluster, guest, node }: LiveState, place: RulePlace): readonly LiveRule[] | null {
  if (place.scope === 'datacenter') return cluster.rules ?? null;
  if (place.scope === 'node') return node?.rules ?? null;
  if (place.scope === undefined) return guest.rules;
  const { name = '' } = place;
  return cluster.vnets && Object.hasOwn(cluster.vnets, name) ? (cluster.vnets[name]?.rules ?? null) : null;
}

/** The live rule at a place that a verdict names; null when it is not there. */
export function ruleAt(state: LiveState, place: RulePlace): RuleAtPlace | null {
  const { group, group_position, position } = place;
  if (group !== undefined && group_position !== undefined) {
    const { groups } = state.cluster;
    const members = groups && Object.hasOwn(groups, group) ? groups[group] : undefined;
    const rule = members?.find(({ pos }) => pos === group_position);
    return rule ? { rule, group, own: false } : null;
  }
  const rule = getRuleList(state, place)?.find(({ pos }) => pos === position);
  return rule ? { rule, group: null, own: place.scope === undefined } : null;
}

/** The marker of the rule at a place, if this installation wrote the rule for this guest. */
export function markerAt(state: LiveState, place: RulePlace, wrote: { instance: string; vmid: number }): Marker | null {
  const found = ruleAt(state, place);
  const marker = found?.own ? parseMarker(found.rule.comment) : null;
  return marker?.instance === wrote.instance && marker.vmid === wrote.vmid ? marker : null;
}

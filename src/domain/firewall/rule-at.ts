import type { LiveRule, LiveState } from './live-state';
import type { RulePlace } from './verdict';

/** The live rule at a place that a verdict names, and the group that it is of; null when it is not there. */
export function ruleAt(state: LiveState, place: RulePlace): { rule: LiveRule; group: string | null } | null {
  const { group, group_position, position } = place;
  if (group !== undefined && group_position !== undefined) {
    const { groups } = state.cluster;
    const members = groups && Object.hasOwn(groups, group) ? groups[group] : undefined;
    const rule = members?.find(({ pos }) => pos === group_position);
    return rule ? { rule, group } : null;
  }
  const rule = state.guest.rules?.find(({ pos }) => pos === position);
  return rule ? { rule, group: null } : null;
}

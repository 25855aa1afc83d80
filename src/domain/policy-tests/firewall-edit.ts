import type { LiveRule } from '../firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '../firewall/snapshot';
import { isSameJson } from '../policy/snapshot';

const toContentKey = ({ pos: _, ...content }: LiveRule) => JSON.stringify(Object.entries(content).sort());
/** Position, direction and action: what a rule matches may be hidden from the reader. */
const ruleText = ({ pos, type, action }: LiveRule) => `rule at position ${pos} (${type.toUpperCase()} ${action})`;

/** What differs between two lists of rules, as text; null when nothing does. */
function describeRulesEdit(before: readonly LiveRule[], after: readonly LiveRule[]): string | null {
  const left = [...before];
  const added: LiveRule[] = [];
  for (const rule of after) {
    const at = left.findIndex((other) => toContentKey(other) === toContentKey(rule));
    if (at < 0) added.push(rule);
    else left.splice(at, 1);
  }
  const [first, removed] = [added[0], left[0]];
  if (first && removed && first.pos === removed.pos) return `${ruleText(first)} was changed`;
  if (first) return `${ruleText(first)} was added`;
  if (removed) return `${ruleText(removed)} was removed`;
  return isSameJson(before, after) ? null : 'rules were moved';
}

/** What someone changed in the firewall of a workload between two snapshots, as text; null when nothing differs. */
export function describeGuestEdit(before: GuestSnapshot, after: GuestSnapshot): string | null {
  if (!isSameJson(before.options, after.options)) return 'firewall options were changed';
  const rules = before.rules && after.rules && describeRulesEdit(before.rules, after.rules);
  if (rules) return rules;
  if (!isSameJson(before.ipsets, after.ipsets) || !isSameJson(before.aliases, after.aliases))
    return 'IP sets or aliases were changed';
  if (!isSameJson(before.nics, after.nics)) return 'interfaces were changed';
  return isSameJson(before.rules, after.rules) ? null : 'rules could not be compared';
}

/** The same for what all guests of a cluster share. */
export function describeClusterEdit(before: ClusterSnapshot, after: ClusterSnapshot): string | null {
  if (before.firewall_enabled !== after.firewall_enabled) {
    return `the cluster firewall was switched ${after.firewall_enabled ? 'on' : 'off'}`;
  }
  const rules = before.rules && after.rules && describeRulesEdit(before.rules, after.rules);
  if (rules) return `data center ${rules}`;
  for (const name of Object.keys({ ...before.groups, ...after.groups })) {
    if (!isSameJson(before.groups?.[name], after.groups?.[name])) return `PVE security group ${name} was changed`;
  }
  if (!isSameJson(before.ipsets, after.ipsets) || !isSameJson(before.aliases, after.aliases))
    return 'IP sets or aliases were changed';
  if (!isSameJson(before.nodes, after.nodes)) return 'options or rules of nodes were changed';
  if (!isSameJson(before.options, after.options)) return 'data center options were changed';
  return isSameJson(before.vnets, after.vnets) ? null : 'firewalls of VNets were changed';
}

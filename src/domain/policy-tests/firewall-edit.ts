import type { LiveRule } from '../firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '../firewall/snapshot';
import { sameJson } from '../policy/snapshot';

const contentOf = ({ pos: _, ...content }: LiveRule) => JSON.stringify(Object.entries(content).sort());
/** Position, direction and action: what a rule matches may be hidden from the reader. */
const ruleText = ({ pos, type, action }: LiveRule) => `${pos} (${type.toUpperCase()} ${action})`;

/** What differs between two lists of rules, as text; null when nothing does. */
function rulesEdit(before: readonly LiveRule[], after: readonly LiveRule[]): string | null {
  const left = [...before];
  const added: LiveRule[] = [];
  for (const rule of after) {
    const at = left.findIndex((other) => contentOf(other) === contentOf(rule));
    if (at < 0) added.push(rule);
    else left.splice(at, 1);
  }
  const [first, removed] = [added[0], left[0]];
  if (first && removed && first.pos === removed.pos) return `rule ${ruleText(first)} was changed`;
  if (first) return `rule ${ruleText(first)} was added`;
  if (removed) return `rule ${ruleText(removed)} was removed`;
  return sameJson(before, after) ? null : 'rules were moved';
}

/** What someone changed in the firewall of a workload between two snapshots, as text; null when nothing differs. */
export function guestEdit(before: GuestSnapshot, after: GuestSnapshot): string | null {
  if (!sameJson(before.options, after.options)) return 'firewall options were changed';
  const rules = before.rules && after.rules && rulesEdit(before.rules, after.rules);
  if (rules) return rules;
  if (!sameJson(before.ipsets, after.ipsets) || !sameJson(before.aliases, after.aliases))
    return 'IP sets or aliases were changed';
  if (!sameJson(before.nics, after.nics)) return 'interfaces were changed';
  return sameJson(before.rules, after.rules) ? null : 'rules could not be compared';
}

/** The same for what all guests of a cluster share. */
export function clusterEdit(before: ClusterSnapshot, after: ClusterSnapshot): string | null {
  if (before.firewall_enabled !== after.firewall_enabled) {
    return `the cluster firewall was switched ${after.firewall_enabled ? 'on' : 'off'}`;
  }
  const rules = before.rules && after.rules && rulesEdit(before.rules, after.rules);
  if (rules) return `data center ${rules}`;
  for (const name of Object.keys({ ...before.groups, ...after.groups })) {
    if (!sameJson(before.groups?.[name], after.groups?.[name])) return `PVE security group ${name} was changed`;
  }
  if (!sameJson(before.ipsets, after.ipsets) || !sameJson(before.aliases, after.aliases))
    return 'IP sets or aliases were changed';
  if (!sameJson(before.nodes, after.nodes)) return 'options or rules of nodes were changed';
  if (!sameJson(before.options, after.options)) return 'data center options were changed';
  return sameJson(before.vnets, after.vnets) ? null : 'firewalls of VNets were changed';
}

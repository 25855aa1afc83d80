import type { LiveState } from '@/domain/firewall/live-state';
import type { ActiveRule } from '@/domain/insights';
import type { NamedRule, ruleNamer } from '../../enforcement/guest-firewall/named-rules';

const active = (rule: NamedRule, group: string | null): ActiveRule => ({
  ...rule,
  port: rule.destination_port,
  managed: rule.owner === 'this_installation',
  group,
});

/** All rules that filter a guest, in their order; those of a group follow the reference. Null: could not be read. */
export function activeRules(
  state: LiveState,
  vmid: number,
  show: ReturnType<typeof ruleNamer>['show'],
): ActiveRule[] | null {
  const { groups } = state.cluster;
  return (
    state.guest.rules?.flatMap((rule) => {
      const own = active(show(rule, vmid), null);
      const members = rule.type === 'group' && groups && Object.hasOwn(groups, rule.action) ? groups[rule.action] : [];
      return [own, ...(members ?? []).map((member) => active(show(member, null), rule.action))];
    }) ?? null
  );
}

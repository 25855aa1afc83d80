import { emptyFirewallFile } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import type { MatchContext } from './match-rule';
import type { Packet } from './packet';

const NOTHING = emptyFirewallFile();

type Walk = {
  /** Whether the rule is in the chain of the packet's interface at all. */
  applies: (rule: FirewallRule, packet: Packet) => boolean;
  matches: (rule: FirewallRule, packet: Packet, context: MatchContext) => boolean;
};

/**
 * The first rule of the guest, or of a group it refers to, that matches. Both implementations walk rules alike and differ in
 * which rules apply and what they match.
 * @param type of the rules, which is the direction unless the packet is forwarded
 */
export function firstRule(
  packet: Packet,
  context: MatchContext,
  { applies, matches }: Walk,
  type: string = packet.direction,
): { action: string; place: { position: number; group?: string } } | undefined {
  // Rules of groups see the objects of the datacenter only.
  const shared: MatchContext = { ...context, guest: NOTHING };
  for (const [position, rule] of context.guest.rules.entries()) {
    if (!applies(rule, packet)) continue;
    if (rule.type === 'group') {
      const members = context.listMembers?.(rule) ?? context.datacenter.groups.get(rule.action)?.entries;
      const inner = members?.find(
        (member) => member.type === type && applies(member, packet) && matches(member, packet, shared),
      );
      if (inner) return { action: inner.action, place: { position, group: rule.action } };
    } else if (rule.type === type && matches(rule, packet, context)) {
      return { action: rule.action, place: { position } };
    }
  }
  return undefined;
}

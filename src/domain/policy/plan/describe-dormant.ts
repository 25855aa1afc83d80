import type { LiveRule } from '../../firewall/live-state';
import { parseMarker } from '../marker';
import type { DormantEffect } from './dormant';
import type { SenderCheck } from './dormant-effects';

const LISTED = 10;

const formatList = (items: readonly string[]): string =>
  items.length > LISTED ? `${items.slice(0, LISTED).join(', ')} and ${items.length - LISTED} more` : items.join(', ');

const RULE_EFFECTS: Record<DormantEffect, string> = {
  cuts: 'The rule blocks traffic that passes now.',
  allows: 'The rule allows traffic that the policy alone would block.',
  none: 'The rule does not change what happens to traffic.',
  unknown: 'The effect on traffic could not be determined.',
};

const DIRECTIONS: Record<string, string> = { in: 'inbound', out: 'outbound' };

/** `inbound DROP tcp port 8081 from 10.0.0.0/24`: a stored rule in the words of its fields. */
export function ruleText(rule: LiveRule): string {
  if (rule.type === 'group') return `PVE security group ${rule.action}`;
  return [
    DIRECTIONS[rule.type] ?? rule.type,
    rule.action,
    rule.macro,
    rule.proto,
    rule['icmp-type'] && `type ${rule['icmp-type']}`,
    rule.dport && `port ${rule.dport}`,
    rule.sport && `source port ${rule.sport}`,
    rule.source && `from ${rule.source}`,
    rule.dest && `to ${rule.dest}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Description of a platform rule that takes effect, for users who may not see what it matches. */
export const describePlatformRule = ({
  position,
  interfaces,
  effect,
}: {
  position: number | null;
  interfaces: readonly string[];
  effect: DormantEffect;
}) => ({
  name: 'platform rule',
  message: `The platform rule at position ${position} takes effect on ${formatList(interfaces)}. ${RULE_EFFECTS[effect]}`,
});

/** A rule that takes effect, by its position as it is stored now and its text. */
export function describeRule(rule: LiveRule, interfaces: readonly string[], effect: DormantEffect) {
  const name = ruleText(rule);
  const comment = parseMarker(rule.comment) ? '' : (rule.comment ?? '').trim();
  const quoted = comment === '' ? '' : `, "${comment.slice(0, 100)}"`;
  const message = `The rule at position ${rule.pos} (${name}${quoted}) takes effect on ${formatList(interfaces)}. ${RULE_EFFECTS[effect]}`;
  return { name, message };
}

/** A set of addresses that an interface may send from. */
export function describeSet(
  name: string,
  nic: string,
  entries: readonly string[],
  { blocked, unknown, passing }: SenderCheck,
  effect: DormantEffect,
): string {
  const holds = entries.length === 0 ? 'It is empty.' : `It contains ${formatList(entries)}.`;
  if (effect === 'none')
    return `IP set ${name} has no effect on ${nic}: with nftables it requires the option ipfilter. ${holds}`;
  const only = effect === 'unknown' ? ' if the node uses iptables, which is not known' : '';
  const start = `IP set ${name} takes effect on ${nic}${only}: traffic from an address outside the set is blocked. ${holds}`;
  if (blocked.length > 0) {
    const all = passing.length === 0 && unknown.length === 0 ? ' This blocks all traffic that the workload sends.' : '';
    return `${start} It does not contain ${formatList(blocked)}, which the workload uses.${all}`;
  }
  if (unknown.length > 0) return `${start} Whether it contains ${formatList(unknown)} could not be determined.`;
  return passing.length === 0 ? `${start} No address of the workload is known for comparison.` : start;
}

const OPTION_TEXTS: Record<string, (value: string) => string> = {
  policy_in: (value) =>
    value === 'ACCEPT'
      ? 'inbound traffic that matches no rule passes'
      : 'inbound traffic that matches no rule is blocked',
  policy_out: (value) =>
    value === 'ACCEPT'
      ? 'outbound traffic that matches no rule passes'
      : 'outbound traffic that matches no rule is blocked',
  dhcp: (value) =>
    value === '1' ? 'DHCP passes before rules are evaluated' : 'DHCP no longer passes before rules are evaluated',
  ndp: (value) =>
    value === '1'
      ? 'IPv6 neighbor discovery passes before rules are evaluated'
      : 'IPv6 neighbor discovery no longer passes before rules are evaluated',
  radv: (value) =>
    value === '1'
      ? 'the workload may send IPv6 router advertisements'
      : 'IPv6 router advertisements from the workload are blocked',
  macfilter: (value) =>
    value === '1'
      ? "frames with a source MAC address other than the interface's are blocked (nested guests, VRRP, bonding)"
      : 'frames with any source MAC address pass',
  ipfilter: (value) =>
    value === '1'
      ? 'an interface without its own ipfilter set may send only from its IPv6 link-local and configured static addresses'
      : 'source addresses are not filtered',
  ips: (value) =>
    value === '1' ? 'an intrusion prevention system inspects the traffic and may drop it' : 'traffic is not inspected',
};

/** An option that takes effect with its stored or default value. */
export function describeOption(
  name: string,
  value: string,
  stored: boolean,
  interfaces: readonly string[],
  effect: DormantEffect,
): string {
  const text = OPTION_TEXTS[name]?.(value) ?? '';
  const outcome = effect === 'none' || effect === 'unknown' ? ` ${RULE_EFFECTS[effect]}` : '';
  return `Option ${name}=${value} (${stored ? 'stored' : 'default'}) takes effect on ${formatList(interfaces)}: ${text}.${outcome}`;
}

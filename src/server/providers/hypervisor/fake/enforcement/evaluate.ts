import type { FirewallRule } from '../firewall/firewall-rule';
import type { CompiledGuest, CompiledNode } from './compiled-node';
import { type MatchContext, ruleMatches } from './match-rule';
import type { Packet, Verdict } from './packet';

const NDP_OUT = [
  'router-solicitation',
  'neighbor-solicitation',
  'neighbor-advertisement',
  'neighbour-solicitation',
  'neighbour-advertisement',
];
const NDP_IN = [...NDP_OUT, 'router-advertisement'];

const isIcmpv6 = (packet: Packet) => ['icmpv6', 'ipv6-icmp', '58'].includes(packet.proto);

/** Built-in rules that stand before the guest's own. */
function builtIn(packet: Packet, compiled: CompiledGuest, context: MatchContext): Verdict | undefined {
  const { options } = compiled.file;
  const incoming = packet.direction === 'in';
  if (options.dhcp !== 0 && packet.proto === 'udp') {
    const v4 = incoming ? packet.sport === 67 && packet.dport === 68 : packet.sport === 68 && packet.dport === 67;
    const v6 = incoming ? packet.sport === 547 && packet.dport === 546 : packet.sport === 546 && packet.dport === 547;
    if (v4 || v6) return { verdict: 'accept', by: 'dhcp' };
  }
  if (!incoming) {
    const mac = packet.sourceMac?.toLowerCase();
    if (options.macfilter !== 0 && mac !== undefined && mac !== compiled.nics.get(packet.nic)) {
      return { verdict: 'drop', by: 'macfilter' };
    }
    if (options.ipfilter === 1) {
      // Without a set for the NIC nothing but link-local IPv6 may leave.
      const filter: FirewallRule = { type: 'out', action: 'ACCEPT', source: `+guest/ipfilter-${packet.nic}` };
      const linkLocal = packet.source.toLowerCase().startsWith('fe80:');
      if (!linkLocal && !ruleMatches(filter, packet, context)) return { verdict: 'drop', by: 'ipfilter' };
    }
    if (options.radv !== 1 && isIcmpv6(packet) && packet.icmpType === 'router-advertisement') {
      return { verdict: 'drop', by: 'radv' };
    }
  }
  if (options.ndp !== 0 && isIcmpv6(packet) && (incoming ? NDP_IN : NDP_OUT).includes(packet.icmpType ?? '')) {
    return { verdict: 'accept', by: 'ndp' };
  }
  return undefined;
}

const applies = (rule: FirewallRule, packet: Packet) =>
  rule.enable === 1 && rule.errors === undefined && (rule.iface === undefined || rule.iface === packet.nic);

const verdictOf = (action: string, packet: Packet, node: CompiledNode): Verdict['verdict'] => {
  if (action === 'ACCEPT') return 'accept';
  // nftables cannot reject on the way in.
  if (action === 'REJECT' && !(node.implementation === 'nftables' && packet.direction === 'in')) return 'reject';
  return 'drop';
};

/** The chain's decision about a packet that starts a new connection. */
export function evaluateChain(packet: Packet, compiled: CompiledGuest, node: CompiledNode): Verdict {
  const context: MatchContext = { datacenter: node.datacenter, guest: compiled.file, sdnSets: node.sdnSets };
  const early = builtIn(packet, compiled, context);
  if (early) return early;
  for (const [position, rule] of compiled.file.rules.entries()) {
    if (!applies(rule, packet)) continue;
    if (rule.type === 'group') {
      const inner = node.datacenter.groups
        .get(rule.action)
        ?.entries.find(
          (member) =>
            member.type === packet.direction && applies(member, packet) && ruleMatches(member, packet, context),
        );
      if (inner) return { verdict: verdictOf(inner.action, packet, node), by: 'rule', position, group: rule.action };
    } else if (rule.type === packet.direction && ruleMatches(rule, packet, context)) {
      return { verdict: verdictOf(rule.action, packet, node), by: 'rule', position };
    }
  }
  const policy = compiled.file.options[`policy_${packet.direction}`] ?? (packet.direction === 'in' ? 'DROP' : 'ACCEPT');
  return { verdict: verdictOf(String(policy), packet, node), by: 'policy' };
}

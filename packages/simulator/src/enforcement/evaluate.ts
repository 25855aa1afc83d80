import { emptyFirewallFile } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { addressRange } from './address-range';
import type { CompiledGuest, CompiledNode } from './compiled-node';
import { firstRule } from './first-rule';
import { isInvalid } from './icmp-numbers';
import { entriesContain, type MatchContext, ruleMatches } from './match-rule';
import type { Packet, Verdict } from './packet';
import { getFamily, isSmurf, standardChain, toRejectVerdict } from './standard-chains';

const NOTHING = emptyFirewallFile();

const NDP = [
  'router-solicitation',
  'neighbor-solicitation',
  'neighbor-advertisement',
  'neighbour-solicitation',
  'neighbour-advertisement',
];

const isIcmpv6 = (packet: Packet) => ['icmpv6', 'ipv6-icmp', '58'].includes(packet.proto);

/** Filters every bridged interface with the flag first, whether or not the firewall of its guest is on. */
function evaluateFrontChains(packet: Packet, node: CompiledNode): Verdict | undefined {
  const { host, datacenter } = node;
  if (isInvalid(packet) && !host.allowInvalid) return { verdict: 'drop', by: 'invalid' };
  if (packet.direction === 'out') return undefined;
  const blacklist = datacenter.ipsets.get('blacklist');
  const source = addressRange(packet.source);
  const shared: MatchContext = { datacenter, guest: NOTHING, sdnSets: node.sdnSets };
  if (blacklist && source && entriesContain(blacklist.entries, source, shared)) {
    return { verdict: 'drop', by: 'blacklist' };
  }
  if (host.nosmurfs && isSmurf(packet, host)) return { verdict: 'drop', by: 'smurf' };
  const opens = packet.proto === 'tcp' && packet.tcpSyn !== false;
  return host.tcpflags && opens && packet.sport === 0 ? { verdict: 'drop', by: 'tcpflags' } : undefined;
}

/** Built-in rules that are evaluated before the guest's own. */
function evaluateBuiltInRules(packet: Packet, compiled: CompiledGuest, context: MatchContext): Verdict | undefined {
  const { options } = compiled.file;
  const incoming = packet.direction === 'in';
  if (options.dhcp !== 0 && packet.proto === 'udp') {
    const [client, server] = getFamily(packet) === 4 ? [68, 67] : [546, 547];
    const [from, to] = incoming ? [server, client] : [client, server];
    if (packet.sport === from && packet.dport === to) return { verdict: 'accept', by: 'dhcp' };
  }
  if (!incoming) {
    const mac = packet.sourceMac?.toLowerCase();
    if (options.macfilter !== 0 && mac !== undefined && mac !== compiled.nics.get(packet.nic)) {
      return { verdict: 'drop', by: 'macfilter' };
    }
    if (options.radv !== 1 && isIcmpv6(packet) && packet.icmpType === 'router-advertisement') {
      return { verdict: 'drop', by: 'radv' };
    }
    const source = addressRange(packet.source);
    const filter = compiled.senders.get(packet.nic);
    if (filter && source && !entriesContain(filter, source, context)) return { verdict: 'drop', by: 'ipfilter' };
  }
  // Guests that may announce routers are let through with it.
  const ndp = incoming || options.radv === 1 ? [...NDP, 'router-advertisement'] : NDP;
  if (options.ndp !== 0 && isIcmpv6(packet) && ndp.includes(packet.icmpType ?? '')) {
    return { verdict: 'accept', by: 'ndp' };
  }
  return undefined;
}

const applies = (rule: FirewallRule, packet: Packet) =>
  rule.enable === 1 && rule.errors === undefined && (rule.iface === undefined || rule.iface === packet.nic);

const toVerdict = (action: string, packet: Packet, node: CompiledNode): Verdict['verdict'] => {
  if (action === 'ACCEPT') return 'accept';
  if (action !== 'REJECT') return 'drop';
  return toRejectVerdict(packet, node.host);
};

/** What is decided when no rule was. */
function evaluateDefaultPolicy(packet: Packet, compiled: CompiledGuest, node: CompiledNode): Verdict {
  const stored = compiled.file.options[`policy_${packet.direction}`];
  const policy = String(stored ?? (packet.direction === 'in' ? 'DROP' : 'ACCEPT'));
  if (policy === 'DROP' || policy === 'REJECT') {
    const standard = standardChain(policy, packet, node.host);
    if (standard) return { verdict: standard, by: 'standard' };
  }
  return { verdict: toVerdict(policy, packet, node), by: 'policy' };
}

/**
 * The decision of the iptables chains about a packet that starts a new connection.
 * @param compiled undefined: the guest has no chains, its interface has the flag
 */
export function evaluateIptables(packet: Packet, compiled: CompiledGuest | undefined, node: CompiledNode): Verdict {
  const front = evaluateFrontChains(packet, node);
  if (front) return front;
  const family = getFamily(packet);
  if (!compiled || node.groups?.isUnplugged(packet.vmid, packet.nic, packet.direction, family)) {
    return { verdict: 'accept', by: 'not-enforced' };
  }
  const context: MatchContext = {
    datacenter: node.datacenter,
    guest: compiled.file,
    sdnSets: node.sdnSets,
    listMembers: (rule) => node.groups?.listMembers(rule, packet.direction, family) ?? [],
  };
  const early = evaluateBuiltInRules(packet, compiled, context);
  if (early) return early;
  const hit = firstRule(packet, context, { applies, matches: ruleMatches });
  if (hit) return { verdict: toVerdict(hit.action, packet, node), by: 'rule', ...hit.place };
  return evaluateDefaultPolicy(packet, compiled, node);
}

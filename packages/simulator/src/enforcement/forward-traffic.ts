import { emptyFirewallFile, type FirewallFile } from '../firewall/firewall-file';
import type { FirewallRule } from '../firewall/firewall-rule';
import { addressRange } from './address-range';
import type { CompiledNode } from './compiled-node';
import { firstRule } from './first-rule';
import { stripPrefixLength } from './host-filter';
import { isInvalid } from './icmp-numbers';
import { ruleMatches } from './nftables';
import type { Packet, Verdict } from './packet';

/** The list of rules of a node, the data center or a VNet, which all see the objects of the data center only. */
export const toRuleFile = (rules: FirewallFile['rules']): FirewallFile => ({ ...emptyFirewallFile(), rules });

/** The generator makes nothing of a forward rule with an interface. */
const applies = (rule: FirewallRule) => rule.enable === 1 && rule.iface === undefined;

type Scoped = { rules: FirewallFile['rules']; scope: NonNullable<Verdict['scope']> };

function forward(packet: Packet, node: CompiledNode, lists: readonly Scoped[], policy: unknown): Verdict {
  if (isInvalid(packet) && node.host.enabled && !node.host.allowInvalid) return { verdict: 'drop', by: 'invalid' };
  const { datacenter, sdnSets } = node;
  for (const { rules, scope } of lists) {
    const objects = { datacenter, guest: toRuleFile(rules), sdnSets };
    const hit = firstRule(packet, objects, { applies, matches: ruleMatches }, 'forward');
    if (hit) return { verdict: hit.action === 'ACCEPT' ? 'accept' : 'drop', by: 'rule', scope, ...hit.place };
  }
  const scope = lists.at(-1)?.scope ?? 'vnet';
  return { verdict: policy === 'DROP' ? 'drop' : 'accept', by: 'policy', scope };
}

/** What the chain of a VNet does, in the table of bridges and in that of the node. */
export function evaluateVnet(packet: Packet, name: string, node: CompiledNode): Verdict {
  const file = node.vnets.get(name)?.file;
  if (file?.options.enable !== 1) return { verdict: 'accept', by: 'not-enforced' };
  return forward(packet, node, [{ rules: file.rules, scope: 'vnet' }], file.options.policy_forward);
}

/** What the node does with packets that it routes. */
function evaluateRouted(packet: Packet, node: CompiledNode): Verdict {
  const { host, datacenter } = node;
  if (!host.enabled) return { verdict: 'accept', by: 'not-enforced' };
  const lists = [
    { rules: host.file.rules, scope: 'node' },
    { rules: datacenter.rules, scope: 'datacenter' },
  ] as const;
  return forward(packet, node, lists, datacenter.options.policy_forward);
}

const isIn = (address: string, network: string): boolean => {
  const [host, range] = [addressRange(address), addressRange(network)];
  return host !== undefined && range?.family === host.family && range.first <= host.first && host.first <= range.last;
};

const getRemoteAddress = ({ direction, source, dest }: Packet) => (direction === 'in' ? source : dest);
const LINK = ['224.0.0.0/4', '255.255.255.255', 'ff00::/8', 'fe80::/10'];

/** What a packet between a guest and the other end passes, where the guest is on a VNet: bridged, to the node, or routed. */
export function evaluateGuestForwarding(packet: Packet, bridge: string | undefined, node: CompiledNode): Verdict {
  const vnet = bridge === undefined ? undefined : node.vnets.get(bridge);
  if (bridge === undefined || !vnet) return { verdict: 'accept', by: 'not-enforced' };
  const far = getRemoteAddress(packet);
  const { gateways } = vnet;
  const here = [...gateways, ...node.host.networks].some((own) => isIn(far, stripPrefixLength(own)));
  const bridged = gateways.length === 0 || LINK.some((range) => isIn(far, range));
  if (!bridged && here) {
    return node.host.enabled ? evaluateVnet(packet, bridge, node) : { verdict: 'accept', by: 'not-enforced' };
  }
  if (bridged || gateways.some((own) => isIn(far, own))) return evaluateVnet(packet, bridge, node);
  return evaluateRouted(packet, node);
}

/** What a packet between the node and the other end passes: the VNet in whose subnet the other end is. */
export function evaluateNodeForwarding(packet: Packet, node: CompiledNode): Verdict {
  const far = getRemoteAddress(packet);
  for (const [name, { gateways }] of node.vnets) {
    if (gateways.some((own) => isIn(far, own))) return evaluateVnet(packet, name, node);
  }
  return { verdict: 'accept', by: 'not-enforced' };
}

/** The decision about a packet that the node forwards. With iptables only invalid packets are dropped. */
export function evaluateForwarded(packet: Packet, vnet: string | undefined, node: CompiledNode): Verdict {
  if (node.implementation === 'nftables') {
    return vnet === undefined ? evaluateRouted(packet, node) : evaluateVnet(packet, vnet, node);
  }
  if (isInvalid(packet) && !node.host.allowInvalid) return { verdict: 'drop', by: 'invalid' };
  return { verdict: 'accept', by: 'not-enforced' };
}

import type { Builtin, ListScope, NotEnforcedReason, UnknownReason } from '@/domain/firewall/verdict';
import type { ContextReason, FlowDecider } from '@/domain/flow-context/flow-context';
import type { NamedRule } from './named-rules';

/** Why a built-in rule of the hypervisor decided. */
const BUILTIN_WORDS: Readonly<Record<Builtin, string>> = {
  established: 'It belongs to a connection that exists already.',
  invalid: 'Connection tracking finds it invalid.',
  blacklist: 'The source is in the set blacklist of the cluster.',
  smurf: 'The source is a multicast or broadcast address, which no single host can have.',
  tcp_flags: 'The node option tcpflags drops this combination of TCP flags and port.',
  vital_icmp: 'The node accepts ICMP errors before any rule.',
  dhcp: 'The guest option dhcp lets it pass.',
  dhcp_blocked: 'The guest option dhcp is off: the node drops DHCP.',
  mac_filter: 'The sender has another hardware address than the interface.',
  router_advertisement: 'The guest option radv is off: guests may not announce routers.',
  ip_filter: 'The interface may not send from this address.',
  ndp: 'The guest option ndp lets neighbour discovery pass.',
  ndp_blocked: 'The guest option ndp is off: the node drops neighbor discovery.',
  router_announced: 'The guest option radv lets it announce a router.',
  broadcast: 'It goes to many and is dropped in front of the default.',
  critical_icmp: 'ICMP that connections depend on is let through in front of the default.',
  windows_noise: 'Windows services are dropped in front of the default.',
  upnp: 'UPnP is dropped in front of the default.',
  not_syn: 'A TCP packet that opens no connection is dropped in front of the default.',
  dns_reply: 'A late DNS reply is dropped in front of the default.',
  whois: 'Ident is rejected in front of the default.',
};

const NOT_ENFORCED_WORDS: Readonly<Record<NotEnforcedReason, string>> = {
  cluster_firewall_off: 'The firewall of the cluster is off: nothing is filtered.',
  guest_firewall_off: 'The firewall of the guest is off: no rule of it is enforced.',
  nic_flag_off: 'The interface has no firewall flag: nothing is filtered there.',
};

const UNKNOWN_WORDS: Readonly<Record<UnknownReason | ContextReason, string>> = {
  unknown_cluster_firewall: 'Whether the firewall of the cluster is on could not be read.',
  unknown_guest_options: 'The options of the guest could not be read.',
  unknown_guest_rules: 'The rules of the guest could not be read.',
  unknown_nic_flag: 'Whether the interface has the firewall flag could not be read.',
  unknown_group: 'A security group that is referred to could not be read.',
  unknown_reference: 'A set or alias that decides could not be read.',
  unknown_packet_detail: 'Something about the packet that was not given decides.',
  node_cannot_compile: 'The firewall of the node cannot be compiled, so old rules are in force there.',
  unknown_inspection: 'An inspection program decides about what passes.',
  unknown_implementation:
    'Whether the node filters with iptables or nftables is not known, and they decide differently.',
  unknown_node_options: 'The firewall options of the node could not be read, and they decide.',
  unknown_node_networks: 'The networks of the node could not be read: an address may be a broadcast address.',
  unknown_forward_rules:
    'Rules for forwarded traffic (of the VNet, the node or the data center) could not be read, and they may decide.',
  unknown_route: 'Whether the node routes this traffic or bridges it within the VNet is not known, and that decides.',
  unknown_interface: 'At which interface it passed is not known, and they do not decide alike.',
  unknown_protocol: 'The protocol is not known.',
  unknown_address: 'Which addresses of the network it was is not known, and they are not treated alike.',
  unknown_opening: 'Which end opened the conversation is not known, and that decides.',
};

/** Whose list a rule or default is of, where it is not the guest's own. */
function listName({ scope, name }: ListScope): string {
  if (scope === undefined) return '';
  return scope === 'vnet' ? ` of VNet ${name}` : ` of the ${scope === 'node' ? 'node' : 'data center'}`;
}

/** Who decides, in words. @param rule the one that decides, when it is one and could be found */
export function explainDecider(by: FlowDecider, rule: NamedRule | null): string {
  switch (by.kind) {
    case 'rule': {
      const where = by.group === undefined ? `Rule ${by.position}` : `Rule ${by.group_position} of group ${by.group}`;
      const whose = rule?.policy_name ? ` of policy ${rule.policy_name}` : rule?.visibility ? ' of the platform' : '';
      return `${where}${listName(by)}${whose} decides.`;
    }
    case 'default':
      return `No rule matches: the default policy${listName(by)} decides.`;
    case 'builtin':
      return BUILTIN_WORDS[by.name];
    case 'not_enforced':
      return NOT_ENFORCED_WORDS[by.reason];
    case 'unknown':
      return UNKNOWN_WORDS[by.reason];
  }
}

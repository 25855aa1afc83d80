import type { NodeBuiltin, NodeNotEnforcedReason, NodeUnknownReason } from '@/domain/firewall/node-verdict';
import type { HostPacketVerdict } from '@/domain/host-firewall';
import { msg, type Translate } from '@/lib/i18n/translator';

type Shown = HostPacketVerdict['decided_by'];

/** Where a rule is stored. */
export const SCOPE_LABELS: Record<NonNullable<Shown['rule']>['scope'], string> = {
  data_center: msg('Data center'),
  node: msg('Node'),
  vnet: msg('VNet'),
};

/** Rules that stand in front of guests only. */
type OfGuests = 'dhcp' | 'dhcp_blocked' | 'mac_filter' | 'router_advertisement' | 'ip_filter' | 'router_announced';

const BUILTINS: Record<Exclude<NodeBuiltin, OfGuests>, string> = {
  established: msg('The connection already exists.'),
  invalid: msg('Connection tracking finds the packet invalid.'),
  blacklist: msg('The source is in the IP set blacklist of the data center.'),
  smurf: msg('The node option nosmurfs drops it because of a multicast or broadcast address.'),
  tcp_flags: msg('The node option tcpflags drops this combination of TCP flags and port.'),
  vital_icmp: msg('The node accepts ICMP errors before any rule.'),
  ndp: msg('The node option ndp accepts neighbor discovery.'),
  ndp_blocked: msg('The node option ndp is off, so neighbor discovery is dropped.'),
  broadcast: msg('Broadcasts are dropped before the default policy.'),
  critical_icmp: msg('ICMP that connections depend on is accepted before the default policy.'),
  windows_noise: msg('The node drops or rejects traffic of Windows services.'),
  upnp: msg('The node drops UPnP.'),
  not_syn: msg('A TCP packet that opens no connection is dropped before the default policy.'),
  dns_reply: msg('The node drops late DNS replies.'),
  whois: msg('Ident is rejected before the default policy.'),
  igmp: msg('The node accepts IGMP before any rule.'),
  management: msg('The node accepts cluster services (web interface, consoles, SSH) from the management network.'),
  corosync: msg('The node accepts cluster communication (corosync).'),
  conntrack_helper: msg('A connection tracking helper of the node accepts it.'),
  synflood: msg('SYN flood protection of the node drops it.'),
};

const NOT_ENFORCED: Record<NodeNotEnforcedReason, string> = {
  cluster_firewall_off: msg('The firewall of the cluster is off. Nothing is filtered.'),
  node_firewall_off: msg('The firewall of the node is off. Its own traffic is not filtered.'),
  vnet_firewall_off: msg('The firewall of the VNet is off. It filters nothing.'),
  iptables_node: msg('The node filters with iptables, which does not enforce forward rules.'),
};

/** Reasons of guests only. */
type UnreadGuest = 'unknown_guest_options' | 'unknown_guest_rules' | 'unknown_nic_flag' | 'unknown_inspection';

const UNKNOWN: Record<Exclude<NodeUnknownReason, UnreadGuest>, string> = {
  unknown_cluster_firewall: msg('Whether the firewall of the cluster is on could not be read.'),
  unknown_group: msg('A security group that rules refer to could not be read.'),
  unknown_reference: msg('An IP set or alias that decides could not be read.'),
  unknown_packet_detail: msg('A detail of the packet that was not given decides.'),
  unknown_implementation: msg('The implementation of the node is not known, and iptables and nftables differ here.'),
  unknown_node_options: msg('The firewall options of the node could not be read.'),
  unknown_node_networks: msg('The networks of the node could not be read.'),
  node_cannot_compile: msg('The firewall of the node cannot be compiled, so older rules are active.'),
  unknown_node_rules: msg('The rules of the node or data center could not be read.'),
  unknown_cluster_options: msg('The options of the data center could not be read.'),
  unknown_management_network: msg('Whether the address is in the management network is not known.'),
  unknown_corosync_links: msg('Whether the address is a link of the cluster communication (corosync) is not known.'),
  unknown_forward_rules: msg('Forward rules or options could not be read.'),
  unknown_route: msg('Whether the node routes or bridges the packet is not known.'),
};

const has = <T extends object>(labels: T, key: PropertyKey): key is keyof T => Object.hasOwn(labels, key);

/** What decides about a packet at a node, in words. */
export function hostDeciderText(t: Translate, { kind, detail, explanation, rule, group }: Shown): string {
  const name = detail ?? '';
  switch (kind) {
    case 'rule':
      if (rule === null) return explanation;
      return group === null
        ? t('Rule {position} decides.', { position: rule.position ?? 0 })
        : t('Rule {position} of group {group} decides.', { position: rule.position ?? 0, group });
    case 'default':
      return t('No rule matches. The default policy {policy} applies.', { policy: name });
    case 'builtin':
      return has(BUILTINS, name) ? t(BUILTINS[name]) : explanation;
    case 'not_enforced':
      return has(NOT_ENFORCED, name) ? t(NOT_ENFORCED[name]) : explanation;
    case 'unknown':
      return has(UNKNOWN, name) ? t(UNKNOWN[name]) : explanation;
  }
}

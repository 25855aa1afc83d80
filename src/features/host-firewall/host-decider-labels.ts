import type { NodeUnknownReason, NodeVerdict } from '@/domain/firewall/evaluate-node';
import type { HostPacketVerdict } from '@/domain/host-firewall';
import { msg, type Translate } from '@/lib/i18n/translator';

type Decider = NodeVerdict['decided_by'];
type Shown = HostPacketVerdict['decided_by'];

/** Where a rule is stored. */
export const SCOPE_LABELS: Record<NonNullable<Shown['rule']>['scope'], string> = {
  data_center: msg('Data center'),
  node: msg('Node'),
  vnet: msg('VNet'),
};

/** Rules that stand in front of guests only. */
type OfGuests =
  | 'dhcp'
  | 'dhcp_blocked'
  | 'mac_filter'
  | 'router_advertisement'
  | 'ip_filter'
  | 'ndp_blocked'
  | 'router_announced';

const BUILTINS: Record<Exclude<Extract<Decider, { kind: 'builtin' }>['name'], OfGuests>, string> = {
  established: msg('The connection already exists.'),
  invalid: msg('Connection tracking finds the packet invalid.'),
  blacklist: msg('The source is in the IP set blacklist of the data center.'),
  smurf: msg('The source is a multicast or broadcast address.'),
  tcp_flags: msg('The node option tcpflags drops this combination of TCP flags and port.'),
  vital_icmp: msg('The node accepts ICMP errors before any rule.'),
  ndp: msg('The node option ndp accepts neighbor discovery.'),
  broadcast: msg('Broadcasts are dropped before the default policy.'),
  critical_icmp: msg('ICMP that connections depend on is accepted before the default policy.'),
  windows_noise: msg('Windows services are dropped before the default policy.'),
  upnp: msg('UPnP is dropped before the default policy.'),
  not_syn: msg('A TCP packet that opens no connection is dropped before the default policy.'),
  dns_reply: msg('A late DNS reply is dropped before the default policy.'),
  whois: msg('Ident is rejected before the default policy.'),
  igmp: msg('The node accepts IGMP before any rule.'),
  management: msg('The node accepts cluster services (web interface, consoles, SSH) from the management network.'),
};

const NOT_ENFORCED: Record<Extract<Decider, { kind: 'not_enforced' }>['reason'], string> = {
  cluster_firewall_off: msg('The firewall of the cluster is off. Nothing is filtered.'),
  node_firewall_off: msg('The firewall of the node is off. Its own traffic is not filtered.'),
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
  nftables_node: msg('The node filters with nftables, which is not evaluated for its own traffic.'),
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

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

/** Rules that are evaluated for guests only. */
type OfGuests = 'dhcp' | 'dhcp_blocked' | 'mac_filter' | 'router_advertisement' | 'ip_filter' | 'router_announced';

const BUILTINS: Record<Exclude<NodeBuiltin, OfGuests>, string> = {
  established: msg('The packet belongs to an established connection.'),
  invalid: msg('Connection tracking marks the packet as invalid.'),
  blacklist: msg('The source is in the IP set blacklist of the data center.'),
  smurf: msg('The node option nosmurfs drops the packet because of a multicast or broadcast address.'),
  tcp_flags: msg('The node option tcpflags drops this combination of TCP flags and port.'),
  vital_icmp: msg('The node accepts ICMP errors before any rule.'),
  ndp: msg('The node option ndp accepts neighbor discovery.'),
  ndp_blocked: msg('The node option ndp is off, so neighbor discovery is dropped.'),
  broadcast: msg('Broadcasts are dropped before the default policy.'),
  critical_icmp: msg('ICMP required by connections is accepted before the default policy.'),
  windows_noise: msg('The node drops or rejects traffic of Windows services.'),
  upnp: msg('The node drops UPnP.'),
  not_syn: msg('A TCP packet that opens no connection is dropped before the default policy.'),
  dns_reply: msg('The node drops late DNS replies.'),
  whois: msg('Ident is rejected before the default policy.'),
  igmp: msg('The node accepts IGMP before any rule.'),
  management: msg('The node accepts cluster services (web interface, consoles, SSH) from the management network.'),
  corosync: msg('The node accepts cluster communication (corosync).'),
  conntrack_helper: msg('A connection tracking helper on the node accepts the packet.'),
  synflood: msg("The node's SYN flood protection drops the packet."),
};

const NOT_ENFORCED: Record<NodeNotEnforcedReason, string> = {
  cluster_firewall_off: msg('The cluster firewall is off. Nothing is filtered.'),
  node_firewall_off: msg("The node's firewall is off. The node's own traffic is not filtered."),
  vnet_firewall_off: msg("The VNet's firewall is off and filters nothing."),
  iptables_node: msg('The node uses iptables, which does not enforce forward rules.'),
};

/** Reasons of guests only. */
type UnreadGuest = 'unknown_guest_options' | 'unknown_guest_rules' | 'unknown_nic_flag' | 'unknown_inspection';

const UNKNOWN: Record<Exclude<NodeUnknownReason, UnreadGuest>, string> = {
  unknown_cluster_firewall: msg('Could not read whether the cluster firewall is on.'),
  unknown_group: msg('Could not read a PVE security group that rules refer to.'),
  unknown_reference: msg('Could not read an IP set or alias that the result depends on.'),
  unknown_packet_detail: msg('The result depends on a packet detail that was not specified.'),
  unknown_implementation: msg(
    "The node's firewall implementation is unknown, and iptables and nftables give different results here.",
  ),
  unknown_node_options: msg("Could not read the node's firewall options."),
  unknown_node_networks: msg("Could not read the node's networks."),
  node_cannot_compile: msg("The node's firewall cannot be compiled, so older rules are active."),
  group_cannot_compile: msg(
    'iptables cannot load a rule of a PVE security group that is used here. Correct or remove the rule.',
  ),
  unknown_node_rules: msg('Could not read the node or data center rules.'),
  unknown_cluster_options: msg('Could not read the data center options.'),
  unknown_management_network: msg('It is not known whether the address is in the management network.'),
  unknown_corosync_links: msg('It is not known whether the address is a link of the cluster communication (corosync).'),
  unknown_forward_rules: msg('Could not read forward rules or options.'),
  unknown_route: msg('It is not known whether the node routes or bridges the packet.'),
};

const has = <T extends object>(labels: T, key: PropertyKey): key is keyof T => Object.hasOwn(labels, key);

/** What decides a packet at a node, as text. */
export function hostDeciderText(t: Translate, { kind, detail, explanation, rule, group }: Shown): string {
  const name = detail ?? '';
  switch (kind) {
    case 'rule':
      if (rule === null) return explanation;
      return group === null
        ? t('The rule at position {position} matches.', { position: rule.position ?? 0 })
        : t('The rule at position {position} of PVE security group {group} matches.', {
            position: rule.position ?? 0,
            group,
          });
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

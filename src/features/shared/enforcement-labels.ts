import type { EscapeReason } from '@/domain/enforcement-chain/escaped';
import type { ChainLink, Fix } from '@/domain/enforcement-chain/link-details';
import { msg } from '@/lib/i18n/translator';

export const LINK_LABELS: Record<ChainLink, string> = {
  cluster_firewall: msg('Cluster firewall'),
  firewall_service: msg('Firewall service of the node'),
  guest_firewall: msg('Guest firewall'),
  nic_flag: msg('Firewall flag'),
  firewall_bridge: msg('Firewall bridge'),
  bridge_netfilter: msg('Bridge netfilter'),
  ruleset_compiled: msg('Rules loaded'),
  ruleset_current: msg('Last edit loaded'),
  default_policy: msg('Inbound default policy'),
  open_connections: msg('Open connections'),
};

/**
 * Why a conversation probably passed although rules deny it. What the firewall log says and what a broken link explains are evidence;
 * the others are what is left.
 */
export const ESCAPE_LABELS: Record<EscapeReason, string> = {
  broken_link: msg('Broken link'),
  older_connection: msg('Older than the rules'),
  log_disagrees: msg('Log and rules mismatch'),
  not_explained: msg('Not explained'),
};

/** A sentence for each: what it means, and what to do. */
export const ESCAPE_MEANINGS: Record<EscapeReason, string> = {
  broken_link: msg('A link between the rules and the interface was broken.'),
  older_connection: msg('The connection is older than the rules that deny it.'),
  log_disagrees: msg('The firewall log says that it was accepted.'),
  not_explained: msg('No broken link was found, and the log has nothing about it.'),
};

/** What to do about it. */
export const FIX_LABELS: Record<Fix, string> = {
  apply_policies: msg('Apply an enforced policy to the workload; its preview shows the switches that it turns on.'),
  turn_on_cluster: msg('Turn on the firewall in Proxmox VE: Datacenter, Firewall, Options. Fabric never does this.'),
  start_service: msg(
    'Start the service on the node: systemctl start pve-firewall (iptables) or proxmox-firewall (nftables).',
  ),
  restart_workload: msg('Stop and start the workload, or turn the firewall flag of the interface off and on.'),
  set_sysctl: msg(
    'Set net.bridge.bridge-nf-call-iptables and net.bridge.bridge-nf-call-ip6tables to 1 on the node, and find what sets them to 0.',
  ),
  correct_rule: msg('Correct what cannot be compiled. The page of the node names it.'),
  check_service: msg(
    'Read the log of the firewall service on the node: journalctl -u pve-firewall -u proxmox-firewall.',
  ),
  deny_by_default: msg('Apply a policy that drops by default, or set the inbound policy of the workload to DROP.'),
  remove_rule: msg('Remove or narrow the rule that accepts everything.'),
  close_connections: msg('Restart the workload, or run on the node: conntrack -D --mark VMID.'),
  install_agent: msg('Install the agent on the node.'),
  restart_agent: msg('Check the agent of the node. It does not report.'),
  upgrade_agent: msg('Upgrade the agent of the node to 0.4.0 or later.'),
  check_token: msg('Check the connection to the cluster and the privileges of its API token.'),
  check_agent: msg('Run fabric-agent doctor on the node to see what the agent cannot read.'),
  check_host_option: msg('Compare the nftables option of the node with the services that run on it.'),
  wait: msg('Wait for the next report of the agent.'),
  compare_rules: msg(
    'Compare the log with the live rules of the workload and of its node: another rule accepted the connection.',
  ),
  test_packet: msg(
    'Test the packet on the tab Firewall of the workload. If it is denied there, run fabric-agent doctor on the node.',
  ),
};

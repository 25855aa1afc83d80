import type { EscapeReason } from '@/domain/enforcement-chain/escaped';
import type { ChainLink } from '@/domain/enforcement-chain/link-details';
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

import type { TimelineKind } from '@/domain/timeline';
import { msg } from '@/lib/i18n/translator';

/** What an event of a workload is called. */
export const TIMELINE_LABELS: Record<TimelineKind, string> = {
  workload_added: msg('Found in a sync'),
  workload_changed: msg('Workload changed'),
  interface_added: msg('Interface added'),
  interface_changed: msg('Interface changed'),
  interface_removed: msg('Interface removed'),
  address_assigned: msg('Address assigned'),
  address_released: msg('Address released'),
  group_joined: msg('Added to group'),
  group_left: msg('Removed from group'),
  group_joined_by_tag: msg('Joined group by tag'),
  group_left_by_tag: msg('Left group by tag'),
  policy_saved: msg('Policy saved'),
  deployment: msg('Policy written'),
  change_step: msg('Change'),
  drift_found: msg('Drift found'),
  drift_resolved: msg('Drift resolved'),
  rules_read: msg('Rules or switches changed'),
  cluster_rules_read: msg('Cluster firewall changed'),
  hypervisor_edit: msg('Edited on the hypervisor'),
  agent_gap: msg('Not observed by any agent'),
  first_traffic: msg('First traffic'),
  last_traffic: msg('Last traffic'),
  escaped_traffic: msg('Escaped traffic'),
};

/** Kinds that a person would look into. */
export const WARNING_KINDS: readonly TimelineKind[] = [
  'drift_found',
  'hypervisor_edit',
  'agent_gap',
  'escaped_traffic',
];

/** Fields of the inventory; options of the hypervisor's firewall keep its names. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  name: msg('Name'),
  status: msg('Status'),
  tags: msg('Tags'),
  group_tags: msg('Tags of the group'),
  pool: msg('Pool'),
  template: msg('Template'),
  missing: msg('Missing in the cluster'),
  node: msg('Node'),
  project: msg('Project'),
  mac: msg('MAC address'),
  bridge: msg('Bridge'),
  vlan_tag: msg('VLAN'),
  firewall: msg('Firewall flag'),
  link_down: msg('Link down'),
  ip_config: msg('IP configuration'),
  network: msg('Network'),
  rules: msg('Rules'),
};

/** What was edited, as access logs of nodes name it. */
export const EDITED_LABELS: Readonly<Record<string, string>> = {
  guest_firewall: msg('Firewall of the workload'),
  guest_config: msg('Configuration of the workload'),
};

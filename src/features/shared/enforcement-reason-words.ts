import type { NotEnforcedReason, UnknownReason } from '@/domain/firewall/verdict';

/** Why rules of an interface do not count, or why nobody knows whether they do. */
export const ENFORCEMENT_REASON_WORDS: Record<NotEnforcedReason | UnknownReason, string> = {
  cluster_firewall_off: 'the firewall of the cluster is off',
  guest_firewall_off: 'the firewall of the guest is off',
  nic_flag_off: 'its firewall flag is off',
  unknown_cluster_firewall: 'the firewall of the cluster could not be read',
  unknown_guest_options: 'the options of the guest could not be read',
  unknown_guest_rules: 'the rules of the guest could not be read',
  unknown_nic_flag: 'its firewall flag could not be read',
  unknown_group: 'a group could not be read',
  unknown_reference: 'a set or alias could not be read',
  unknown_packet_detail: 'a detail of the packet is not known',
  unknown_inspection: 'an inspection outside of the firewall decides',
};

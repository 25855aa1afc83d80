import type { z } from 'zod';
import type { NotEnforcedReason, UnknownReason } from '@/domain/firewall/verdict';
import type { InterfaceEnforcement } from '@/domain/policy-guests';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { ProtectionState } from './inventory-states';

type Interface = z.output<typeof InterfaceEnforcement>;

/** What each interface does with packets that match no rule; where its firewall is off or unknown, why. */
export function InterfaceEnforcementList({ interfaces }: { interfaces: readonly Interface[] }) {
  const t = useT();
  return (
    <ul aria-label={t('Interfaces')} className="flex flex-col gap-1">
      {interfaces.map(({ name, protection, reasons }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-2">
          <span className="mono">{name}</span>
          <ProtectionState protection={protection} />
          {reasons.length > 0 && (
            <span className="text-muted">
              {reasons.map((reason) => t(ENFORCEMENT_REASON_LABELS[reason])).join(', ')}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Why rules of an interface have no effect, or why it is unknown whether they do. */
const ENFORCEMENT_REASON_LABELS: Record<NotEnforcedReason | UnknownReason, string> = {
  cluster_firewall_off: msg('the cluster firewall is off'),
  guest_firewall_off: msg('the guest firewall is off'),
  nic_flag_off: msg('its firewall flag is off'),
  unknown_cluster_firewall: msg('the cluster firewall could not be read'),
  unknown_guest_options: msg('the firewall options of the workload could not be read'),
  unknown_guest_rules: msg('the rules of the workload could not be read'),
  unknown_nic_flag: msg('its firewall flag could not be read'),
  unknown_group: msg('a PVE security group could not be read'),
  unknown_reference: msg('an IP set or alias could not be read'),
  unknown_packet_detail: msg('a packet detail is unknown'),
  node_cannot_compile: msg('the node keeps old rules because its firewall cannot be compiled'),
  group_cannot_compile: msg('iptables cannot load a rule of its PVE security groups, so it may be unfiltered'),
  unknown_inspection: msg('decided by an inspection outside the firewall'),
  unknown_implementation: msg('the firewall implementation of the node is unknown'),
  unknown_node_options: msg('the firewall options of the node could not be read'),
  unknown_node_networks: msg('the networks of the node could not be read'),
  unknown_forward_rules: msg('the rules for forwarded traffic could not be read'),
  unknown_route: msg('whether the node routes the traffic is unknown'),
};

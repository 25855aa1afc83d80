import type { z } from 'zod';
import type { NotEnforcedReason, UnknownReason } from '@/domain/firewall/verdict';
import type { InterfaceEnforcement } from '@/domain/policy-guests';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { ProtectionState } from './inventory-states';

type Interface = z.output<typeof InterfaceEnforcement>;

/** What each network card does with packets that no rule is about; where its firewall is off or unknown, why. */
export function InterfaceEnforcementList({ interfaces }: { interfaces: readonly Interface[] }) {
  const t = useT();
  return (
    <ul aria-label={t('Network cards')} className="flex flex-col gap-1">
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

/** Why rules of an interface do not count, or why nobody knows whether they do. */
const ENFORCEMENT_REASON_LABELS: Record<NotEnforcedReason | UnknownReason, string> = {
  cluster_firewall_off: msg('the firewall of the cluster is off'),
  guest_firewall_off: msg('the firewall of the guest is off'),
  nic_flag_off: msg('its firewall flag is off'),
  unknown_cluster_firewall: msg('the firewall of the cluster could not be read'),
  unknown_guest_options: msg('the options of the guest could not be read'),
  unknown_guest_rules: msg('the rules of the guest could not be read'),
  unknown_nic_flag: msg('its firewall flag could not be read'),
  unknown_group: msg('a group could not be read'),
  unknown_reference: msg('a set or alias could not be read'),
  unknown_packet_detail: msg('a detail of the packet is not known'),
  node_cannot_compile: msg('the node keeps old rules because its firewall cannot be compiled'),
  unknown_inspection: msg('an inspection outside of the firewall decides'),
  unknown_implementation: msg('the firewall implementation of the node is not known'),
  unknown_node_options: msg('the firewall options of the node could not be read'),
  unknown_node_networks: msg('the networks of the node could not be read'),
  unknown_forward_rules: msg('rules for forwarded traffic could not be read'),
  unknown_route: msg('whether the node routes the traffic is not known'),
};

import type { HostFirewallRule } from '@/domain/host-firewall';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Status, type Tone } from '@/ui/status';

/** Whether a rule of a data center, node or VNet filters anything. */
const HOST_RULE_STATES: Record<HostFirewallRule['status'], { tone: Tone; label: string }> = {
  enforced: { tone: 'ok', label: msg('Enforced') },
  partly_enforced: { tone: 'warn', label: msg('On some nodes') },
  not_enforced: { tone: 'warn', label: msg('Not enforced') },
  disabled: { tone: 'off', label: msg('Disabled') },
  invalid: { tone: 'danger', label: msg('Invalid, skipped') },
  unknown: { tone: 'unknown', label: msg('Unknown') },
};

/** Why it does not, not everywhere, or why that is not known. */
const HOST_RULE_REASON_LABELS: Record<NonNullable<HostFirewallRule['status_reason']>, string> = {
  cluster_firewall_off: msg('the cluster firewall is off'),
  node_firewall_off: msg('the node firewall is off'),
  vnet_firewall_off: msg('the VNet firewall is off'),
  iptables: msg('requires nftables, but the node uses iptables'),
  direction: msg('VNets filter forwarded traffic only'),
  group_missing: msg('the PVE security group does not exist'),
  unknown_cluster_firewall: msg('the cluster firewall could not be read'),
  unknown_node_options: msg('the firewall options of the node could not be read'),
  unknown_vnet_options: msg('the firewall options of the VNet could not be read'),
  unknown_implementation: msg('the firewall implementation of the node is unknown'),
  unknown_group: msg('a PVE security group could not be read'),
  node_cannot_compile: msg('the node keeps old rules because its firewall cannot be compiled'),
};

/** Built-in steps of a node in front of its workloads. */
export const FRONT_STEP_LABELS = {
  vital_icmp: msg('ICMP errors are accepted'),
  invalid: msg('Invalid packets are dropped'),
  blacklist: msg('Traffic from blacklisted sources is dropped'),
  smurf: msg('Smurf packets are dropped'),
  tcp_flags: msg('Packets with impossible TCP flags are dropped'),
} as const;

type Props = { rule: Pick<HostFirewallRule, 'status' | 'status_reason' | 'errors'> };

/** Whether a rule filters anything, and why not. */
export function HostRuleState({ rule: { status, status_reason: reason, errors } }: Props) {
  const t = useT();
  const { tone, label } = HOST_RULE_STATES[status];
  const why = errors ? Object.values(errors).join(' ') : reason && t(HOST_RULE_REASON_LABELS[reason]);
  return (
    <span className="inline-flex min-w-0 flex-wrap items-baseline gap-x-1.5" title={why ?? undefined}>
      <Status tone={tone}>{t(label)}</Status>
      {why && <span className="text-muted">{why}</span>}
    </span>
  );
}

import type { CompileFailure } from './compile-failure';

/**
 * Where the failure is stored: `rule at position 3 of workload web-03`, `rule at position 1 of PVE security group web`.
 * @param workload name of the workload it is stored for, in that case
 */
export function formatFailurePlace(failure: CompileFailure, workload: string | null): string {
  const item =
    failure.nic ??
    (failure.set === undefined ? `rule at position ${failure.position ?? '?'}` : `IP set ${failure.set}`);
  if (failure.scope === 'guest') return `${item} of workload ${workload ?? failure.vmid ?? '?'}`;
  if (failure.scope === 'group') return `${item} of PVE security group ${failure.group ?? '?'}`;
  return failure.scope === 'node' ? `${item} of the node` : `${item} of the data center`;
}

/** What is wrong with it and how to fix it, in one sentence each. */
export function formatFailureReason({ reason, detail }: CompileFailure): string {
  const [protocol = '', name = ''] = detail.split('/');
  switch (reason) {
    case 'service_without_protocol':
      return `${protocol} has no service named ${name}. Use the port number.`;
    case 'ports_not_supported':
      return `iptables cannot match a single port of ${protocol}. Use a list of two ports or remove the port.`;
    case 'too_many_ports':
      return `iptables takes at most 15 ports in a list, ranges count as two, and this list has ${name}. Use two rules.`;
    case 'address_refused':
      return `iptables cannot read the address ${detail}. Write its numbers without leading zeros.`;
    case 'set_entry_covers_everything':
      return `${detail} covers all addresses, which an IP set cannot contain. Use two halves, such as 0.0.0.0/1 and 128.0.0.0/1.`;
    case 'set_entry_repeated':
      return `${detail} is the same prefix as another entry of the set. Remove one of them.`;
    case 'group_missing':
      return `there is no PVE security group ${detail}. Create the group or remove the rule.`;
    case 'set_alias_missing':
      return `there is no alias ${detail}. Create the alias or remove the entry.`;
    case 'icmp_type_unknown':
      return `proxmox-firewall does not know the ICMP type ${detail}. Remove the type.`;
    case 'address_families_differ':
      return `source and destination have different IP versions (${detail}). Use two rules.`;
    case 'address_unreadable':
      return `proxmox-firewall cannot read the address ${detail}. Use four decimal numbers without leading zeros, and a prefix length instead of a mask.`;
    case 'set_not_loaded':
      return `proxmox-firewall does not load the IP set ${detail} of a workload, so no rule can use it. Use a set with another name.`;
    case 'nic_model_unknown':
      return `proxmox-firewall does not know the NIC model ${detail}. Use virtio, e1000, rtl8139 or vmxnet3.`;
    case 'nic_not_supported':
      return 'proxmox-firewall supports interfaces up to net30 only. Use another number.';
  }
}

/** The whole message for a node; `others` further failures are only counted. */
export function formatCompileFailures(
  nodeName: string,
  failures: readonly CompileFailure[],
  nameOf: (vmid: number) => string | null = () => null,
): string {
  const [first] = failures;
  if (!first) return '';
  const place = formatFailurePlace(first, first.vmid === undefined ? null : nameOf(first.vmid));
  const others = failures.length - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  return `The firewall of node ${nodeName} cannot compile: ${place}: ${formatFailureReason(first)}${more} Until then the node keeps its old rules for every workload.`;
}

import { type CompileFailure, compileFailuresOf, guestCompileFailures } from '@/domain/firewall/compile-failure';
import { compileFailurePlace, compileFailureReason } from '@/domain/firewall/compile-failure-text';
import { liveNode } from '@/domain/firewall/live-state';
import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import type { GuestPreview } from '@/domain/policy-preview';
import type { WorldWorkload } from '../../queries/policy-world';

type Guest = { readonly workload: WorldWorkload; readonly preview: GuestPreview; readonly state: GuestSnapshot };

const nodeOf = ({ workload }: Guest, cluster: ClusterSnapshot) =>
  liveNode(cluster, workload.node_name, workload.nftables);

/** Whether the node keeps old rules in force, whatever is written. */
export const isNodeFailing = (guest: Guest, cluster: ClusterSnapshot): boolean =>
  nodeOf(guest, cluster)?.compile_failure !== undefined;

/** What is stored on the guest and would stop the compile of its node once the switches are turned. */
export function failuresWhenSwitched(guest: Guest, cluster: ClusterSnapshot): readonly CompileFailure[] {
  const { option_changes } = guest.preview;
  if (option_changes.length === 0 || isNodeFailing(guest, cluster)) return [];
  const on = option_changes.some(
    ({ kind, name, after }) => kind === 'guest_option' && name === 'enable' && after === '1',
  );
  const flags = new Set(
    option_changes.flatMap(({ kind, name, after }) => (kind === 'nic_flag' && after === '1' ? name : [])),
  );
  const { options, nics } = guest.state;
  const after = {
    ...guest.state,
    options: options && (on ? { ...options, enable: 1 } : options),
    nics: nics?.map((nic) => (flags.has(nic.name) ? { ...nic, firewall: true } : nic)) ?? null,
  };
  const ofGuest = guestCompileFailures(cluster, guest.workload.vmid, after);
  return compileFailuresOf(cluster, nodeOf(guest, cluster), ofGuest).failures;
}

/** The first failure with place and remedy. What belongs to other workloads of the node is not described. */
export function describeFailures(guests: readonly Guest[], cluster: ClusterSnapshot): string {
  for (const guest of guests) {
    const { name, vmid } = guest.workload;
    const failures = nodeOf(guest, cluster)?.compile_failure?.failures ?? failuresWhenSwitched(guest, cluster);
    const known = failures.find((failure) => failure.scope !== 'guest' || failure.vmid === vmid);
    if (known) return `${compileFailurePlace(known, name)}: ${compileFailureReason(known)}`;
  }
  return '';
}

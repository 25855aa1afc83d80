import { type Severity, severityOf } from '@/domain/dashboard/sensitive-ports';
import { contextOf } from '@/domain/flow-context/context-of';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import type { SuspiciousEnds } from '../../repositories/suspicious-flows';

/** What became of flows, and which entry of the dashboard they belong to. */
export type Judged = {
  readonly decision: string;
  readonly severity: Severity;
  /** The same for flows of one entry. */
  readonly key: string;
};

function decisionAt(guest: GuestContext, ends: SuspiciousEnds): string {
  const { source_ip, destination_ip, protocol, source_port, port, nic, decision } = ends;
  const workload_id = nic === null ? null : guest.workload_id;
  const flow = { source_ip, destination_ip, protocol, source_port, destination_port: port, decision };
  return contextOf(guest, { ...flow, initiator: 'source', workload_id, nic }, 'destination').decision;
}

/** What became of flows: at the guest that was called by what its rules say now; without a guest as the agents saw it. */
export function judgeSuspicious(ends: SuspiciousEnds, guest: GuestContext | null): Judged {
  const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol } = ends;
  const decision = guest ? decisionAt(guest, ends) : ends.decision;
  return {
    decision,
    severity: severityOf(port, decision),
    key: [cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol, decision].join(' '),
  };
}

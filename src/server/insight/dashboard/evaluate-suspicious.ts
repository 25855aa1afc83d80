import { computeSeverity, type Severity } from '@/domain/dashboard/sensitive-ports';
import { computeFlowContext } from '@/domain/flow-context/compute-flow-context';
import type { FlowContext } from '@/domain/flow-context/flow-context';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import { observedAction } from '@/domain/flow-verdict';
import { type SummedVerdict, toSummedVerdict } from '@/domain/summed-verdict';
import type { ContextView } from '../../enforcement/verdicts/describe-context';
import type { SuspiciousEnds } from '../../traffic/storage/suspicious-row';
import { ANSWERED_STATE } from '../flows/conversation-verdicts';
import { combineEnds, toEndSays } from '../flows/flow-verdicts';

/** What became of flows, and which entry of the dashboard they belong to. */
export type SuspiciousVerdict = {
  readonly decision: string;
  readonly severity: Severity;
  /** The same for flows of one entry. */
  readonly key: string;
  /** What was observed and what the rules say; flows of one entry may differ in it. */
  readonly verdict: SummedVerdict;
};

/** A guest that was reached, and how its rules are described; null: they may not be shown. */
export type ReachedGuest = {
  readonly context: GuestContext;
  readonly read_at: string | null;
  readonly view: ((found: FlowContext) => ContextView) | null;
};

function contextAt(guest: GuestContext, ends: SuspiciousEnds): FlowContext {
  const { source_ip, destination_ip, protocol, source_port, port, nic, decision } = ends;
  const workload_id = nic === null ? null : guest.workload_id;
  const flow = { source_ip, destination_ip, protocol, source_port, destination_port: port, decision };
  return computeFlowContext(guest, { ...flow, initiator: 'source', workload_id, nic }, 'destination');
}

/** Nothing shows whether it passed: there is no reply, no log entry, and the workload was removed or moved to another tenant, so no rules are evaluated. */
const isOutcomeLost = ({ destination_workload_id, decision, answered }: SuspiciousEnds, guest: ReachedGuest | null) =>
  guest === null && destination_workload_id !== null && decision === 'observed' && !answered;

/** What became of flows: at the guest that was called by what its rules say now; without a guest as the agents saw it. */
export function evaluateSuspicious(ends: SuspiciousEnds, guest: ReachedGuest | null): SuspiciousVerdict {
  const { cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol, answered } = ends;
  const found = guest && contextAt(guest.context, ends);
  const decision = found?.decision ?? ends.decision;
  const view = found && guest.view?.(found);
  const action = observedAction({ decision: ends.decision, state: answered ? ANSWERED_STATE : null });
  const reported = view ? [toEndSays({ ...view, id: guest.context.workload_id, read_at: guest.read_at })] : [];
  const severity = isOutcomeLost(ends, guest) ? 'medium' : computeSeverity(port, decision);
  return {
    decision,
    severity,
    key: [cluster_id, source_ip, destination_ip, destination_workload_id, port, protocol, decision, severity].join(' '),
    verdict: toSummedVerdict(combineEnds(action, reported)),
  };
}

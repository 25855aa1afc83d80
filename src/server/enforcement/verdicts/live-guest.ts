import { listNodeNotes } from '@/domain/firewall/snapshot';
import type { GuestContext } from '@/domain/flow-context/guest-context';
import type { Reach } from '@/domain/permissions';
import { clock } from '../../lib/clock';
import { readGuestLive } from '../guest-firewall/read-guest-live';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { PolicyInputs } from '../policies/policy-inputs';
import type { InputWorkload } from '../queries/policy-inputs';
import { buildGuestContext, guestContext } from './guest-context';

/** A guest ready for `computeFlowContext`, with what its verdicts are explained by. */
export type LiveGuestContext = {
  readonly guest: GuestContext;
  readonly inputs: PolicyInputs;
  readonly workload: InputWorkload;
  readonly reach: Reach;
  readonly read_at: string;
};

/** Pages of one list are evaluated against one snapshot, as long as it is not older than this. */
const RECENT_MS = 60_000;

/**
 * The guest as it is now. The caller must be permitted to see its rules.
 * @throws AppError `not_found`, also for a workload not visible to the caller
 */
export async function readLiveContext(reach: Reach, workloadId: string) {
  const live = await readGuestLive(reach, workloadId);
  const { inputs } = live.firewall;
  const read = { guest: live.snapshot.state, cluster: live.cluster };
  const context: LiveGuestContext = {
    guest: buildGuestContext(inputs, live.workload, read, reach),
    inputs,
    workload: live.workload,
    reach,
    read_at: live.read_at,
  };
  const notes = listNodeNotes(live.workload.node_name, live.cluster);
  return { ...context, unreadable: [...live.snapshot.state.unreadable, ...notes] };
}

/** The guest as it was read a moment ago, else as it is now. For visible workloads. @throws as `readLiveContext` */
export async function readRecentContext(reach: Reach, workloadId: string): Promise<LiveGuestContext> {
  const firewall = await readFirewallState();
  const read_at = firewall.readAt([workloadId]);
  const workload = firewall.inputs.workloads.get(workloadId);
  const guest = guestContext(firewall, workloadId, reach);
  const age = read_at ? clock.now().getTime() - Date.parse(read_at) : Number.POSITIVE_INFINITY;
  if (!read_at || !workload || !guest || age > RECENT_MS) return readLiveContext(reach, workloadId);
  return { guest, inputs: firewall.inputs, workload, reach, read_at };
}

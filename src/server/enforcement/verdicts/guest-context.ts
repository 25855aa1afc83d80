import type { ClusterSnapshot, GuestSnapshot } from '@/domain/firewall/snapshot';
import { type GuestContext, prepareGuestContext } from '@/domain/flow-context/guest-context';
import { isVisibleAt, type Reach } from '@/domain/permissions';
import { cache } from '../../lib/cache';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { findMetCluster } from '../policies/firewall-state/met-cluster';
import { toLiveState } from '../policies/firewall-state/views';
import { isSameWithoutEffect, type PolicyInputs } from '../policies/policy-inputs';
import type { InputWorkload } from '../queries/policy-inputs';
import { listAuditPolicies, loadAuditPlacements } from './audit-policies';

type Sources = {
  readonly workload: InputWorkload;
  /** What policies in audit mode would put there. */
  readonly audited: unknown;
  readonly guest: GuestSnapshot | null;
  readonly cluster: ClusterSnapshot | null;
};

/**
 * Indexes hold one bit per rule for each value that rules distinguish: they grow with the square of the number of
 * rules.
 */
const estimateBytes = ({ state, audit }: GuestContext) => {
  const rules = (state.guest.rules?.length ?? 0) + audit.reduce((sum, policy) => sum + policy.rules.length, 0);
  return 4096 + 512 * rules + 2 * rules * rules;
};

/** Guests made ready; what a reader may not see of them is left out afterwards. */
const prepared = cache<GuestContext, Sources>({
  name: 'guest_contexts',
  maxBytes: 64 * 1024 * 1024,
  bytesOf: estimateBytes,
  isFresh: (kept, asked) =>
    isSameWithoutEffect(kept.workload, asked.workload) &&
    kept.audited === asked.audited &&
    kept.guest === asked.guest &&
    kept.cluster === asked.cluster,
});

/**
 * Policies not visible to the reader are left out: those of other tenants, and for a tenant's users those of the
 * platform.
 */
function limitToReach(context: GuestContext, workload: InputWorkload, reach: Reach): GuestContext {
  if (reach === 'all' || context.audit.length === 0) return context;
  return { ...context, audit: context.audit.filter((policy) => isVisibleAt(policy, workload, reach)) };
}

/**
 * A guest made ready for `computeFlowContext` from what was read of it; kept until the snapshot, the workload or what audited policies would
 * put there changes.
 */
export function buildGuestContext(
  inputs: PolicyInputs,
  workload: InputWorkload,
  read: { guest: GuestSnapshot | null; cluster: ClusterSnapshot | null },
  reach: Reach,
): GuestContext {
  const { guest, cluster } = read;
  const audited = loadAuditPlacements(inputs).get(workload.id);
  const context = prepared.load(workload.id, { workload, audited, guest, cluster }, () =>
    prepareGuestContext({
      workload_id: workload.id,
      state: toLiveState(workload, guest, cluster),
      nics: guest?.nics ?? null,
      audit: listAuditPolicies(inputs, workload.id),
    }),
  );
  return limitToReach(context, workload, reach);
}

/**
 * A guest prepared for `computeFlowContext` from what was last read of it; no cluster is contacted. Without a snapshot
 * everything is unknown. Null for a workload that does not exist. The caller has to check whether the reader may see
 * the workload; `reach` only determines which policies in audit mode are reported.
 */
export function guestContext(firewall: FirewallState, workloadId: string, reach: Reach = 'all'): GuestContext | null {
  const workload = firewall.inputs.workloads.get(workloadId);
  if (!workload) return null;
  const guest = firewall.snapshots.guests.get(workloadId)?.state ?? null;
  const cluster = findMetCluster(firewall.snapshots, workload);
  return buildGuestContext(firewall.inputs, workload, { guest, cluster }, reach);
}

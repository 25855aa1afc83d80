import { createHash } from 'node:crypto';
import { type FoundDrift, findDrift } from '@/domain/drift/find-drift';
import { actsOn } from '@/domain/policy/acts-on';
import { diffGuest } from '@/domain/policy/compare-rules';
import { parseMarker } from '@/domain/policy/marker';
import type { GuestView } from '@/domain/policy/status';
import { comparePolicies } from '@/domain/policy/tier';
import type { TimedGuest } from '../../guest-firewall/live-reader';
import type { DriftKey } from '../../queries/drifts';
import type { AppliedPolicy } from '../../queries/policy-placements';
import { type PolicyInputs, policiesById } from '../policy-inputs';

/** By policy and workload: the differences that are accepted there, and what was last applied at the workload. */
export type AcceptedDrift = ReadonlyMap<
  string,
  { readonly differences: readonly (DriftKey & { hash: string })[]; readonly applied: readonly AppliedPolicy[] }
>;

/** Identifies the live content that someone accepts: other content is not accepted. */
export const hashLive = (live: string | null): string =>
  createHash('sha256')
    .update(live ?? '')
    .digest('base64url');

/** What the comparison needs of the firewall state. */
type ReadState = {
  readonly inputs: PolicyInputs;
  readonly snapshots: { readonly guests: ReadonlyMap<string, TimedGuest> };
  viewAt(workloadId: string): GuestView | null;
  wasAppliedAbove(above: string, below: string, workloadId: string): boolean;
};

/**
 * The differences of every policy that was applied at a workload, or of which something is live there. Null: not known,
 * because the policy is being applied, or the workload was not read since.
 * @param applied what was last applied at the workload, of every policy
 */
export function compareDrift(
  firewall: ReadState,
  workloadId: string,
  applied: readonly AppliedPolicy[],
): Map<string, FoundDrift | null> {
  const { inputs } = firewall;
  const workload = inputs.workloads.get(workloadId);
  const view = firewall.viewAt(workloadId);
  const read = firewall.snapshots.guests.get(workloadId);
  const found = new Map<string, FoundDrift | null>();
  if (!workload || !view) return found;
  const known = policiesById(inputs.policies);
  const rules = read?.state.rules ?? null;
  const placement = inputs.clusters.get(workload.cluster_id)?.rule_placement ?? 'above';
  const ranked = applied
    .map((row) => ({ ...row, id: row.policy_id, created_at: known.get(row.policy_id)?.created_at ?? '' }))
    .sort(comparePolicies);
  const options = { instance: inputs.instance, vmid: workload.vmid, placement };
  const desired = ranked.flatMap((row) => row.rules);
  const applied_diff = rules && diffGuest(desired, rules, options);
  const live = (rules ?? []).flatMap(({ comment }) => parseMarker(comment)?.policy_id ?? []);
  for (const id of new Set([...applied.map(({ policy_id }) => policy_id), ...live])) {
    const policy = known.get(id);
    // What is left of a policy that may not act here any more, or is deleted, is removed, not compared.
    if (!policy || !actsOn(policy, workload)) continue;
    const row = applied.find(({ policy_id }) => policy_id === id) ?? null;
    const isBefore = row?.applied_at && read && Date.parse(read.read_at) < Date.parse(row.applied_at);
    if (!read || row?.applied_at === null || isBefore) {
      found.set(id, null);
      continue;
    }
    found.set(
      id,
      findDrift({
        policy,
        view,
        applied_diff,
        applied: row,
        sets: read.state.ipsets,
        placement,
        isAppliedOrder: (_, { above, below }) => firewall.wasAppliedAbove(above, below, workloadId),
      }),
    );
  }
  return found;
}

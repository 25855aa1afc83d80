import { computeLayout } from '@/domain/policy/plan/layout';
import { leftOnNotes } from '@/domain/policy/plan/left-on';
import { planGuest } from '@/domain/policy/plan/plan-guest';
import { computeRestoration } from '@/domain/policy/plan/restoration';
import { switchChanges } from '@/domain/policy/plan/switch-changes';
import type { CleanupGuest, CleanupPreview } from '@/domain/policy-preview';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import { notFound } from '../../../lib/refusals';
import { intentFor, toUntouchedRow } from '../../deployments/guest-work';
import { readLive, type TimedGuest } from '../../guest-firewall/live-reader';
import { toGuestFilter } from '../../guest-firewall/read-guest-live';
import { listOrigins } from '../../queries/guest-firewalls';
import { findPolicy } from '../../queries/policies';
import type { InputWorkload } from '../../queries/policy-inputs';
import { listAppliedAt } from '../../queries/policy-placements';
import { readFirewallState } from '../firewall-state/read-firewall-state';
import { listCleanupGuests, readUnrestored } from '../planned-change';
import type { PolicyInputs } from '../policy-inputs';

type Stored = {
  origins: ReadonlyMap<string, Awaited<ReturnType<typeof listOrigins>>[number]>;
  applied: ReadonlyMap<string, Awaited<ReturnType<typeof listAppliedAt>>>;
};

function previewGuestCleanup(
  inputs: PolicyInputs,
  policyId: string,
  workload: InputWorkload,
  snapshot: TimedGuest,
  { origins, applied }: Stored,
): CleanupGuest {
  const row = origins.get(workload.id) ?? toUntouchedRow(workload.id);
  const placements = applied.get(workload.id) ?? [];
  const intent = intentFor(inputs, policyId, 'cleanup', { workload, desired: null }, { row, placements });
  const { id: workload_id, vmid, name } = workload;
  const guest = { workload_id, vmid, name, read_at: snapshot.read_at };
  const before = toGuestFilter(snapshot.state);
  if (!before) return { ...guest, removed: null, option_changes: [], notes: [] };
  return {
    ...guest,
    removed: computeLayout(before.rules, intent).stale.length,
    option_changes: switchChanges(before, planGuest(before, intent).after),
    notes: leftOnNotes(computeRestoration(before, intent)),
  };
}

/**
 * What disabling a policy, switching it to audit or deleting it would do to the guests, read now and planned as the removal
 * itself is planned. @throws AppError `not_found`
 */
export async function previewCleanup(scope: Scope<'policy:read'>, id: string): Promise<CleanupPreview> {
  const policy = await findPolicy(db, scope.reach, id);
  if (!policy) throw notFound('policy');
  const firewall = await readFirewallState();
  const { inputs } = firewall;
  // Where the policy was applied, or something of it was found; where it only wants something nothing is removed.
  const ids = listCleanupGuests(firewall, id, await readUnrestored(inputs, [policy]));
  const workloads = ids.flatMap((workloadId) => inputs.workloads.get(workloadId) ?? []);
  const [origins, applied] = await Promise.all([listOrigins(db, ids), listAppliedAt(db, ids)]);
  const stored: Stored = {
    origins: new Map(origins.map((row) => [row.workload_id, row])),
    applied: groupBy(applied, (row) => row.workload_id),
  };
  const clusters = await Promise.all(
    [...groupBy(workloads, (workload) => workload.cluster_id)].map(async ([cluster_id, list]) => {
      const { guests } = await readLive(cluster_id, list, { fresh: true });
      return {
        cluster_id,
        cluster_name: inputs.clusters.get(cluster_id)?.name ?? '',
        guests: list
          .sort((a, b) => a.vmid - b.vmid)
          .flatMap((workload) => {
            const snapshot = guests.get(workload.id);
            return snapshot ? [previewGuestCleanup(inputs, id, workload, snapshot, stored)] : [];
          }),
      };
    }),
  );
  return { policy_id: id, clusters: clusters.sort((a, b) => a.cluster_name.localeCompare(b.cluster_name)) };
}

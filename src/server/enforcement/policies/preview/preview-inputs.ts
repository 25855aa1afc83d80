import { setImmediate } from 'node:timers/promises';
import type { Reach } from '@/domain/permissions';
import type { PolicyPreview } from '@/domain/policy-preview';
import { db } from '../../../db/client';
import { groupBy } from '../../../lib/group-by';
import { intentFor, toUntouchedRow } from '../../deployments/guest-work';
import { type ClusterSnapshots, readLive, type TimedGuest } from '../../guest-firewall/live-reader';
import { ruleNamer } from '../../guest-firewall/named-rules';
import { listOrigins } from '../../queries/guest-firewalls';
import type { InputPolicy, InputWorkload } from '../../queries/policy-inputs';
import { listAppliedAt } from '../../queries/policy-placements';
import { planGuestAfter } from '../planned-guest';
import { compileLogged, type PolicyInputs } from '../policy-inputs';
import { previewGuest } from './preview-guest';
import { guestWarnings, type PreviewedCluster, type PreviewedGuest, previewWarnings } from './warnings';

/** What the previewed change does to policy tests and to the connections of Fabric itself, as the reader sees them. */
export type TestsOfPreview = (change: {
  inputs: PolicyInputs;
  policy: InputPolicy;
  places: readonly string[];
  guests: ReadonlyMap<string, TimedGuest>;
}) => Promise<Pick<PolicyPreview, 'own_connections' | 'failing_tests' | 'hidden_failing_tests'>>;

const NOT_TESTED = { own_connections: [], failing_tests: [], hidden_failing_tests: 0 };

/** The policy as if it were enforced: a preview says what applying would do, whatever prevents it. */
const asEnforced = (policy: InputPolicy): InputPolicy => ({
  ...policy,
  enabled: true,
  definition: { ...policy.definition, enforcement_mode: 'enforced' },
});

/**
 * What is confirmed is compared with the live state at that time: a snapshot some seconds old would only cause it to
 * be skipped.
 */
const readFresh = (clusterId: string, workloads: readonly InputWorkload[]) =>
  readLive(clusterId, workloads, { fresh: true });

function computeTotals(clusters: PolicyPreview['clusters']): PolicyPreview['totals'] {
  const guests = clusters.flatMap((cluster) => cluster.guests);
  const sum = (count: (guest: (typeof guests)[number]) => number) =>
    guests.reduce((total, guest) => total + count(guest), 0);
  return {
    guests: guests.length,
    added: sum(({ changes }) => changes?.added.length ?? 0),
    removed: sum(({ changes }) => changes?.removed.length ?? 0),
    kept: sum(({ changes }) => changes?.kept.length ?? 0),
    moved: sum(({ changes }) => changes?.moved.length ?? 0),
    option_changes: sum(({ option_changes }) => option_changes.length),
    dormant: sum(({ dormant }) => dormant?.filter(({ stored }) => stored).length ?? 0),
    unreadable: sum(({ changes }) => (changes === null ? 1 : 0)),
  };
}

/**
 * What applying a policy would do now, guest by guest, compared with the live state: each guest is read once. Rules
 * of other policies count as they are, as when the policy is applied.
 * @param places workloads that may still have something of the policy, besides those where it requires something
 * @param reach of the reader: rules of platform policies are shown as far as these let tenants see them
 * @param read how to get the live state; by default the clusters are queried
 * @param tests evaluates policy tests on the state after; null: none are
 */
export async function previewWithInputs(
  inputs: PolicyInputs,
  policy: InputPolicy,
  places: readonly string[],
  id: string | null,
  reach: Reach,
  read: (clusterId: string, workloads: readonly InputWorkload[]) => Promise<ClusterSnapshots> = readFresh,
  tests: TestsOfPreview | null = null,
): Promise<PolicyPreview> {
  const desired = asEnforced(policy);
  const others = inputs.policies.filter((other) => other.id !== policy.id);
  const seen: PolicyInputs = { ...inputs, policies: [...others, desired] };
  const compiled = compileLogged(inputs, [desired]);
  const desiredAt = new Map(compiled.guests.map((guest) => [guest.workload_id, guest]));
  const ids = [...new Set([...desiredAt.keys(), ...places])];
  const workloads = ids.flatMap((workloadId) => inputs.workloads.get(workloadId) ?? []);
  const groups = groupBy(workloads, (workload) => workload.cluster_id);
  const [applied, stored, ...snapshots] = await Promise.all([
    listAppliedAt(db, ids),
    listOrigins(db, ids),
    ...[...groups].map(([clusterId, list]) => read(clusterId, list)),
  ]);
  const origins = new Map(stored.map((row) => [row.workload_id, row]));
  const appliedAt = groupBy(applied, (row) => row.workload_id);
  const fresh = new Map([...groups.keys()].map((clusterId, at) => [clusterId, snapshots[at] as ClusterSnapshots]));
  const namer = ruleNamer(inputs, reach, policy);
  const clusters: PreviewedCluster[] = [];
  for (const cluster of inputs.clusters.values()) {
    const list = groups.get(cluster.id);
    if (!list) continue;
    const live = fresh.get(cluster.id);
    if (!live) throw new Error('expected a snapshot of the cluster');
    const guests: PreviewedGuest[] = [];
    for (const workload of list.sort((a, b) => a.vmid - b.vmid)) {
      const snapshot = live.guests.get(workload.id);
      if (!snapshot) continue;
      const row = origins.get(workload.id) ?? toUntouchedRow(workload.id);
      const work = { workload, desired: desiredAt.get(workload.id) ?? null };
      const placements = appliedAt.get(workload.id) ?? [];
      const intent = intentFor(seen, policy.id, 'apply', work, { row, placements });
      const { state } = snapshot;
      const preview = previewGuest(workload, intent, snapshot, live.cluster, namer);
      const planned = { policy_id: policy.id, leaves: 'apply' as const, desired: work.desired };
      const after = planGuestAfter(seen, workload, state, [planned], { row, placements });
      guests.push({ workload, preview, state, after });
      await setImmediate();
    }
    clusters.push({ cluster, state: live.cluster.state, guests });
  }
  const shown = clusters.map(({ cluster, state, guests }) => ({
    cluster_id: cluster.id,
    cluster_name: cluster.name,
    firewall_enabled: state.firewall_enabled,
    missing_write_privileges: cluster.missing_write_privileges && [...cluster.missing_write_privileges],
    guests: guests.map((guest) => ({
      ...guest.preview,
      warnings: guestWarnings(guest),
      // What is not stored cannot be applied.
      fingerprint: id === null ? null : guest.preview.fingerprint,
    })),
  }));
  const guests = new Map([...fresh.values()].flatMap((live) => [...live.guests]));
  const tested = tests ? await tests({ inputs, policy, places, guests }) : NOT_TESTED;
  return {
    policy_id: id,
    policy_mode: policy.definition.enforcement_mode,
    policy_version: policy.version,
    clusters: shown,
    ...tested,
    unresolved: compiled.unresolved.map(({ side, endpoint, reason }) => ({ side, endpoint, reason })),
    warnings: previewWarnings(policy, clusters, compiled.warnings),
    totals: computeTotals(shown),
  };
}

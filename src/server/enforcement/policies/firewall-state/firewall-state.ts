import { isDeepStrictEqual } from 'node:util';
import type { Difference } from '@/domain/drift/find-drift';
import { hideAccepted } from '@/domain/drift/hide-accepted';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import { actsOn, type PolicyOwner } from '@/domain/policy/acts-on';
import type { DesiredGuest } from '@/domain/policy/desired';
import {
  type DeploymentStatus,
  deploymentStatus,
  type GuestView,
  type PolicyDeployment,
  worstStatus,
} from '@/domain/policy/status';
import { comparePolicies } from '@/domain/policy/tier';
import type { ClusterDeployment } from '@/domain/policy-deployment';
import { groupBy } from '../../../lib/group-by';
import { oldestReadAt, type Timed, type TimedGuest } from '../../guest-firewall/live-reader';
import type { InputPolicy, InputWorkload } from '../../queries/policy-inputs';
import type { PlacedPair } from '../../queries/policy-placements';
import { compileInputs, haveSameEffect, isDeployed, type PolicyInputs } from '../policy-inputs';
import { type AcceptedDrift, compareDrift, hashLive } from './compare-drift';
import { findMetCluster, haveSameShared } from './met-cluster';
import { guestView, policiesAt } from './views';

export type PolicyStanding = { status: DeploymentStatus | null; deployments: ClusterDeployment[] };

export type Snapshots = {
  readonly guests: ReadonlyMap<string, TimedGuest>;
  readonly clusters: ReadonlyMap<string, Timed<ClusterSnapshot>>;
};

/** One comparison and its inputs: it is recomputed only when one of the inputs changes. */
type Compared = {
  desired: DesiredGuest | null;
  guest: unknown;
  cluster: unknown;
  workload: InputWorkload;
  placement: unknown;
  instance: string;
  view: GuestView;
};

const NOTHING = {
  reasons: [],
  expected: 0,
  live: 0,
  missing: 0,
  outdated: 0,
  leftover: 0,
  guests: 0,
  read_at: null,
} as const;

/** Whether the same was read, whenever that was. */
const isSameReading = <T extends { readonly state: unknown }>(
  before: ReadonlyMap<string, T>,
  now: ReadonlyMap<string, T>,
): boolean => before.size === now.size && [...now].every(([id, { state }]) => before.get(id)?.state === state);

/** What is required at guests, where it is as before as the same object. */
const shareDesired = (guests: readonly DesiredGuest[], before: FirewallState | null) =>
  new Map(
    guests.map((guest): [string, DesiredGuest] => {
      const old = before?.desiredAt(guest.workload_id);
      return [guest.workload_id, old && isDeepStrictEqual(old, guest) ? old : guest];
    }),
  );

/**
 * Status of all policies on all clusters: the desired state, the state as last read, and the comparison of both.
 * Comparisons of unchanged guests are carried over from the previous firewall state.
 */
export class FirewallState {
  readonly inputs: PolicyInputs;
  readonly snapshots: Snapshots;
  /** The same object for states that differ only in when the same was read. */
  readonly content: object;
  /** The same object for states by which the same becomes of every packet, with the same workloads in every group. */
  readonly effect: object;
  readonly #placed: readonly PlacedPair[];
  /** How policies were applied at workloads. */
  readonly #applied: ReadonlyMap<string, PlacedPair>;
  readonly #desired: ReadonlyMap<string, DesiredGuest>;
  readonly #compared = new Map<string, Compared>();
  /** Workloads by policy on which it may act: those where it wants something, has something, or was applied. */
  readonly #places = new Map<string, Set<string>>();
  readonly #owners: ReadonlyMap<string, PolicyOwner>;
  readonly #unresolved: ReadonlySet<string>;
  readonly #standings = new Map<string, PolicyStanding>();
  readonly #accepted: AcceptedDrift;

  constructor(
    inputs: PolicyInputs,
    snapshots: Snapshots,
    placed: readonly PlacedPair[],
    before: FirewallState | null = null,
    accepted: AcceptedDrift = new Map(),
  ) {
    this.inputs = inputs;
    this.#accepted = accepted;
    this.snapshots = snapshots;
    this.#placed = placed;
    const isSame =
      before !== null &&
      isSameReading(before.snapshots.guests, snapshots.guests) &&
      isSameReading(before.snapshots.clusters, snapshots.clusters) &&
      before.inputs === inputs &&
      before.#placed === placed &&
      before.#accepted === accepted;
    this.content = isSame ? before.content : {};
    this.#owners = new Map(inputs.policies.map((policy) => [policy.id, policy]));
    this.#applied = new Map(placed.map((pair) => [`${pair.policy_id} ${pair.workload_id}`, pair]));
    const compiled = compileInputs(inputs);
    this.#desired = before?.inputs === inputs ? before.#desired : shareDesired(compiled.guests, before);
    this.#unresolved = new Set(compiled.unresolved.map(({ policy_id }) => policy_id));
    for (const id of new Set([...this.#desired.keys(), ...snapshots.guests.keys()])) {
      const compared = this.#compare(id, before);
      if (!compared) continue;
      this.#compared.set(id, compared);
      for (const policy of policiesAt(compared.view)) this.#place(policy, id);
    }
    for (const { policy_id, workload_id } of placed) this.#place(policy_id, workload_id);
    this.effect = before !== null && this.#hasSameEffect(before) ? before.effect : {};
  }

  #hasSameEffect(before: FirewallState): boolean {
    return (
      isSameReading(before.snapshots.guests, this.snapshots.guests) &&
      haveSameShared(before.snapshots.clusters, this.snapshots.clusters) &&
      [...this.#compared].every(([id, { cluster }]) => before.#compared.get(id)?.cluster === cluster) &&
      haveSameEffect(before.inputs, this.inputs)
    );
  }

  /** The same policies with other snapshots. */
  with(snapshots: Snapshots): FirewallState {
    return new FirewallState(this.inputs, snapshots, this.#placed, this, this.#accepted);
  }

  /** Rules that a tenant's policy left on a workload of others are none of its business any more. */
  #actsOn(policyId: string, workloadId: string): boolean {
    const owner = this.#owners.get(policyId);
    const workload = this.inputs.workloads.get(workloadId);
    return owner === undefined || workload === undefined || actsOn(owner, workload);
  }

  #place(policyId: string, workloadId: string): void {
    if (!this.#actsOn(policyId, workloadId)) return;
    const places = this.#places.get(policyId);
    if (places) places.add(workloadId);
    else this.#places.set(policyId, new Set([workloadId]));
  }

  #compare(workloadId: string, before: FirewallState | null): Compared | null {
    const workload = this.inputs.workloads.get(workloadId);
    if (!workload) return null;
    const { inputs } = this;
    const { instance } = inputs;
    const placement = inputs.clusters.get(workload.cluster_id)?.rule_placement;
    const desired = this.#desired.get(workloadId) ?? null;
    const guest = this.snapshots.guests.get(workloadId)?.state ?? null;
    const cluster = findMetCluster(this.snapshots, workload);
    const old = before === null ? undefined : before.#compared.get(workloadId);
    const sources = { workload, placement, instance, desired, guest, cluster };
    if (old && Object.entries(sources).every(([name, source]) => old[name as keyof typeof sources] === source))
      return old;
    return { ...sources, view: guestView(inputs, workload, desired, guest, cluster) };
  }

  /** What the enforced policies require on a workload; null when nothing. */
  desiredAt(workloadId: string): DesiredGuest | null {
    return this.#desired.get(workloadId) ?? null;
  }

  /** Workloads where the policy wants rules, has some, or was applied. */
  listPolicyWorkloads(policyId: string): readonly string[] {
    return [...(this.#places.get(policyId) ?? [])].filter((id) => this.inputs.workloads.has(id)).sort();
  }

  /** When a policy was last applied to a workload; null: it is being applied; undefined: it is not. */
  appliedAt(policyId: string, workloadId: string): string | null | undefined {
    return this.#applied.get(`${policyId} ${workloadId}`)?.applied_at;
  }

  /** Whether an enforced policy asks for a default that drops on a workload, and was applied there with it. */
  wasDropApplied(workloadId: string, direction: 'in' | 'out'): boolean {
    const name = direction === 'in' ? 'drop_in' : 'drop_out';
    const asking = this.desiredAt(workloadId)?.[name] ?? [];
    return asking.some((id) => {
      const placed = this.#applied.get(`${id} ${workloadId}`);
      return placed !== undefined && placed.applied_at !== null && placed[name];
    });
  }

  /** Workloads where the policy was applied, or is being applied. */
  listAppliedWorkloads(policyId: string): string[] {
    return this.#placed
      .filter(({ policy_id, workload_id }) => policy_id === policyId && this.#actsOn(policyId, workload_id))
      .map(({ workload_id }) => workload_id);
  }

  /** Whether rules of the policy were found on a workload when it was last read. */
  isFoundAt(policyId: string, workloadId: string): boolean {
    const diff = this.viewAt(workloadId)?.diff;
    if (!diff) return false;
    return (
      diff.removed.some(({ policy_id }) => policy_id === policyId) ||
      [...diff.kept, ...diff.moved].some(({ desired }) => desired.policy_id === policyId)
    );
  }

  /** The comparison at one workload. */
  viewAt(workloadId: string): GuestView | null {
    const known = this.#compared.get(workloadId)?.view;
    if (known) return known;
    const workload = this.inputs.workloads.get(workloadId);
    return workload ? guestView(this.inputs, workload, null, null, null) : null;
  }

  /** The time of the oldest snapshot that covers these workloads; null when one is missing. */
  readAt(workloadIds: readonly string[]): string | null {
    const clusters = new Set(workloadIds.flatMap((id) => this.inputs.workloads.get(id)?.cluster_id ?? []));
    return oldestReadAt(
      ...workloadIds.map((id) => this.snapshots.guests.get(id)),
      ...[...clusters].map((id) => this.snapshots.clusters.get(id)),
    );
  }

  /** How far a policy is enforced on some workloads of one cluster. */
  standingAt(
    policy: Pick<InputPolicy, 'id' | 'enabled' | 'definition'>,
    workloadIds: readonly string[],
    unresolved = false,
  ): PolicyDeployment {
    const applied = new Set<GuestView>();
    const workloads = new Map<GuestView, string>();
    const views = workloadIds.flatMap((id) => {
      const at = this.#applied.get(`${policy.id} ${id}`)?.applied_at ?? null;
      const view = this.#viewAccepted(policy.id, id, this.#viewSince(id, at));
      if (view && at !== null) applied.add(view);
      if (view) workloads.set(view, id);
      return view ?? [];
    });
    return deploymentStatus(
      policy.id,
      isDeployed(policy),
      unresolved,
      views,
      (view) => applied.has(view),
      (view, { above, below }) => this.wasAppliedAbove(above, below, workloads.get(view) ?? ''),
    );
  }

  /**
   * Whether two policies had the opposite order when they were applied to a workload, so their rules have not been
   * moved since.
   */
  wasAppliedAbove(above: string, below: string, workloadId: string): boolean {
    const [first, second] = [above, below].map((id) => {
      const placed = this.#applied.get(`${id} ${workloadId}`);
      const policy = this.inputs.policies.find((one) => one.id === id);
      return placed && policy ? { ...placed, id, created_at: policy.created_at } : null;
    });
    if (!first || !second) return false;
    // An apply that is not known to have ended explains any order.
    return first.applied_at === null || second.applied_at === null || comparePolicies(first, second) < 0;
  }

  /** The comparison without the differences that someone accepted. */
  #viewAccepted(policyId: string, workloadId: string, view: GuestView | null): GuestView | null {
    const accepted = this.#accepted.get(`${policyId} ${workloadId}`);
    if (!view || !accepted) return view;
    const found = compareDrift(this, workloadId, accepted.applied).get(policyId);
    const isAccepted = (one: Difference) =>
      accepted.differences.some(
        ({ kind, subject_key, hash }) =>
          kind === one.kind && subject_key === one.subject_key && hash === hashLive(one.live),
      );
    return found ? hideAccepted(policyId, view, found.differences.filter(isAccepted)) : view;
  }

  /** The comparison for a workload, from a snapshot that is not older than what was written there. */
  #viewSince(workloadId: string, appliedAt: string | null): GuestView | null {
    const read = this.snapshots.guests.get(workloadId)?.read_at;
    const workload = this.inputs.workloads.get(workloadId);
    const outdated = appliedAt !== null && read !== undefined && Date.parse(read) < Date.parse(appliedAt);
    if (!workload || !outdated) return this.viewAt(workloadId);
    const cluster = this.snapshots.clusters.get(workload.cluster_id)?.state ?? null;
    return guestView(this.inputs, workload, this.desiredAt(workloadId), null, cluster);
  }

  /** The status of one policy on each cluster where it has a place, and the worst of them. */
  standingOf(policy: Pick<InputPolicy, 'id' | 'enabled' | 'definition'>): PolicyStanding {
    const known = this.#standings.get(policy.id);
    if (known) return known;
    const standing = this.#stand(policy);
    this.#standings.set(policy.id, standing);
    return standing;
  }

  /** The same at some of its workloads only; what of the policy is unresolved is left out. */
  standingAmong(
    policy: Pick<InputPolicy, 'id' | 'enabled' | 'definition'>,
    workloadIds: readonly string[],
  ): PolicyStanding {
    return this.#stand(policy, workloadIds, false);
  }

  #stand(
    policy: Pick<InputPolicy, 'id' | 'enabled' | 'definition'>,
    places = this.listPolicyWorkloads(policy.id),
    unresolved = this.#unresolved.has(policy.id),
  ): PolicyStanding {
    const enforced = isDeployed(policy);
    const byCluster = groupBy(places, (id) => this.inputs.workloads.get(id)?.cluster_id ?? '');
    const clusters = [...this.inputs.clusters.values()];
    if (byCluster.size === 0) {
      if (!enforced) return { status: null, deployments: [] };
      // The policy is to be enforced but is placed nowhere.
      const reasons: ClusterDeployment['reasons'] = unresolved ? ['unresolved_endpoint'] : [];
      const deployments = clusters.map(({ id, name, rule_placement }) => ({
        ...NOTHING,
        cluster_id: id,
        cluster_name: name,
        rule_placement,
        status: 'unresolved' as const,
        reasons,
      }));
      return { status: 'unresolved', deployments };
    }
    const deployments = clusters
      .filter(({ id }) => byCluster.has(id))
      .map((cluster): ClusterDeployment => {
        const ids = byCluster.get(cluster.id) ?? [];
        const standing = this.standingAt(policy, ids, unresolved);
        return {
          cluster_id: cluster.id,
          cluster_name: cluster.name,
          rule_placement: cluster.rule_placement,
          ...standing,
          reasons: [...standing.reasons],
          guests: ids.length,
          read_at: this.readAt(ids),
        };
      });
    return { status: worstStatus(deployments.map(({ status }) => status)), deployments };
  }
}

import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { actsOn, type PolicyOwner } from '@/domain/policy/acts-on';
import { compilePolicies } from '@/domain/policy/compile';
import type { DesiredGuest } from '@/domain/policy/desired';
import { equalJson } from '../../audit/canonical';
import { db } from '../../db/client';
import { groupBy } from '../../lib/group-by';
import { toUntouchedRow } from '../deployments/guest-work';
import { listOrigins, listUnrestored } from '../queries/guest-firewalls';
import type { InputPolicy, InputWorkload } from '../queries/policy-inputs';
import { listAppliedAt } from '../queries/policy-placements';
import type { FirewallState } from './firewall-state/firewall-state';
import { type Leaves, type PlannedWork, planGuestAfter, type VisitPlan } from './planned-guest';
import type { PolicyInputs } from './policy-inputs';

/** A guest before and after an apply; `after` is null when what is live could not be read, so that it is not known. */
type GuestStates = { readonly before: GuestSnapshot; readonly after: GuestSnapshot | null };

const asEnforced = (policy: InputPolicy): InputPolicy => ({
  ...policy,
  enabled: true,
  definition: { ...policy.definition, enforcement_mode: 'enforced' },
});

/** The guests that an apply concerns: those where the policy requires something, and those of `places`. */
export function listAffectedGuests(inputs: PolicyInputs, policy: InputPolicy, places: readonly string[]): string[] {
  const { guests } = compilePolicies([asEnforced(policy)], inputs.index, inputs.instance);
  return [...new Set([...guests.map(({ workload_id }) => workload_id), ...places])].filter((id) =>
    inputs.workloads.has(id),
  );
}

/** Workloads by policy. */
type Unrestored = ReadonlyMap<string, readonly string[]>;

/**
 * Workloads that policies left and whose switches could not be restored then: an apply restores them, and so does a cleanup. Only
 * those on which the policies may act.
 */
export async function readUnrestored(
  { workloads }: Pick<PolicyInputs, 'workloads'>,
  policies: readonly (PolicyOwner & { readonly id: string })[],
): Promise<Unrestored> {
  const owners = new Map(policies.map((policy) => [policy.id, policy]));
  const found = (await listUnrestored(db, [...owners.keys()])).filter(({ policy_id, workload_id }) => {
    const [owner, workload] = [owners.get(policy_id), workloads.get(workload_id)];
    return owner !== undefined && workload !== undefined && actsOn(owner, workload);
  });
  const byPolicy = groupBy(found, ({ policy_id }) => policy_id);
  return new Map([...byPolicy].map(([id, rows]) => [id, rows.map(({ workload_id }) => workload_id)]));
}

/** Workloads that applying a policy concerns, whatever it requires there now. */
export const listApplyPlaces = (firewall: FirewallState, policyId: string, unrestored: Unrestored): string[] => [
  ...new Set([...firewall.listPolicyWorkloads(policyId), ...(unrestored.get(policyId) ?? [])]),
];

/** Workloads where a policy was applied, something of it was found, or its switches are not restored. */
export function listCleanupGuests(firewall: FirewallState, policyId: string, unrestored: Unrestored): string[] {
  const placed = new Set([...firewall.listAppliedWorkloads(policyId), ...(unrestored.get(policyId) ?? [])]);
  return listApplyPlaces(firewall, policyId, unrestored).filter(
    (id) => placed.has(id) || firewall.isFoundAt(policyId, id),
  );
}

/** A deployment that is planned. @property workload_ids guests that it concerns, whether or not it changes anything there */
export type PlannedDeployment = {
  readonly policy_id: string;
  readonly leaves: Leaves;
  readonly workload_ids: readonly string[];
};

/** Policies and inventory, with what was last read of the clusters. */
export type Readable = Pick<FirewallState, 'inputs' | 'snapshots'>;

/** What was last read, and what deployments would leave. */
export type FirewallChange = {
  readonly before: Readable;
  readonly after: Readable;
  /** Guests that the deployments change. */
  readonly changed: ReadonlySet<string>;
  /** Guests that they concern, and of which it is not known what they would leave. */
  readonly unreadable: ReadonlySet<string>;
};

/** Called with every guest before it is planned; returns what is called with each of its deployments. */
export type VisitGuest = (workload: InputWorkload, before: GuestSnapshot) => VisitPlan;

async function planStates(
  { inputs, snapshots }: Readable,
  deployments: readonly PlannedDeployment[],
  desiredAt: ReadonlyMap<string, DesiredGuest>,
  visit?: VisitGuest,
): Promise<Map<string, GuestStates>> {
  const works = new Map<string, PlannedWork[]>();
  for (const { policy_id, leaves, workload_ids } of deployments) {
    for (const id of new Set(workload_ids)) {
      const work = { policy_id, leaves, desired: desiredAt.get(id) ?? null };
      works.set(id, [...(works.get(id) ?? []), work]);
    }
  }
  const ids = [...works.keys()];
  const [applied, origins] = await Promise.all([listAppliedAt(db, ids), listOrigins(db, ids)]);
  const placements = groupBy(applied, (row) => row.workload_id);
  const rows = new Map(origins.map((row) => [row.workload_id, row]));
  const states = new Map<string, GuestStates>();
  for (const [id, list] of works) {
    const workload = inputs.workloads.get(id);
    const before = snapshots.guests.get(id)?.state;
    if (!workload || !before) continue;
    const notes = { row: rows.get(id) ?? toUntouchedRow(id), placements: placements.get(id) ?? [] };
    states.set(id, { before, after: planGuestAfter(inputs, workload, before, list, notes, visit?.(workload, before)) });
  }
  return states;
}

/**
 * What was last read with what deployments would leave at the guests that they concern, one after the other, each planned as it
 * will be. Rules of other policies stay as they are.
 * @param inputs all policies and the inventory as the deployments will find them
 * @param desiredAt what the policies require of guests then
 * @param visit called with each deployment at each guest
 */
export async function computePlannedChange(
  before: Readable,
  inputs: PolicyInputs,
  deployments: readonly PlannedDeployment[],
  desiredAt: ReadonlyMap<string, DesiredGuest>,
  visit?: VisitGuest,
): Promise<FirewallChange> {
  const { snapshots } = before;
  const states = await planStates({ inputs, snapshots }, deployments, desiredAt, visit);
  const guests = new Map(snapshots.guests);
  const changed = new Set<string>();
  const concerned = deployments.flatMap(({ workload_ids }) => workload_ids);
  const unreadable = new Set(concerned.filter((id) => !states.has(id)));
  for (const [id, state] of states) {
    const snapshot = snapshots.guests.get(id);
    if (!state.after) unreadable.add(id);
    if (!snapshot || !state.after || equalJson(state.before, state.after)) continue;
    changed.add(id);
    guests.set(id, { ...snapshot, state: state.after });
  }
  return { before, after: { inputs, snapshots: { ...snapshots, guests } }, changed, unreadable };
}

/**
 * What was last read with the states that applying a policy would leave at the guests that it concerns, as if it were enforced.
 * @param places workloads that may still have something of the policy
 */
export async function computeApplyChange(
  firewall: Readable,
  policy: InputPolicy,
  places: readonly string[],
): Promise<FirewallChange> {
  const { inputs } = firewall;
  const desired = asEnforced(policy);
  const others = inputs.policies.filter(({ id }) => id !== policy.id);
  const { guests } = compilePolicies([desired], inputs.index, inputs.instance);
  return computePlannedChange(
    firewall,
    { ...inputs, policies: [...others, desired] },
    [{ policy_id: policy.id, leaves: 'apply', workload_ids: listAffectedGuests(inputs, policy, places) }],
    new Map(guests.map((guest) => [guest.workload_id, guest])),
  );
}

/** The same with what removing a policy would leave at these workloads, planned as the removal itself is planned. */
export const computeCleanupChange = (
  firewall: Readable,
  policy_id: string,
  workload_ids: readonly string[],
): Promise<FirewallChange> =>
  computePlannedChange(firewall, firewall.inputs, [{ policy_id, leaves: 'cleanup', workload_ids }], new Map());

import type { GuestSnapshot } from '@/domain/firewall/snapshot';
import { compilePolicies } from '@/domain/policy/compile';
import type { DesiredGuest } from '@/domain/policy/desired';
import { statesAfter } from '@/domain/policy/plan/dormant';
import type { GuestIntent } from '@/domain/policy/plan/guest-filter';
import { equalJson } from '../../audit/canonical';
import { db } from '../../db/client';
import { groupBy } from '../../lib/group-by';
import { intentFor, toUntouchedRow } from '../deployments/guest-work';
import { toGuestFilter } from '../guest-firewall/read-guest-live';
import { listOrigins } from '../queries/guest-firewalls';
import type { InputPolicy } from '../queries/policy-inputs';
import { listAppliedAt } from '../queries/policy-placements';
import type { FirewallState } from './firewall-state/firewall-state';
import type { PolicyInputs } from './policy-inputs';

/** A guest before and after an apply; `after` is null when what is live could not be read, so that it is not known. */
type GuestStates = { readonly before: GuestSnapshot; readonly after: GuestSnapshot | null };

/** The guest as the planner of an apply would leave it. */
function guestAfter(before: GuestSnapshot, intent: GuestIntent): GuestSnapshot | null {
  const filter = toGuestFilter(before);
  if (!filter) return null;
  const { after } = statesAfter(filter, intent);
  const flags = new Map(after.nics.map(({ name, firewall }) => [name, firewall]));
  return {
    ...before,
    rules: after.rules,
    options: after.options,
    ipsets: after.sets,
    nics: (before.nics ?? []).map((nic) => ({ ...nic, firewall: flags.get(nic.name) ?? nic.firewall })),
  };
}

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

/**
 * What applying a policy would leave at each guest that it concerns, planned as the apply itself is planned. Rules of other
 * policies stay as they are. Guests that were never read are left out.
 * @param places workloads that may still have something of the policy
 * @param guests what is live, by workload
 */
async function statesAfterApply(
  inputs: PolicyInputs,
  policy: InputPolicy,
  places: readonly string[],
  guests: ReadonlyMap<string, { readonly state: GuestSnapshot }>,
): Promise<Map<string, GuestStates>> {
  const desired = asEnforced(policy);
  const seen: PolicyInputs = {
    ...inputs,
    policies: [...inputs.policies.filter(({ id }) => id !== policy.id), desired],
  };
  const compiled = compilePolicies([desired], inputs.index, inputs.instance);
  const desiredAt = new Map(compiled.guests.map((guest) => [guest.workload_id, guest]));
  return planStates(seen, policy.id, 'apply', [...new Set([...desiredAt.keys(), ...places])], desiredAt, guests);
}

async function planStates(
  inputs: PolicyInputs,
  policyId: string,
  kind: 'apply' | 'cleanup',
  ids: readonly string[],
  desiredAt: ReadonlyMap<string, DesiredGuest>,
  guests: ReadonlyMap<string, { readonly state: GuestSnapshot }>,
): Promise<Map<string, GuestStates>> {
  const [applied, origins] = await Promise.all([listAppliedAt(db, ids), listOrigins(db, ids)]);
  const placements = groupBy(applied, (row) => row.workload_id);
  const rows = new Map(origins.map((row) => [row.workload_id, row]));
  const states = new Map<string, GuestStates>();
  for (const id of ids) {
    const workload = inputs.workloads.get(id);
    const before = guests.get(id)?.state;
    if (!workload || !before) continue;
    const known = { row: rows.get(id) ?? toUntouchedRow(id), placements: placements.get(id) ?? [] };
    const intent = intentFor(inputs, policyId, kind, { workload, desired: desiredAt.get(id) ?? null }, known);
    states.set(id, { before, after: guestAfter(before, intent) });
  }
  return states;
}

/** Policies and inventory, with what was last read of the clusters. */
export type Readable = Pick<FirewallState, 'inputs' | 'snapshots'>;

/** What was last read, and what an apply would leave. */
export type FirewallChange = {
  readonly before: Readable;
  readonly after: Readable;
  /** Guests that the apply changes. */
  readonly changed: ReadonlySet<string>;
  /** Guests that it concerns, and of which it is not known what it would leave. */
  readonly unreadable: ReadonlySet<string>;
};

function buildFirewallChange(
  { inputs, snapshots }: Readable,
  ids: readonly string[],
  states: Map<string, GuestStates>,
): FirewallChange {
  const guests = new Map(snapshots.guests);
  const changed = new Set<string>();
  const unreadable = new Set(ids.filter((id) => !states.has(id)));
  for (const [id, { before, after }] of states) {
    const snapshot = snapshots.guests.get(id);
    if (!after) unreadable.add(id);
    if (!snapshot || !after || equalJson(before, after)) continue;
    changed.add(id);
    guests.set(id, { ...snapshot, state: after });
  }
  return { before: { inputs, snapshots }, after: { inputs, snapshots: { ...snapshots, guests } }, changed, unreadable };
}

/** What was last read with the states that an apply would leave at the guests that it concerns. */
export async function computeApplyChange(
  firewall: Readable,
  policy: InputPolicy,
  places: readonly string[],
): Promise<FirewallChange> {
  const { inputs, snapshots } = firewall;
  const states = await statesAfterApply(inputs, policy, places, snapshots.guests);
  return buildFirewallChange(firewall, listAffectedGuests(inputs, policy, places), states);
}

/** The same with what removing a policy would leave at these workloads, planned as the removal itself is planned. */
export async function computeCleanupChange(
  firewall: Readable,
  policyId: string,
  ids: readonly string[],
): Promise<FirewallChange> {
  const { inputs, snapshots } = firewall;
  return buildFirewallChange(
    firewall,
    ids,
    await planStates(inputs, policyId, 'cleanup', ids, new Map(), snapshots.guests),
  );
}

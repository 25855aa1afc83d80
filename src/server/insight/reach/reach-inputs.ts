import { OUTSIDE } from '@/domain/choices';
import type { LiveState } from '@/domain/firewall/live-state';
import { ruleAt } from '@/domain/firewall/rule-at';
import { joinSpans, subtractSpans } from '@/domain/firewall/space/spans';
import { getReachableProjects, getReachableTenants, type Owned, type Reach } from '@/domain/permissions';
import { belongsTo, getOwnerId, type OwnerId } from '@/domain/policy/acts-on';
import { pinGroup } from '@/domain/policy/pin-group';
import { pointSpans, type TestEnd } from '@/domain/policy-tests/test-end';
import { type Identify, identifyByPolicy } from '@/domain/reach/profiles';
import type { ReachEnd } from '@/domain/reach/reach';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { compileChange } from '../../enforcement/changes/compiled/compile-change';
import { findApplicableChange } from '../../enforcement/changes/compiled/read-difference';
import { readFirewallState } from '../../enforcement/policies/firewall-state/read-firewall-state';
import { liveStateAt } from '../../enforcement/policies/firewall-state/views';
import type { Readable } from '../../enforcement/policies/planned-change';
import { nodeEndpoints } from '../../enforcement/policy-tests/test-endpoints';
import { TestInputs } from '../../enforcement/policy-tests/test-inputs';
import { AppError } from '../../lib/errors';

type Requested = { readonly tenant_id?: string | undefined; readonly project_id?: string | undefined };

const wrongOwner = (field: 'tenant_id' | 'project_id', message: string) =>
  new AppError('malformed', message, { errors: [{ field, message }] });

/**
 * In whose view a question is asked: the installation's, a tenant's or a project's. It decides what endpoints resolve to, and whose
 * workloads exist for the answer.
 * @throws AppError `malformed` when it has to be named
 */
export function chooseViewpoint(reach: Reach, { tenant_id, project_id }: Requested): OwnerId {
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') return project_id ?? tenant_id ?? null;
  const projects = getReachableProjects(reach);
  if (project_id !== undefined) {
    if (projects.includes(project_id)) return project_id;
    throw wrongOwner('project_id', 'Specify a project for which you have the permission.');
  }
  if (tenant_id !== undefined) {
    if (tenants.includes(tenant_id)) return tenant_id;
    throw wrongOwner('tenant_id', 'Specify a tenant for which you have the permission.');
  }
  const [only, ...others] = [...tenants, ...projects];
  if (only !== undefined && others.length === 0) return only;
  const field = tenants.length > 0 ? 'tenant_id' : 'project_id';
  throw wrongOwner(field, `You have the permission for several: specify ${field}.`);
}

/** The widest view that the reader has of a workload. */
export function findViewpoint(reach: Reach, { tenant_id, project_id }: Owned): OwnerId {
  const tenants = getReachableTenants(reach);
  if (tenants === 'all') return null;
  return getOwnerId(tenant_id !== null && tenants.includes(tenant_id) ? { tenant_id } : { tenant_id, project_id });
}

/** Everything that can be asked about, in one view. */
export class ReachInputs {
  readonly #inputs: TestInputs;

  constructor(
    readonly firewall: Readable,
    readonly owner: OwnerId,
  ) {
    this.#inputs = new TestInputs(firewall);
  }

  endOf(end: ReachEnd): TestEnd {
    if (end === OUTSIDE) return this.outside();
    const { groups } = this.firewall.inputs.index;
    const stored = end.map((text) => pinGroup(text, groups, this.owner));
    return this.#inputs.endOf(stored, this.owner).end;
  }

  /** All workloads, and what is outside. */
  everything(): TestEnd {
    const { places } = this.#inputs.endOf(['any'], this.owner).end;
    return { ...this.outside(), places };
  }

  /** Addresses of no workload; nodes are known to the installation only. */
  outside(): TestEnd {
    const { outside } = this.#inputs.endOf(['any'], this.owner).end;
    const nodes = this.owner === null ? nodeEndpoints(this.firewall) : [];
    const known = nodes.length > 0 ? this.#inputs.endOf(nodes, null).end.places : [];
    const without = (family: 4 | 6) =>
      subtractSpans(outside[family], joinSpans(pointSpans(known.flatMap(({ addresses }) => addresses[family]))));
    return { places: [], outside: { 4: without(4), 6: without(6) }, missing: [] };
  }

  /** Workloads of the view that cannot be asked about. */
  countWithoutAddress(): number {
    let count = 0;
    for (const workload of this.firewall.inputs.workloads.values()) {
      const isMeant = !workload.template && workload.missing_since === null && belongsTo(this.owner, workload);
      if (isMeant && workload.addresses.length === 0) count++;
    }
    return count;
  }

  readonly #states = new Map<string, LiveState>();

  /** A rule that a policy has placed at several workloads counts as one. */
  readonly identify: Identify = identifyByPolicy((place, by) => {
    const workload = place.ref.kind === 'workload' ? this.firewall.inputs.workloads.get(place.ref.id) : undefined;
    if (!workload || by.kind !== 'rule') return null;
    const state = this.#states.get(workload.id) ?? liveStateAt(this.firewall, workload);
    this.#states.set(workload.id, state);
    return ruleAt(state, by)?.rule ?? null;
  });
}

/**
 * What was last read, or what a change that is not applied yet would leave.
 * @param changes evidence that changes may be read; needed with a change
 * @throws AppError `not_found`, `conflict` after the change was applied
 */
export async function readReachable(
  changeId: string | undefined,
  changes: Scope<'policy:read'> | null,
): Promise<Readable> {
  if (changeId === undefined || !changes) return readFirewallState();
  const { items, log_new_rules } = await findApplicableChange(db, changes.reach, changeId);
  const { after, unreadable } = (await compileChange(items, { log_new_rules })).change;
  // What a deployment would leave where nothing could be read is not known: what is live there does not prove it.
  const guests = new Map([...after.snapshots.guests].filter(([id]) => !unreadable.has(id)));
  return { ...after, snapshots: { ...after.snapshots, guests } };
}

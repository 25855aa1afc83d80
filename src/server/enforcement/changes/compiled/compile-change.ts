import { setImmediate } from 'node:timers/promises';
import type { ChangeItem } from '@/domain/change/items';
import { printFilter } from '@/domain/firewall/filter-print';
import type { Owned } from '@/domain/permissions';
import type { UnresolvedEndpoint } from '@/domain/policy/desired';
import type { TemporaryLog, TemporaryLogLevel } from '@/domain/policy/temporary-log';
import { db } from '../../../db/client';
import { sha256 } from '../../impact/hashes';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import { liveStateAt } from '../../policies/firewall-state/views';
import { mergeTemporaryLogs, planTemporaryLogs } from '../../policies/plan-temporary-logs';
import {
  computePlannedChange,
  type FirewallChange,
  type PlannedDeployment,
  type Readable,
  type VisitGuest,
} from '../../policies/planned-change';
import { compileInputs, loadPolicyInputs, type PolicyInputs } from '../../policies/policy-inputs';
import { findLastVersion } from '../../queries/policy-versions';
import { applyItems, type LastVersions, listMoves } from './apply-items';
import { planResidualRemovals } from './plan-residual-removals';
import { describeRequirements, listTouchedPolicies, type TouchedPolicy } from './touched-policies';

/** What the items of a change do to the rules of workloads, on what was last read. */
export type CompiledChange = {
  readonly items: readonly ChangeItem[];
  /** What was last read. */
  readonly firewall: FirewallState;
  /** Policies and inventory as they will be read once the items are stored. */
  readonly inputs: PolicyInputs;
  /** Policies that it deploys, in the order in which that happens at each workload. */
  readonly touched: readonly TouchedPolicy[];
  /** Workloads with residual rules that it removes, not within a wave. */
  readonly removals: readonly PlannedDeployment[];
  /** Workloads that it concerns, whether or not it changes anything there. */
  readonly workload_ids: readonly string[];
  readonly change: FirewallChange;
  /** Endpoints of the touched policies that resolve to nothing. */
  readonly unresolved: readonly UnresolvedEndpoint[];
  /** Whether anything of it is deployed: only then does it change rules, sets, defaults or switches. */
  readonly isEnforcing: boolean;
  /** Rules that it adds and logs until it is confirmed or rolled back; `inputs` has them, too. */
  readonly logs: readonly TemporaryLog[];
  /** What filters differently, workload by workload: how it filters before and after. */
  readonly differing: readonly { readonly workload_id: string; readonly before: string; readonly after: string }[];
  /**
   * Hash of what the touched policies require and of how the workloads filter before and after that are then filtered differently.
   * What filters nothing is not part of it: comments, names, tags that nothing refers to, rules of other workloads.
   */
  readonly hash: string;
};

/** What a change deploys: policies, and workloads of which it removes residual rules. */
export const listSubjects = ({ firewall, touched, removals }: CompiledChange): (Owned & { readonly id: string })[] => [
  ...touched.map(({ policy }) => policy),
  ...removals.flatMap(({ workload_ids }) => workload_ids.flatMap((id) => firewall.inputs.workloads.get(id) ?? [])),
];

/** Workloads that are evaluated before other work has its turn. */
const BATCH = 20;

/** How each interface of a workload filters, as a text. */
function printWorkload(state: Readable, workloadId: string): string {
  const workload = state.inputs.workloads.get(workloadId);
  const nics = state.snapshots.guests.get(workloadId)?.state.nics ?? [];
  if (!workload) return '';
  const live = liveStateAt(state, workload);
  return sha256(nics.map((nic) => [nic.name, printFilter(live, nic)]));
}

async function compare({ before, after, changed }: FirewallChange): Promise<CompiledChange['differing']> {
  const found: { workload_id: string; before: string; after: string }[] = [];
  for (const [at, workload_id] of [...changed].sort().entries()) {
    if (at % BATCH === 0) await setImmediate();
    const [was, is] = [printWorkload(before, workload_id), printWorkload(after, workload_id)];
    if (was !== is) found.push({ workload_id, before: was, after: is });
  }
  return found;
}

/** What the touched policies require, by policy and workload. */
export function listRequirements(inputs: PolicyInputs, deployments: readonly PlannedDeployment[]) {
  const desired = new Map(compileInputs(inputs).guests.map((guest) => [guest.workload_id, guest]));
  return deployments.map(({ policy_id, leaves, workload_ids }) => [
    policy_id,
    leaves,
    [...workload_ids].sort().flatMap((id) => {
      const guest = leaves === 'apply' ? desired.get(id) : undefined;
      return guest ? [[id, describeRequirements(policy_id, guest)]] : [];
    }),
  ]);
}

export type CompileOptions = {
  /** What was read; by default what was last read. */
  readonly firewall?: FirewallState;
  /** Called with each deployment at each guest. */
  readonly visit?: VisitGuest;
  /** Level at which rules that the change adds are logged for a time; null: their own. */
  readonly log_new_rules?: TemporaryLogLevel | null;
};

/** Of policies that the items create, or create again. */
async function readLastVersions({ policies }: PolicyInputs, items: readonly ChangeItem[]): Promise<LastVersions> {
  const stored = new Set(policies.map(({ id }) => id));
  const ids = items.flatMap((item) => (item.kind === 'policy' && !stored.has(item.policy_id) ? [item.policy_id] : []));
  return new Map(await Promise.all(ids.map(async (id) => [id, await findLastVersion(db, id)] as const)));
}

/**
 * What the items of a change compile to, and what they change at workloads. Evaluated on what was last read; no cluster is
 * contacted.
 */
export async function compileChange(
  items: readonly ChangeItem[],
  { firewall, visit, log_new_rules: level = null }: CompileOptions = {},
): Promise<CompiledChange> {
  const known = firewall ?? (await readFirewallState());
  const moves = listMoves(items);
  const last = await readLastVersions(known.inputs, items);
  const stored = applyItems(moves.size === 0 ? known.inputs : await loadPolicyInputs(moves), items, last);
  const touched = await listTouchedPolicies(known, stored, items);
  const applied = touched.flatMap(({ policy_id, leaves }) => (leaves === 'apply' ? [policy_id] : []));
  const logs = level === null ? [] : await planTemporaryLogs(level, compileInputs(stored), applied);
  const inputs = mergeTemporaryLogs(stored, logs);
  const compiled = compileInputs(inputs);
  const desired = new Map(compiled.guests.map((guest) => [guest.workload_id, guest]));
  const removals = await planResidualRemovals(known.inputs, items);
  const planned = [...removals, ...touched];
  const change = await computePlannedChange(known, inputs, planned, desired, visit);
  const differing = await compare(change);
  const ids = new Set(touched.map(({ policy_id }) => policy_id));
  return {
    items,
    firewall: known,
    inputs,
    touched,
    removals,
    workload_ids: [...new Set(planned.flatMap(({ workload_ids }) => workload_ids))].sort(),
    change,
    unresolved: compiled.unresolved.filter(({ policy_id }) => ids.has(policy_id)),
    isEnforcing: planned.length > 0,
    logs,
    differing,
    hash: sha256([listRequirements(inputs, planned), differing, [...change.unreadable].sort()]),
  };
}

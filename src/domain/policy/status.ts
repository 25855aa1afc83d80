import type { Enforcement } from '../firewall/enforcement';
import type { DefaultPolicy } from '../firewall/guest-options';
import type { GuestDiff } from './compare-rules';
import type { DesiredGuest } from './desired';
import type { SetsDiff } from './diff-sets';
import { findInversions, type Inversion, isShuffled } from './evaluation-order';

export const DEPLOYMENT_STATUSES = ['active', 'stale', 'partial', 'unresolved'] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

export const DEPLOYMENT_REASONS = [
  'never_applied',
  'guest_pending',
  'order_pending',
  'version_behind',
  'content_differs',
  'set_differs',
  'missing_rule',
  'disabled_rule',
  'duplicate_rule',
  'leftover',
  'order_differs',
  'foreign_shadow',
  'nic_flag_off',
  'guest_firewall_off',
  'cluster_firewall_off',
  'default_policy_differs',
  'node_cannot_compile',
  'enforcement_unknown',
  'guest_missing',
  'unreadable',
  'unresolved_endpoint',
] as const;
export type DeploymentReason = (typeof DEPLOYMENT_REASONS)[number];

/** One guest as it was found. */
export type GuestView = {
  readonly vmid: number;
  /** What the policies want here; null when nothing. */
  readonly desired: DesiredGuest | null;
  /** Comparison with the live rules; null when they could not be read. */
  readonly diff: GuestDiff | null;
  /** Comparison of the sets that rules refer to; null when they could not be read. */
  readonly sets: SetsDiff | null;
  /** The guest was looked for and is proven not to be there any more. */
  readonly missing: boolean;
  /** One for each interface, and their names. */
  readonly enforcement: readonly Enforcement[];
  readonly nic_names?: readonly string[];
  /** Effective default policies; null when they could not be read. */
  readonly defaults: { readonly in: DefaultPolicy; readonly out: DefaultPolicy } | null;
};

export type PolicyDeployment = {
  /** Null: nothing is to be deployed and no managed rule is live. */
  readonly status: DeploymentStatus | null;
  readonly reasons: readonly DeploymentReason[];
  /** Numbers of rules. `live`: as desired and enabled; `outdated`: older version or other content. */
  readonly expected: number;
  readonly live: number;
  readonly missing: number;
  readonly outdated: number;
  readonly leftover: number;
};

type Tally = {
  expected: number;
  live: number;
  unread: number;
  gone: number;
  outdated: number;
  leftover: number;
  disabled: number;
  /** Guests where the policy wants something: those where it was never applied, and those where it was or may be. */
  pending: number;
  deployed: number;
  /** Guests whose default shall drop, and those where it does or where that could not be read. */
  defaults: number;
  defaults_live: number;
};

/** Rules are as good as the sets that they refer to. */
function readSets(policyId: string, { desired, sets }: GuestView, reasons: Set<DeploymentReason>): void {
  const rules = (desired?.rules ?? []).filter((rule) => rule.policy_id === policyId);
  const referred = new Set(rules.map(({ content }) => (content.source ?? content.dest ?? '').replace('+guest/', '')));
  const own = (desired?.sets ?? []).filter(({ name }) => referred.has(name));
  if (own.length === 0) return;
  if (!sets) reasons.add('unreadable');
  else if ([...sets.created, ...sets.changed].some(({ name }) => referred.has(name))) reasons.add('set_differs');
}

/** Whether the policy was applied at a guest; absent: not known. */
type IsApplied = ((view: GuestView) => boolean) | undefined;

/** The guest has nothing of the policy, never applied there: any difference is pending, not a change by a user. */
const isPending = (policyId: string, view: GuestView, isApplied: IsApplied): boolean =>
  isApplied !== undefined &&
  !isApplied(view) &&
  !view.missing &&
  !view.diff?.kept.some(({ desired }) => desired.policy_id === policyId) &&
  !view.diff?.removed.some(({ policy_id }) => policy_id === policyId) &&
  !view.diff?.moved.some(({ desired }) => desired.policy_id === policyId);

/** Whether policies were last applied at a guest so that `above` is evaluated first; absent: not known. */
export type IsAppliedOrder = ((view: GuestView, inversion: Inversion) => boolean) | undefined;

/**
 * What is wrong with the order of a policy's rules among those of others: someone changed it, or the desired order
 * has changed since all of them were applied, which waits for the next apply.
 */
export function readOrder(policyId: string, view: GuestView, isAppliedOrder: IsAppliedOrder): DeploymentReason | null {
  const { diff, desired } = view;
  const moved = diff?.moved.filter(({ reason }) => reason === 'order') ?? [];
  if (!diff || moved.length === 0) return null;
  const ranks = new Map(desired?.rules.map((rule, rank) => [rule, rank]));
  const inversions = findInversions(policyId, diff, ranks);
  const pending = inversions.filter((one) => isAppliedOrder?.(view, one));
  const isMoved = moved.some((item) => item.desired.policy_id === policyId);
  const isChanged = isShuffled(policyId, diff, ranks) || inversions.length > pending.length || inversions.length === 0;
  if (isMoved && isChanged) return 'order_differs';
  // Both sides wait, also the one that would not have to move: its order is not enforced as required.
  return pending.length > 0 ? 'order_pending' : null;
}

/** What one guest says about a policy. */
function readGuest(
  policyId: string,
  view: GuestView,
  isApplied: IsApplied,
  isAppliedOrder: IsAppliedOrder,
  tally: Tally,
  reasons: Set<DeploymentReason>,
): void {
  const { desired, diff } = view;
  const expected = (desired?.rules ?? []).filter((rule) => rule.policy_id === policyId).length;
  const dropIn = desired?.drop_in.includes(policyId) ?? false;
  const dropOut = desired?.drop_out.includes(policyId) ?? false;
  tally.expected += expected;
  if (dropIn || dropOut) tally.defaults++;
  if (expected > 0 || dropIn || dropOut) {
    if (isPending(policyId, view, isApplied)) {
      tally.pending++;
      if (!diff) reasons.add('unreadable');
      return;
    }
    tally.deployed++;
  }
  if (view.missing) {
    tally.gone += expected;
    if (expected > 0 || dropIn || dropOut) reasons.add('guest_missing');
    return;
  }
  if (!diff) {
    // Managed rules may be live whether or not any are desired.
    reasons.add('unreadable');
    tally.unread += expected;
    if (dropIn || dropOut) tally.defaults_live++;
    return;
  }
  tally.live += diff.kept.filter((item) => item.desired.policy_id === policyId).length;
  for (const { policy_id, reason } of diff.removed) {
    if (policy_id !== policyId) continue;
    if (reason === 'disabled') {
      tally.disabled++;
      reasons.add('disabled_rule');
    } else if (reason === 'outdated_version' || reason === 'content_differs') {
      tally.outdated++;
      reasons.add(reason === 'outdated_version' ? 'version_behind' : 'content_differs');
    } else {
      tally.leftover++;
      reasons.add(reason === 'duplicate' ? 'duplicate_rule' : 'leftover');
    }
  }
  for (const item of diff.moved) {
    if (item.desired.policy_id === policyId && item.reason === 'foreign_rule') reasons.add('foreign_shadow');
  }
  const order = readOrder(policyId, view, isAppliedOrder);
  if (order) reasons.add(order);
  readSets(policyId, view, reasons);
  if (expected === 0 && !dropIn && !dropOut) return;
  for (const enforcement of view.enforcement) {
    if (enforcement.status === 'off') for (const reason of enforcement.reasons) reasons.add(reason);
    if (enforcement.status === 'unknown') {
      const failing = enforcement.reasons.includes('node_cannot_compile');
      reasons.add(failing ? 'node_cannot_compile' : 'enforcement_unknown');
    }
  }
  if (!dropIn && !dropOut) return;
  if ((dropIn && view.defaults?.in !== 'DROP') || (dropOut && view.defaults?.out !== 'DROP')) {
    reasons.add(view.defaults ? 'default_policy_differs' : 'unreadable');
    if (!view.defaults) tally.defaults_live++;
  } else tally.defaults_live++;
}

/** Reasons for which the live state is not the last desired one: applying again fixes them. */
const STALE: readonly DeploymentReason[] = [
  'version_behind',
  'content_differs',
  'set_differs',
  'duplicate_rule',
  'leftover',
  'order_differs',
  'foreign_shadow',
];

/** Rules that are missing only because the policy was never applied at their guests. */
const countPendingRules = (policyId: string, views: readonly GuestView[], isApplied: IsApplied): number =>
  views
    .filter((view) => isPending(policyId, view, isApplied))
    .flatMap(({ desired }) => desired?.rules ?? [])
    .filter((rule) => rule.policy_id === policyId).length;

function computeStatus(
  tally: Tally,
  reasons: ReadonlySet<DeploymentReason>,
  enforced: boolean,
): DeploymentStatus | null {
  const { expected, live, unread, disabled, defaults } = tally;
  const ours = live + tally.outdated + tally.leftover + disabled;
  // Not readable is no status of its own here: the reason tells it.
  if (!enforced) return ours > 0 ? 'stale' : null;
  // A default that shall drop is something to expect, also of a policy without rules.
  if (expected === 0 && ours === 0 && defaults === 0) return 'unresolved';
  if (STALE.some((reason) => reasons.has(reason))) return 'stale';
  // Nothing else differs: it waits for an apply, and people are shown that (`toDisplayStatus`).
  if (reasons.size === 1 && reasons.has('order_pending')) return 'stale';
  if (tally.pending > 0 && tally.deployed === 0) return 'stale';
  if (live === 0 && unread === 0 && expected > 0) return 'stale';
  if (expected === 0 && defaults > 0 && tally.defaults_live === 0) return 'stale';
  return reasons.size > 0 || live < expected ? 'partial' : 'active';
}

/**
 * How far a policy is deployed on one cluster, from the comparison at each guest.
 * @param enforced whether the policy is enabled and in mode `enforced`; else nothing is expected of the guests
 * @param unresolved whether an endpoint of the policy resolves to nothing
 * @param views guests of the cluster where the policy requires something, or where something managed was found
 * @param isApplied whether a deployment wrote the policy at a guest; without it only the live state counts
 * @param isAppliedOrder whether two policies were applied in the order in which they are live
 */
export function deploymentStatus(
  policyId: string,
  enforced: boolean,
  unresolved: boolean,
  views: readonly GuestView[],
  isApplied?: (view: GuestView) => boolean,
  isAppliedOrder?: (view: GuestView, inversion: Inversion) => boolean,
): PolicyDeployment {
  const tally: Tally = {
    expected: 0,
    live: 0,
    unread: 0,
    gone: 0,
    outdated: 0,
    leftover: 0,
    disabled: 0,
    pending: 0,
    deployed: 0,
    defaults: 0,
    defaults_live: 0,
  };
  const reasons = new Set<DeploymentReason>();
  for (const view of views) readGuest(policyId, view, isApplied, isAppliedOrder, tally, reasons);
  const { expected, live, unread, outdated, leftover, disabled } = tally;
  const missing = Math.max(0, expected - live - unread);
  const nothing = live + unread + outdated + leftover + disabled === 0;
  // Rules of a guest that is gone are missing with it; that does not affect the others.
  if (tally.pending > 0) reasons.add(tally.deployed === 0 ? 'never_applied' : 'guest_pending');
  else if (missing > tally.gone && nothing && !views.some((view) => isApplied?.(view))) reasons.add('never_applied');
  if (
    !reasons.has('never_applied') &&
    missing - countPendingRules(policyId, views, isApplied) > outdated + disabled + tally.gone
  )
    reasons.add('missing_rule');
  const status = computeStatus(tally, reasons, enforced);
  // Named without changing the status: what resolves is deployed, the rest yields no rule.
  if (unresolved && enforced) reasons.add('unresolved_endpoint');
  return {
    status,
    reasons: DEPLOYMENT_REASONS.filter((reason) => reasons.has(reason)),
    expected,
    live,
    missing,
    outdated,
    leftover,
  };
}

type Standing = {
  readonly status: DeploymentStatus | null;
  readonly deployments: readonly Pick<PolicyDeployment, 'status' | 'reasons'>[];
};

/** Displayed statuses. A policy, or an order of policies, that was not applied yet is pending, which is no fault. */
export const SHOWN_STATUSES = ['active', 'pending', 'partial', 'stale', 'unresolved', 'none'] as const;
export type ShownStatus = (typeof SHOWN_STATUSES)[number];

const isWaiting = ({ status, reasons }: Standing['deployments'][number]) =>
  status === 'stale' &&
  (reasons.includes('never_applied') ||
    (reasons.includes('order_pending') && !reasons.some((reason) => STALE.includes(reason))));

/** The status as it is shown: clusters where an apply is all that is missing count only when all others are fine. */
export function toDisplayStatus({ status, deployments }: Standing): ShownStatus {
  if (!deployments.some(isWaiting)) return status ?? 'none';
  const worst = worstStatus(
    deployments.filter((deployment) => !isWaiting(deployment)).map((deployment) => deployment.status),
  );
  return worst === null || worst === 'active' ? 'pending' : worst;
}

/** From best to worst. */
const SEVERITY: readonly DeploymentStatus[] = ['active', 'partial', 'stale', 'unresolved'];

/** The overall status of a policy is the worst of its clusters'; null when no cluster has one. */
export function worstStatus(statuses: readonly (DeploymentStatus | null)[]): DeploymentStatus | null {
  return SEVERITY.findLast((status) => statuses.includes(status)) ?? null;
}

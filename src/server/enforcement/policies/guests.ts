import { toDesiredRuleView, toLiveRuleView } from '@/domain/firewall/rule-view';
import type { Page } from '@/domain/list';
import { isWithinReach } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import type { PolicyGuest, PolicyGuestComparison, PolicyGuestListInput } from '@/domain/policy-guests';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { findPolicy } from '../queries/policies';
import type { InputPolicy } from '../queries/policy-inputs';
import { listAppliedAt } from '../queries/policy-placements';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState, refreshFirewallState } from './firewall-state/read-firewall-state';
import { interfaceProtections } from './firewall-state/views';
import { findTouching } from './policies-in-reach';

/** How far a policy is enforced on one workload; null for a workload that is not in the inventory. */
export function policyGuest(
  firewall: FirewallState,
  policy: Pick<InputPolicy, 'id' | 'enabled' | 'definition'>,
  workloadId: string,
): PolicyGuest | null {
  const workload = firewall.inputs.workloads.get(workloadId);
  if (!workload) return null;
  const { reasons, ...standing } = firewall.standingAt(policy, [workloadId]);
  return {
    workload_id: workload.id,
    name: workload.name,
    vmid: workload.vmid,
    external_id: workload.external_id,
    cluster_id: workload.cluster_id,
    cluster_name: firewall.inputs.clusters.get(workload.cluster_id)?.name ?? '',
    node_name: workload.node_name,
    ...standing,
    reasons: [...reasons],
    read_at: firewall.readAt([workloadId]),
  };
}

/**
 * What a policy intends at one guest, what was last applied there, and what is live: read now.
 * @throws AppError `not_found`, also for a guest that the policy has nothing to do with
 */
export async function comparePolicyGuest(
  scope: Scope<'policy:read'>,
  policyId: string,
  workloadId: string,
): Promise<PolicyGuestComparison> {
  const policy = await findPolicy(db, scope.reach, policyId);
  if (!policy) throw notFound('policy');
  const [firewall, applied] = await Promise.all([
    refreshFirewallState((known) => known.listPolicyWorkloads(policyId).filter((id) => id === workloadId)),
    listAppliedAt(db, [workloadId]),
  ]);
  const { inputs, snapshots } = firewall;
  const workload = inputs.workloads.get(workloadId);
  const guest = policyGuest(firewall, policy, workloadId);
  const concerned = firewall.listPolicyWorkloads(policyId).includes(workloadId);
  if (!workload || !guest || !concerned || !isWithinReach(workload, scope.reach)) {
    throw new AppError('not_found', 'The policy places nothing on this workload.');
  }
  const placement = applied.find((row) => row.policy_id === policyId);
  const state = snapshots.guests.get(workloadId)?.state ?? null;
  const view = firewall.viewAt(workloadId);
  const protections = interfaceProtections(firewall, workloadId);
  const ofPolicy = (rule: { policy_id: string }) => rule.policy_id === policyId;
  const live = (rule: Parameters<typeof toLiveRuleView>[0]) => toLiveRuleView(rule, inputs.instance, workload.vmid);
  const diff = view?.diff ?? null;
  return {
    ...guest,
    policy_id: policyId,
    policy_version: policy.version,
    intended: (firewall.desiredAt(workloadId)?.rules ?? []).filter(ofPolicy).map((rule) => toDesiredRuleView(rule)),
    last_applied: placement
      ? {
          policy_version: placement.policy_version,
          applied_at: placement.applied_at,
          rules: placement.rules.map((rule) => toDesiredRuleView(rule)),
          drop_in: placement.drop_in,
          drop_out: placement.drop_out,
        }
      : null,
    live_rules:
      state?.rules?.filter(({ comment }) => parseMarker(comment)?.policy_id === policyId).map((rule) => live(rule)) ??
      null,
    difference: diff && {
      missing: diff.added.filter(ofPolicy).map((rule) => toDesiredRuleView(rule)),
      surplus: diff.removed.filter(ofPolicy).map(({ rule, reason }) => ({ ...live(rule), reason })),
      misplaced: diff.moved
        .filter(({ desired }) => ofPolicy(desired))
        .map(({ rule, reason }) => ({ ...live(rule), reason })),
    },
    interfaces:
      state?.nics?.map(({ name }, at) => {
        const enforcement = view?.enforcement[at];
        return {
          name,
          status: enforcement?.status ?? 'unknown',
          reasons: enforcement && 'reasons' in enforcement ? [...enforcement.reasons] : [],
          protection: protections?.get(name)?.protection ?? 'unknown',
        };
      }) ?? null,
    unreadable: [...(state?.unreadable ?? [])],
  };
}

/** Vmid and workload of the last item of a page. */
function decode(cursor: string): [number, string] {
  const [, vmid, id] = /^(\d{1,9})\.([0-9a-f-]{36})$/.exec(cursor) ?? [];
  if (vmid === undefined || id === undefined) {
    throw new AppError('malformed', 'The cursor is not from this list. Start again without a cursor.', {
      errors: [{ field: 'cursor', message: 'Use next_cursor of the previous page, unchanged.' }],
    });
  }
  return [Number(vmid), id];
}

/** The texts that the list shows of a workload. */
const listSearchTexts = ({ name, external_id, cluster_name, node_name }: PolicyGuest) => [
  name,
  external_id,
  cluster_name,
  node_name ?? '',
];

/**
 * The guests where a policy wants rules, has some or was applied, by number. No cluster is asked.
 * @throws AppError `not_found`
 */
export async function listPolicyGuests(
  scope: Scope<'policy:read'>,
  id: string,
  { limit, cursor, sort, q, status, cluster_id }: PolicyGuestListInput,
): Promise<Page<PolicyGuest>> {
  const [policy, firewall] = await Promise.all([
    findPolicy(db, scope.reach, id, await findTouching(scope.reach)),
    readFirewallState(),
  ]);
  if (!policy) throw notFound('policy');
  const desired = status === 'none' ? null : status;
  const text = q?.toLowerCase();
  const direction = sort === '-vmid' ? -1 : 1;
  const compare = (a: readonly [number, string], b: readonly [number, string]) =>
    direction * (a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0));
  const guests = firewall
    .listPolicyWorkloads(id)
    .filter((workloadId) => {
      const workload = firewall.inputs.workloads.get(workloadId);
      return workload !== undefined && isWithinReach(workload, scope.reach);
    })
    .flatMap((workloadId) => policyGuest(firewall, policy, workloadId) ?? [])
    .filter(
      (guest) =>
        (desired === undefined || guest.status === desired) &&
        (cluster_id === undefined || guest.cluster_id === cluster_id) &&
        (text === undefined || listSearchTexts(guest).some((shown) => shown.toLowerCase().includes(text))),
    )
    .sort((a, b) => compare([a.vmid, a.workload_id], [b.vmid, b.workload_id]));
  const after = cursor === undefined ? null : decode(cursor);
  const rest = after ? guests.filter((guest) => compare([guest.vmid, guest.workload_id], after) > 0) : guests;
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next_cursor: rest.length > limit && last ? `${last.vmid}.${last.workload_id}` : null,
    total: guests.length,
  };
}

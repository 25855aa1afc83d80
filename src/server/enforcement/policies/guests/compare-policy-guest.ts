import { viewOfLiveRule, viewOfWantedRule } from '@/domain/firewall/rule-view';
import { isWithinReach } from '@/domain/permissions';
import { parseMarker } from '@/domain/policy/marker';
import type { PolicyGuestComparison } from '@/domain/policy-guests';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { notFound } from '../../../lib/refusals';
import { findPolicy } from '../../queries/policies';
import { listAppliedAt } from '../../queries/policy-standings';
import { readBoardAfresh } from '../board/read-board-afresh';
import { interfaceProtections } from '../board/workload-protection';
import { policyGuest } from './policy-guest';

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
  const [board, applied] = await Promise.all([
    readBoardAfresh((known) => known.placesOf(policyId).filter((id) => id === workloadId)),
    listAppliedAt(db, [workloadId]),
  ]);
  const { world, readings } = board;
  const workload = world.workloads.get(workloadId);
  const guest = policyGuest(board, policy, workloadId);
  const concerned = board.placesOf(policyId).includes(workloadId);
  if (!workload || !guest || !concerned || !isWithinReach(workload, scope.reach)) {
    throw new AppError('not_found', 'The policy has nothing at this workload.');
  }
  const placement = applied.find((row) => row.policy_id === policyId);
  const state = readings.guests.get(workloadId)?.state ?? null;
  const view = board.viewAt(workloadId);
  const protections = interfaceProtections(board, workloadId);
  const ofPolicy = (rule: { policy_id: string }) => rule.policy_id === policyId;
  const live = (rule: Parameters<typeof viewOfLiveRule>[0]) => viewOfLiveRule(rule, world.instance, workload.vmid);
  const diff = view?.diff ?? null;
  return {
    ...guest,
    policy_id: policyId,
    policy_version: policy.version,
    intended: (board.wantedAt(workloadId)?.rules ?? []).filter(ofPolicy).map((rule) => viewOfWantedRule(rule)),
    last_applied: placement
      ? {
          policy_version: placement.policy_version,
          applied_at: placement.applied_at,
          rules: placement.rules.map((rule) => viewOfWantedRule(rule)),
          drop_in: placement.drop_in,
          drop_out: placement.drop_out,
        }
      : null,
    live_rules:
      state?.rules?.filter(({ comment }) => parseMarker(comment)?.policy_id === policyId).map((rule) => live(rule)) ??
      null,
    difference: diff && {
      missing: diff.added.filter(ofPolicy).map((rule) => viewOfWantedRule(rule)),
      surplus: diff.removed.filter(ofPolicy).map(({ rule, reason }) => ({ ...live(rule), reason })),
      misplaced: diff.moved
        .filter(({ wanted }) => ofPolicy(wanted))
        .map(({ rule, reason }) => ({ ...live(rule), reason })),
    },
    interfaces:
      state?.nics?.map(({ name }, at) => {
        const enforcement = view?.enforcement[at];
        return {
          name,
          status: enforcement?.status ?? 'unknown',
          reasons: enforcement && 'reasons' in enforcement ? [...enforcement.reasons] : [],
          protection: protections?.get(name) ?? 'unknown',
        };
      }) ?? null,
    unreadable: [...(state?.unreadable ?? [])],
  };
}

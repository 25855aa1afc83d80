import type { RolloutPolicy, StoredRollout } from '@/domain/change/rollout';
import { planWaves, type Rollout, type Waves } from '@/domain/change/waves';
import { planSums } from '@/domain/flow/plan-sums';
import { toOwner } from '@/domain/permissions';
import type { Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { flowStore } from '../../../traffic/storage/flow-store';
import { listOwnWorkloadIds } from '../../own-connections/own-workloads';
import type { PolicyInputs } from '../../policies/policy-inputs';
import { listTestsAt } from '../../queries/change-checks';
import { listAppliedVersions, replaceChangeWorkloads } from '../../queries/change-rollouts';
import type { InputPolicy } from '../../queries/policy-inputs';
import type { Fingerprints } from '../compiled/compile-fresh';

/** A policy that a change deploys, and where. */
export type Touched = {
  readonly policy_id: string;
  readonly policy: InputPolicy;
  readonly leaves: 'apply' | 'cleanup';
  readonly workload_ids: readonly string[];
};

/** Results of the policy tests at these workloads as they are now. */
export async function readTestResults(tx: Tx, workloadIds: readonly string[]): Promise<StoredRollout['tests_before']> {
  const tests = await listTestsAt(tx, 'all', workloadIds);
  return tests.map(({ id, result }) => ({ id, result }));
}

const EVIDENCE_DAYS = 7;

/** How many flows each workload had lately. */
async function countEvidence(): Promise<Map<string, number>> {
  const now = clock.now().getTime();
  const { parts } = planSums({ since: now - EVIDENCE_DAYS * 86_400_000, until: now }, now);
  const rows = await flowStore().talkers.byWorkload(parts);
  return new Map(rows.map(({ workload_id, flows }) => [workload_id, flows ?? 0]));
}

/** Workloads with what decides in which wave they are written. */
export async function readRollouts(
  workloadIds: readonly string[],
  inputs: PolicyInputs,
  { canaries }: Waves,
): Promise<Rollout[]> {
  const [own, evidence] = await Promise.all([
    listOwnWorkloadIds(inputs),
    canaries?.by === 'count' ? countEvidence() : new Map<string, number>(),
  ]);
  return workloadIds.flatMap((id) => {
    const workload = inputs.workloads.get(id);
    if (!workload) return [];
    const { vmid, tags } = workload;
    return [{ id, vmid, tags, evidence: evidence.get(id) ?? 0, own: own.has(id) }];
  });
}

/** Stores the waves of a change. @returns how many there are */
export async function storeWaves(
  tx: Tx,
  changeId: string,
  rollouts: readonly Rollout[],
  waves: Waves,
): Promise<number> {
  const planned = planWaves(rollouts, waves);
  const rows = planned.flatMap(({ kind, workload_ids }, at) =>
    workload_ids.map((workload_id) => ({ change_id: changeId, workload_id, wave: at + 1, wave_kind: kind })),
  );
  await replaceChangeWorkloads(tx, changeId, rows);
  return planned.length;
}

/**
 * The policies of a roll-out, with the versions of which rules are live before it. Call it before the content is stored.
 * @param fingerprints null: whatever the change requires is written
 */
export async function describeTouched(
  tx: Tx,
  touched: readonly Touched[],
  known: ReadonlyMap<string, InputPolicy>,
  fingerprints: Fingerprints | null,
): Promise<RolloutPolicy[]> {
  const applied = await listAppliedVersions(
    tx,
    touched.map(({ policy_id }) => policy_id),
  );
  return touched.map(({ policy_id, policy, leaves, workload_ids }) => {
    const before = known.get(policy_id);
    const live = applied.get(policy_id) ?? null;
    // Versions that compile to the same count as live.
    const isLive = before !== undefined && live !== null && live >= (before.rules_version ?? before.version);
    return {
      policy_id,
      name: policy.name,
      ...toOwner(before ?? policy),
      kind: leaves,
      workload_ids: [...workload_ids],
      live_version: isLive ? before.version : live,
      ...(fingerprints && { fingerprints: fingerprints.get(policy_id) ?? {} }),
    };
  });
}

/** A roll-out of which nothing is written yet. */
export const createRollout = (
  policies: readonly RolloutPolicy[],
  requestedBy: string | null,
  tests_before: StoredRollout['tests_before'],
  { overridden_tests }: Pick<StoredRollout, 'overridden_tests'>,
): StoredRollout => ({
  requested_by: requestedBy,
  policies,
  ...(overridden_tests && { overridden_tests }),
  tests_before,
  tests_after: null,
  wave: 0,
  paused: false,
  resume_at: null,
  tries: 0,
  retry_at: null,
});

import { chooseRetrySeconds, LOG_REMOVAL_WAITING } from '@/domain/change/rollout';
import { toOwner } from '@/domain/permissions';
import type { Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { groupBy } from '../../../lib/group-by';
import { requestCleanupIn } from '../../deployments/request-again';
import { isDeployed } from '../../policies/policy-inputs';
import { listChangeDeployments, listChangeGuests } from '../../queries/change-rollouts';
import { type ChangeRow, updateChangeIn } from '../../queries/changes';
import { findPolicyState } from '../../queries/policy-placements';
import { findLastVersion } from '../../queries/policy-versions';
import { deleteTemporaryLogs, listTemporaryLogs } from '../../queries/temporary-logs';
import { publishChange, recordChange } from '../transition';
import { describeFailed, insertWave, listFailed } from './deploy-wave';
import { type AppliedChange, endChange, readClusters, rolloutScope } from './roll-back';
import type { Acting } from './store-items';

const WAVE = 0;

/** Adds a try to end the log levels of a change, wherever they are left. */
async function insertTry(tx: Tx, change: AppliedChange): Promise<string[]> {
  const logs = groupBy(await listTemporaryLogs(tx, change.id), ({ policy_id }) => policy_id);
  const planned = change.rollout.policies.map(({ fingerprints: _, ...policy }) => ({
    ...policy,
    kind: 'log_removal' as const,
    workload_ids: (logs.get(policy.policy_id) ?? []).map(({ workload_id }) => workload_id),
  }));
  return insertWave(tx, change, WAVE, planned, await readClusters(tx, change.id));
}

/**
 * Has the rules of policies removed that are no longer deployed, wherever they are: the waves removed them where they were read
 * before, and there may be clones and restored backups that were not. Not before the confirmation, because a rollback restores
 * only what the waves wrote.
 */
async function requestCleanups(tx: Tx, by: Acting, { rollout }: AppliedChange): Promise<string[]> {
  const ids: string[] = [];
  for (const { policy_id, name, kind, ...owner } of rollout.policies) {
    const stored = kind === 'cleanup' ? await findPolicyState(tx, policy_id) : null;
    if (kind !== 'cleanup' || (stored && isDeployed(stored))) continue;
    const trigger = stored === null ? 'deleted' : stored.enabled ? 'audit' : 'disabled';
    const policy_version = stored?.version ?? Math.max(await findLastVersion(tx, policy_id), 1);
    const policy = { ...toOwner(stored ?? owner), policy_id, policy_version, name: stored?.name ?? name };
    const requested = await requestCleanupIn(tx, by, policy, trigger);
    ids.push(...requested.map(({ deployment_id }) => deployment_id));
  }
  return ids;
}

/**
 * Confirms a change, has the log levels removed that it gave its new rules until now, and the rules of policies that it deleted,
 * disabled or switched to audit mode, on workloads that were not known when it was applied.
 * @returns deployments for `startDeployments` after the commit
 */
export async function confirmIn(
  tx: Tx,
  by: Acting,
  change: AppliedChange,
  { comment = '', values = {} }: { comment?: string; values?: Partial<ChangeRow> },
): Promise<string[]> {
  const ids = await insertTry(tx, change);
  const rollout = { ...change.rollout, tries: ids.length > 0 ? 1 : 0, retry_at: null };
  const removes_log = ids.length > 0;
  const cleanups = await requestCleanups(tx, by, change);
  await endChange(tx, by, { ...change, rollout }, 'confirmed', { comment, values: { ...values, removes_log } });
  return [...ids, ...cleanups];
}

/** One step of removing the log levels of a confirmed change: its end, or another try. @returns deployments to start */
export async function advanceLogRemoval(tx: Tx, change: AppliedChange): Promise<string[]> {
  const { rollout } = change;
  const now = clock.now();
  const all = (await listChangeDeployments(tx, change.id)).filter(({ kind }) => kind === 'log_removal');
  if (all.some(({ finished_at }) => finished_at === null)) return [];
  const failed = listFailed(all, await listChangeGuests(tx, change.id));
  const waiting = new Set(failed.map(({ workload_id }) => workload_id));
  const left = await listTemporaryLogs(tx, change.id);
  // Workloads that are gone, or have another owner by now, have none of its rules any more.
  const gone = left.flatMap(({ workload_id }) => (waiting.has(workload_id) ? [] : [workload_id]));
  if (gone.length > 0) await deleteTemporaryLogs(tx, change.id, gone);
  const others = change.problems.filter(({ code }) => code !== LOG_REMOVAL_WAITING);
  if (gone.length === left.length) {
    await updateChangeIn(tx, change.id, change.state, { removes_log: false, problems: others });
    await publishChange(tx, change.id);
    await recordChange(tx, rolloutScope, change, 'change.log_removed', {});
    return [];
  }
  if (rollout.retry_at === null) {
    const retry_at = new Date(now.getTime() + chooseRetrySeconds(rollout.tries) * 1_000).toISOString();
    const problem = {
      code: LOG_REMOVAL_WAITING,
      message: `New rules are still logged: ${describeFailed(failed)}`,
      remedy: 'The removal of the log level is retried automatically until it succeeds. Make the node reachable.',
    };
    await updateChangeIn(tx, change.id, change.state, {
      rollout: { ...rollout, retry_at },
      problems: [...others, problem],
    });
    await publishChange(tx, change.id);
    // Once for each reason: a node may be away for days.
    if (!change.problems.some(({ message }) => message === problem.message)) {
      await recordChange(tx, rolloutScope, change, 'change.log_removal_waiting', { reason: problem.message });
    }
    return [];
  }
  if (now.toISOString() < rollout.retry_at) return [];
  await updateChangeIn(tx, change.id, change.state, {
    rollout: { ...rollout, tries: rollout.tries + 1, retry_at: null },
  });
  await publishChange(tx, change.id);
  return insertTry(tx, change);
}

import { listObjectIds } from '@/domain/change/item-objects';
import { chooseRetrySeconds, ROLLBACK_PROBLEMS, type StoredRollout } from '@/domain/change/rollout';
import type { DeploymentProblem } from '@/domain/deployments';
import { LEFT_ON_REASONS } from '@/domain/policy/plan/restoration';
import { systemScope } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { clock } from '../../../lib/clock';
import { groupBy } from '../../../lib/group-by';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import { isDeployed } from '../../policies/policy-inputs';
import {
  type ChangeDeployment,
  endWaitingDeployments,
  listChangeDeployments,
  listChangeGuests,
  listChangeWorkloads,
} from '../../queries/change-rollouts';
import { type ChangeRow, updateChangeIn } from '../../queries/changes';
import { lockObjects } from '../../queries/managed-objects';
import { findPolicyState } from '../../queries/policy-placements';
import { deleteTemporaryLogs } from '../../queries/temporary-logs';
import { moveChange, publishChange, recordChange } from '../transition';
import { describeFailed, insertWave, listFailed } from './deploy-wave';
import { createIncomplete } from './move-workloads';
import { readTestResults } from './plan-rollout';
import type { Acting } from './store-items';
import { undoItems } from './undo-items';

/** A change that was applied. */
export type AppliedChange = ChangeRow & { rollout: StoredRollout };

/** What the workers do on behalf of a change. */
export const rolloutScope = systemScope('policy:apply', 'change roll-out');

const WITHDRAWN: DeploymentProblem = {
  code: 'rolled_back',
  message: 'The change was rolled back before this deployment began.',
  remedy: null,
};

const isWrite = ({ wave }: Pick<ChangeDeployment, 'wave'>) => (wave ?? 0) > 0;

/** Ends a change, with the results of the policy tests at its workloads. */
export async function endChange(
  tx: Tx,
  by: Acting,
  change: AppliedChange,
  to: 'confirmed' | 'rolled_back',
  { comment = '', values = {} }: { comment?: string; values?: Partial<ChangeRow> } = {},
): Promise<void> {
  const touched = (await listChangeWorkloads(tx, change.id)).map(({ workload_id }) => workload_id);
  const tests_after = await readTestResults(tx, touched);
  const own = {
    rollout: { ...change.rollout, tests_after },
    finished_at: clock.now().toISOString(),
    confirm_until: null,
  };
  await moveChange(tx, by, change, to, { comment, values: { ...values, ...own } });
}

/** The clusters of the workloads of a change that still exist. */
export async function readClusters(tx: Tx, changeId: string): Promise<Map<string, string>> {
  const rows = await listChangeWorkloads(tx, changeId);
  return new Map(rows.flatMap(({ workload_id, cluster_id }) => (cluster_id ? [[workload_id, cluster_id]] : [])));
}

/** Adds a try of the rollback at these workloads of each policy. What takes the place of another policy comes first. */
async function insertTry(
  tx: Tx,
  change: AppliedChange,
  places: ReadonlyMap<string, readonly string[]>,
): Promise<{ ids: string[]; rollout: StoredRollout }> {
  const rollout = { ...change.rollout, tries: change.rollout.tries + 1, retry_at: null };
  const planned: Parameters<typeof insertWave>[3][number][] = [];
  for (const policy of change.rollout.policies) {
    const workload_ids = places.get(policy.policy_id) ?? [];
    if (workload_ids.length === 0) continue;
    const stored = await findPolicyState(tx, policy.policy_id);
    planned.push({ ...policy, kind: stored && isDeployed(stored) ? 'apply' : 'cleanup', workload_ids });
  }
  const isFirst = ({ kind }: (typeof planned)[number]) => Number(kind === 'cleanup');
  planned.sort((a, b) => isFirst(a) - isFirst(b));
  const clusters = await readClusters(tx, change.id);
  return { ids: await insertWave(tx, { ...change, rollout }, -rollout.tries, planned, clusters), rollout };
}

/**
 * Takes a change back inside the caller's transaction: stores the former content, and has every workload written again that the
 * change wrote, or may have written.
 * @returns deployments for `startDeployments` after the commit
 */
export async function rollBackIn(tx: Tx, by: Acting, change: AppliedChange, comment: string): Promise<string[]> {
  const { index } = (await readFirewallState()).inputs;
  await lockObjects(tx, [
    ...change.rollout.policies.map(({ policy_id }) => policy_id),
    ...change.items.flatMap(listObjectIds),
  ]);
  await endWaitingDeployments(tx, change.id, WITHDRAWN);
  const { problems, removals } = await undoItems(tx, by, change, index, change.rollout.policies);
  const begun = (await listChangeDeployments(tx, change.id)).filter(
    (one) => isWrite(one) && one.problems[0]?.code !== WITHDRAWN.code,
  );
  const places = new Map(
    [...groupBy(begun, ({ policy_id }) => policy_id)].map(([policy_id, list]) => [
      policy_id,
      [...new Set(list.flatMap(({ workload_ids }) => workload_ids ?? []))],
    ]),
  );
  await deleteTemporaryLogs(tx, change.id);
  const { ids, rollout } = await insertTry(tx, change, places);
  await moveChange(tx, by, change, 'rolling_back', {
    comment,
    values: { rollout, problems: [...change.problems, ...problems], confirm_until: null },
  });
  return [...ids, ...removals];
}

const isLeftOn = (code: string) => (LEFT_ON_REASONS as readonly string[]).includes(code);

/** Switches that stay as the change left them, because someone else's edit depends on them. */
async function listLeftOn(tx: Tx, changeId: string): Promise<DeploymentProblem[]> {
  const guests = (await listChangeGuests(tx, changeId)).filter(({ wave }) => (wave ?? 0) < 0);
  const reports = guests.flatMap(({ name, vmid, notes }) =>
    notes.filter(({ code }) => isLeftOn(code)).map(({ message }) => `${name} (${vmid}): ${message}`),
  );
  return [...new Set(reports)].map(createIncomplete);
}

const RETRIED = ROLLBACK_PROBLEMS.waiting;

const describeIncomplete = (problems: readonly DeploymentProblem[]): string =>
  problems
    .filter(({ code }) => code === ROLLBACK_PROBLEMS.incomplete)
    .map(({ message }) => message)
    .join(' ');

/** One step of a rollback: the end of a try, or the start of the next one. @returns deployments to start */
export async function advanceRollback(tx: Tx, change: AppliedChange): Promise<string[]> {
  const { rollout } = change;
  const now = clock.now();
  const all = await listChangeDeployments(tx, change.id);
  if (all.some(({ finished_at }) => finished_at === null)) return [];
  const latest = all.filter(({ wave }) => wave === -rollout.tries);
  const failed = listFailed(latest, await listChangeGuests(tx, change.id));
  const others = change.problems.filter(({ code }) => code !== RETRIED);
  if (failed.length === 0) {
    const problems = [...others, ...(await listLeftOn(tx, change.id))];
    const comment = describeIncomplete(problems);
    await endChange(tx, rolloutScope, change, 'rolled_back', { comment, values: { problems } });
    return [];
  }
  if (rollout.retry_at === null) {
    const retry_at = new Date(now.getTime() + chooseRetrySeconds(rollout.tries) * 1_000).toISOString();
    const problem = {
      code: RETRIED,
      message: `The rollback is not complete: ${describeFailed(failed)}`,
      remedy: 'It is retried automatically until it succeeds. Make the node reachable.',
    };
    await updateChangeIn(tx, change.id, change.state, {
      rollout: { ...rollout, retry_at },
      problems: [...others, problem],
    });
    await publishChange(tx, change.id);
    // Once for each reason: a node may be away for days.
    if (!change.problems.some(({ message }) => message === problem.message)) {
      await recordChange(tx, rolloutScope, change, 'change.rollback_waiting', { reason: problem.message });
    }
    return [];
  }
  if (now.toISOString() < rollout.retry_at) return [];
  const places = new Map(
    [...groupBy(failed, ({ policy_id }) => policy_id)].map(([policy_id, list]) => [
      policy_id,
      [...new Set(list.map(({ workload_id }) => workload_id))],
    ]),
  );
  const next = await insertTry(tx, change, places);
  await updateChangeIn(tx, change.id, change.state, { rollout: next.rollout });
  await publishChange(tx, change.id);
  // Workloads that no longer exist need nothing; without deployments the next look ends the rollback.
  return next.ids;
}

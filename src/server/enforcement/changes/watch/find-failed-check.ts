import type { Tx } from '../../../db/client';
import { evaluatePolicyTests } from '../../policy-tests/evaluate-tests';
import { listChangeWorkloads } from '../../queries/change-rollouts';
import type { ChangeRow } from '../../queries/changes';
import { readChecks } from './read-checks';

const SEES_ALL = { tests: 'all', agents: true } as const;

type Watched = Pick<ChangeRow, 'id' | 'applied_at' | 'rollback_on_failed_check' | 'rollout'>;

/**
 * The first check that fails because of a change, in one sentence; null: none does, or the change does not ask for it. Tests that
 * the last writes touched are evaluated now: their next pass may be seconds away.
 */
export async function findFailedCheck(tx: Tx, change: Watched): Promise<string | null> {
  const { id, applied_at, rollback_on_failed_check, rollout } = change;
  if (applied_at === null || !rollback_on_failed_check) return null;
  await evaluatePolicyTests();
  const touched = (await listChangeWorkloads(tx, id)).map(({ workload_id }) => workload_id);
  // What was known to fail, and accepted, is no reason.
  const known = rollout?.overridden_tests ?? [];
  const failed = (await readChecks(tx, { applied_at }, touched, SEES_ALL)).find(
    (check) => check.state === 'failing' && (check.kind === 'agent' || !known.includes(check.id ?? '')),
  );
  if (!failed) return null;
  return failed.kind === 'agent'
    ? `The agent of node ${failed.name} does not report any more.`
    : `The policy test ${failed.name} fails on the live rules.`;
}

import type { ChangeItem } from '@/domain/change/items';
import type { Waves } from '@/domain/change/waves';
import { HOUR_MS } from '@/domain/durations';
import { type Owned, toOwner } from '@/domain/permissions';
import type { PolicySnapshot } from '@/domain/policies';
import { type ApprovedExpiry, describeExpiry, listExpired, withoutExpiredRules } from '@/domain/policy/expiry';
import { systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { logger } from '../../lib/logger';
import { storedSettings } from '../../settings/settings';
import { type CompiledChange, compileChange } from '../changes/compiled/compile-change';
import { readChangeWorkloads } from '../changes/compiled/compile-fresh';
import { insertDraft } from '../changes/draft/create-change';
import { summarizeCompiled } from '../changes/review/compile-once';
import { enqueueAdvance } from '../changes/rollout/advance-change';
import { startRolloutIn } from '../changes/rollout/apply-change';
import { assertNoRollout } from '../changes/rollout/guard';
import { readRollouts } from '../changes/rollout/plan-rollout';
import { moveChange } from '../changes/transition';
import { startDeployments } from '../deployments/schedule';
import { readPolicySnapshot } from '../policies/change-policy';
import { isDeployed } from '../policies/policy-inputs';
import { assertTestsHoldAfterChange, NO_TEST_RIGHTS } from '../policy-tests/apply-gate';
import { listAppliedVersions } from '../queries/change-rollouts';
import { clearExpiryProblems, findTakenBack, listToRemove, noteExpiryProblem } from '../queries/expiries';
import { lockPolicy, type PolicyRow } from '../queries/policies';
import { describeApprovedExpiry } from './approved-expiry';
import { retryStopped } from './retry-stopped';

const scope = systemScope('policy:apply', 'policy expiry');
const ONE_WAVE: Waves = { canaries: null, pause_seconds: null };
const MAX_TITLE = 120;
/** After a change was taken back, the next one starts this much later. */
const RETRY_MS = HOUR_MS;

type Policy = PolicySnapshot & Owned & Pick<PolicyRow, 'id' | 'version' | 'rules_version'>;
type Removal = { readonly title: string; readonly item: ChangeItem; readonly expiry: ApprovedExpiry[] };

async function readPolicy(id: string): Promise<Policy | null> {
  return db.transaction(async (tx) => {
    const row = await lockPolicy(tx, 'all', id);
    if (!row) return null;
    const { version, rules_version } = row;
    return { id, version, rules_version, ...toOwner(row), ...(await readPolicySnapshot(tx, row)) };
  });
}

/** What the edits of a policy have in common. */
function toItemBase({ id: policy_id, version, rules_version: _, tenant_id, project_id, ...content }: Policy) {
  const { name } = content;
  const before = { ...content, version };
  return { content, own: { policy_id, name, tenant_id, project_id, base_version: version, before } };
}

/** The edit that applies a policy as it is stored. */
function toAppliedItem(policy: Policy): ChangeItem {
  const { own, content } = toItemBase(policy);
  return { kind: 'policy', ...own, after: content, adopted_from: null };
}

/** The edit that removes what has expired of a policy at a time; null: nothing has. */
async function planRemoval(policy: Policy, now: number): Promise<Removal | null> {
  const parts = listExpired(policy, now);
  if (parts.length === 0) return null;
  const expiry = await Promise.all(parts.map((part) => describeApprovedExpiry(db, policy, part)));
  const { own, content } = toItemBase(policy);
  const { name } = policy;
  if (parts.some(({ rule }) => rule === null)) {
    return { title: `Remove expired policy ${name}`, item: { kind: 'policy_delete', ...own }, expiry };
  }
  const after = withoutExpiredRules(content, now);
  const title = `Remove expired ${parts.length === 1 ? 'rule' : 'rules'} of ${name}`;
  return { title, item: { kind: 'policy', ...own, after, adopted_from: null }, expiry };
}

/** @throws AppError `conflict` when the change would also apply edits that were stored and not applied */
async function assertApplied(policy: Policy, { touched, firewall }: CompiledChange): Promise<void> {
  const isWritten = touched.some(({ leaves, workload_ids }) => leaves === 'apply' && workload_ids.length > 0);
  if (!isDeployed(policy) || !isWritten) return;
  const live = (await listAppliedVersions(db, [policy.id])).get(policy.id) ?? null;
  if (live !== null && live >= (policy.rules_version ?? policy.version)) return;
  // Content that returned by a rollback is live without being applied.
  const stored = await compileChange([toAppliedItem(policy)], { firewall });
  if (live !== null && stored.differing.length + stored.change.unreadable.size === 0) return;
  throw new AppError(
    'conflict',
    'The policy has edits that are not applied, and removing what expired would apply them, too. Apply the policy, or restore its applied version.',
  );
}

/** @throws AppError `conflict` with what is in the way */
async function assertRemovable(policy: Policy, item: ChangeItem, compiled: CompiledChange): Promise<void> {
  if (item.kind === 'policy') await assertApplied(policy, compiled);
  const read = policy.tenant_id === null ? 'all' : [policy.tenant_id];
  await assertTestsHoldAfterChange(compiled, { ...NO_TEST_RIGHTS, read }, {});
}

/** @throws AppError `conflict` when the last change was taken back a short time ago */
async function assertNotTakenBack(policyId: string): Promise<void> {
  const last = await findTakenBack(db, policyId);
  const next = last?.finished_at ? Date.parse(last.finished_at) + RETRY_MS : 0;
  if (next <= clock.now().getTime()) return;
  const at = new Date(next).toISOString();
  throw new AppError('conflict', `The change that removed what expired was rolled back. The next one starts at ${at}.`);
}

/**
 * Removes what has expired of a policy, as a change that is created, approved by what was approved with the policy, and started in one
 * transaction. Two workers make one change: the second finds another version.
 * @throws AppError `conflict` with why it cannot be removed now
 */
async function removeExpiredParts(policyId: string): Promise<void> {
  const policy = await readPolicy(policyId);
  const removal = policy && (await planRemoval(policy, clock.now().getTime()));
  if (!policy || !removal) return;
  await assertNoRollout(db, [policyId]);
  await assertNotTakenBack(policyId);
  const { title, item, expiry } = removal;
  // What is in the way stays for long: clusters are read only when nothing is, by what was last read.
  await assertRemovable(policy, item, await compileChange([item]));
  const compiled = await compileChange([item], { firewall: await readChangeWorkloads([item]) });
  await assertRemovable(policy, item, compiled);
  const rollouts = await readRollouts(compiled.workload_ids, compiled.inputs, ONE_WAVE);
  const description = describeExpiry(expiry);
  const draft = {
    ...{ title: title.slice(0, MAX_TITLE), description, confirm_within_seconds: 0, waves: ONE_WAVE },
    ...{ on_failure: 'stop' as const, rollback_on_failed_check: true, log_new_rules: null },
    ...{ scheduled_at: null, within_maintenance: false, expiry },
  };
  const accepted = {
    ...{ impact_id: null, newly_blocked: null, override_tests: null, break_glass: null, fingerprints: null },
  };
  const started = await db.transaction(async (tx) => {
    const row = await lockPolicy(tx, 'all', policyId);
    if (row?.version !== policy.version) return null;
    const created = await insertDraft(tx, scope, draft, [item]);
    const { hash, note } = summarizeCompiled(compiled);
    const values = { compiled_hash: hash, compiled: note, submitted_at: clock.now().toISOString() };
    const approved = await moveChange(tx, scope, created, 'approved', { comment: description, values });
    await noteExpiryProblem(tx, policyId, null);
    return { id: created.id, ids: await startRolloutIn(tx, scope, approved, { compiled, rollouts, accepted }) };
  });
  if (!started) return;
  logger.info({ policy_id: policyId, change_id: started.id }, 'expired rules are removed');
  await startDeployments(started.ids);
  await enqueueAdvance(started.id);
}

/**
 * Removes what has expired, where the tenant chose so, and continues removals that stopped because a workload could not be written. What
 * cannot be removed now is noted at its policy and tried again the next time. May run at any time and in any number of workers.
 * @throws AggregateError when some failed unexpectedly; a failure of one delays no other
 */
export async function removeExpired(signal?: AbortSignal): Promise<void> {
  const { policy_on_expiry: fallback } = await storedSettings(db);
  const ids = await listToRemove(db, clock.now().toISOString(), fallback);
  await clearExpiryProblems(db, ids);
  const errors: unknown[] = [];
  for (const id of ids) {
    signal?.throwIfAborted();
    try {
      await removeExpiredParts(id);
    } catch (error) {
      if (error instanceof AppError) await noteExpiryProblem(db, id, error.message);
      else errors.push(new Error(`expired rules of the policy ${id} cannot be removed`, { cause: error }));
    }
  }
  await retryStopped();
  if (errors.length > 0) throw new AggregateError(errors, 'some expired rules cannot be removed');
}

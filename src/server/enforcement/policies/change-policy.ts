import { getReachableProjects, type Owned, type Reach, toOwner } from '@/domain/permissions';
import type { ChangedPolicy, ChangeGuard, Policy, PolicySnapshot } from '@/domain/policies';
import { listEnteredPast } from '@/domain/policy/expiry';
import { describeOversize, findRuleThatFitsNowhere } from '@/domain/policy/file-size';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import type { SecurityRuleInput } from '@/domain/policy/policy';
import { compareSnapshots, isSameJson, isSameSnapshot, toPolicyFields } from '@/domain/policy/snapshot';
import { tierProblem } from '@/domain/policy/tier';
import type { CleanupRequest } from '@/domain/policy-deployment';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { AppError } from '../../lib/errors';
import { assertVersion, nameTaken, notFound } from '../../lib/refusals';
import { changeOwner } from '../../tenancy/choose-owner';
import { assertNoApprovalNeeded, isSameFilter, toPolicyInput } from '../changes/gate';
import { assertNoRollout, type WithinChange } from '../changes/rollout/guard';
import { settleOwner } from '../deployments/removal/settle';
import { requestCleanupIn } from '../deployments/request-again';
import { startDeployments } from '../deployments/schedule';
import { pinPolicyGroups } from '../groups/pin-groups';
import { assertUnmanaged } from '../managed/managed';
import { isUnderWay } from '../queries/deployments';
import {
  findPolicy,
  isPolicyNameUsed,
  listPolicyRules,
  lockPolicy,
  type PolicyRow,
  replaceRules,
  updatePolicy,
} from '../queries/policies';
import { insertPolicyVersion } from '../queries/policy-versions';
import { hasEqualPlacement } from './equal-placement';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState } from './firewall-state/read-firewall-state';
import { touchingPolicies, withDeploymentStatus } from './policies-in-reach';
import { isDeployed } from './policy-inputs';

/** @throws AppError `refused` naming the field when a policy of this tenant cannot have this tier or visibility */
export function assertTier(tenantId: string | null, tiered: Parameters<typeof tierProblem>[1]): void {
  const problem = tierProblem(tenantId, tiered);
  if (problem) throw new AppError('refused', problem.message, { errors: [problem] });
}

/**
 * @param toField the name of a field where the policy is part of what was sent
 * @throws AppError `refused` naming the rule when no workload has room for what the rules become
 */
export function assertRulesFit(rules: readonly object[], toField = (field: string) => field): void {
  const found = findRuleThatFitsNowhere(rules as readonly SecurityRuleInput[]);
  if (!found) return;
  const message = describeOversize(found);
  throw new AppError('refused', message, { errors: [{ field: toField(`rules.${found.position}`), message }] });
}

/**
 * An edit may keep an expiry that has passed, but not enter one: the policy or rule would be removed within a minute.
 * @param toField the name of a field where the policy is part of what was sent
 * @throws AppError `refused` naming the fields
 */
export function assertNoPastEntered(
  after: PolicySnapshot,
  former: readonly PolicySnapshot[],
  toField = (field: string) => field,
): void {
  const fields = listEnteredPast(after, former, Date.now());
  if (fields.length === 0) return;
  const message = 'This expiry is in the past. Specify a later time, or null for no expiry.';
  throw new AppError('refused', message, { errors: fields.map((field) => ({ field: toField(field), message })) });
}

/**
 * A policy with its rules and its status, from what was last read of the clusters or from the given firewall state.
 * @throws AppError `not_found`
 */
export async function describePolicy(reach: Reach, id: string, firewall?: FirewallState): Promise<Policy> {
  // The firewall state knows which policies touch a project.
  const known = firewall ?? (getReachableProjects(reach).length > 0 ? await readFirewallState() : null);
  const [policy, rules, standings] = await Promise.all([
    findPolicy(db, reach, id, known ? touchingPolicies(known, reach) : []),
    listPolicyRules(db, id),
    known ?? readFirewallState(),
  ]);
  if (!policy) throw notFound('policy');
  return { ...withDeploymentStatus(standings, policy, reach), rules };
}

/** A policy as it is stored, with everything that a version keeps. */
export async function readPolicySnapshot(tx: Tx, row: PolicyRow): Promise<PolicySnapshot> {
  return { ...toPolicyFields(row), rules: await listPolicyRules(tx, row.id) };
}

/** Stores the next version. @returns what is asked of the clusters because of it */
async function store(
  tx: Tx,
  scope: Scope<'policy:write'>,
  row: PolicyRow,
  before: PolicySnapshot,
  after: PolicySnapshot,
  action: `policy.${string}`,
  reason: string,
  index: InventoryIndex,
  owner: Owned,
  rollout: WithinChange | undefined,
): Promise<CleanupRequest[]> {
  const { rules, ...fields } = after;
  const moves = owner.project_id !== row.project_id;
  if ((moves || fields.name !== before.name) && (await isPolicyNameUsed(tx, owner, fields.name))) {
    throw nameTaken('policy', fields.name);
  }
  const version = row.version + 1;
  const alike = hasEqualPlacement({ ...row, ...before }, { ...row, ...after, ...owner }, index);
  const rules_version = alike ? (row.rules_version ?? row.version) : null;
  await updatePolicy(tx, row.id, { ...fields, ...owner, version, rules_version, expiry_problem: null });
  await replaceRules(tx, row.id, rules);
  const author_id = scope.actor.kind === 'user' ? scope.actor.id : null;
  await insertPolicyVersion(tx, { policy_id: row.id, version, snapshot: after, reason, author_id });
  await publishEvent(tx, { type: 'policy.changed', policy_id: row.id, ...toOwner(row) });
  if (moves) await publishEvent(tx, { type: 'policy.changed', policy_id: row.id, ...owner });
  // A policy that is no longer to be enforced does not wait for a user to apply it.
  const cleanup =
    !rollout && isDeployed(before) && !isDeployed(after)
      ? await requestCleanupIn(
          tx,
          scope,
          { ...row, ...owner, policy_id: row.id, policy_version: version, name: after.name },
          after.enabled ? 'audit' : 'disabled',
        )
      : [];
  await recordAudit(tx, scope, {
    action,
    object_kind: 'policy',
    object_id: row.id,
    object_name: after.name,
    tenant_id: row.tenant_id,
    before: { version: row.version, project_id: row.project_id, ...before },
    after: {
      version,
      reason,
      project_id: owner.project_id,
      ...after,
      changes: compareSnapshots(before, after),
      cleanup,
    },
  });
  return cleanup;
}

/** A deployment acts for the owner that the policy had when it was requested. @throws AppError `conflict` */
async function assertIdle(tx: Tx, { id, name }: PolicyRow): Promise<void> {
  if (!(await isUnderWay(tx, id))) return;
  throw new AppError('conflict', `A deployment of ${name} is in progress. Wait until it has ended, then save again.`);
}

const toPolicyItem = (
  row: PolicyRow,
  after: PolicySnapshot,
  reason: string,
  moved: { project_id?: string | null },
) => ({
  kind: 'policy' as const,
  policy_id: row.id,
  base_version: row.version,
  policy: { ...toPolicyInput(after, reason), ...moved },
});

type PolicyEdit = (current: PolicySnapshot, tx: Tx) => PolicySnapshot | Promise<PolicySnapshot>;
type PolicyGuard = ChangeGuard & { project_id?: string | null | undefined };
type Requested = { cleanup: CleanupRequest[]; removals: string[] };

/**
 * Changes a policy inside the caller's transaction, as `changePolicy` does.
 * @param rollout the change whose content it stores, which then removes rules by itself
 * @returns what the caller hands to `startDeployments` after the commit
 */
export async function changePolicyIn(
  tx: Tx,
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason = '', project_id }: PolicyGuard,
  action: `policy.${string}`,
  change: PolicyEdit,
  index: InventoryIndex,
  rollout?: WithinChange,
): Promise<Requested> {
  const row = await lockPolicy(tx, scope.reach, id);
  if (!row) throw notFound('policy');
  const before = await readPolicySnapshot(tx, row);
  assertVersion('policy', row.version, version, { current: before });
  const changed = await change(before, tx);
  const after = { ...changed, definition: await pinPolicyGroups(tx, row, changed.definition) };
  assertTier(row.tenant_id, after);
  // What a change stores was checked in its draft, and what it undoes was stored before.
  if (!rollout && !isSameJson(before.rules, after.rules)) assertRulesFit(after.rules);
  const moves = project_id !== undefined && project_id !== row.project_id;
  if (!moves && isSameSnapshot(before, after)) return { cleanup: [], removals: [] };
  assertUnmanaged('policy', row, rollout);
  await assertNoRollout(tx, [id], rollout);
  const owner = moves ? await changeOwner(tx, scope.reach, row, project_id) : toOwner(row);
  if (moves && !rollout?.undoes) await assertIdle(tx, row);
  if (!rollout) {
    await assertNoApprovalNeeded(tx, [row, owner], {
      isEnforcing: moves || (!isSameFilter(before, after) && (isDeployed(before) || isDeployed(after))),
      title: `Edit ${after.name}`,
      items: [toPolicyItem(row, after, reason, moves ? { project_id: owner.project_id } : {})],
    });
  }
  const cleanup = await store(tx, scope, row, before, after, action, reason, index, owner, rollout);
  return { cleanup, removals: moves ? await settleOwner(tx, scope, id, owner) : [] };
}

/**
 * Changes a policy: every change is one new version with author, reason and everything that the policy then says. Without
 * a change nothing is written. A policy that stops being enabled and enforced has its rules removed from the clusters; one that
 * gets another project, or goes from its tenant to a project, from workloads on which it may not act any more.
 * @throws AppError `not_found`, `version_conflict` with both versions, `conflict` when the name is taken, when a change that is
 * being rolled out contains it or when it moves during a deployment, what `changeOwner` throws, and whatever `change` throws
 */
export async function changePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  guard: PolicyGuard,
  action: `policy.${string}`,
  change: PolicyEdit,
): Promise<ChangedPolicy> {
  const { index } = (await readFirewallState()).inputs;
  const { cleanup, removals } = await db.transaction((tx) =>
    changePolicyIn(tx, scope, id, guard, action, change, index),
  );
  await startDeployments([...cleanup.map(({ deployment_id }) => deployment_id), ...removals]);
  return { ...(await describePolicy(scope.reach, id)), cleanup };
}

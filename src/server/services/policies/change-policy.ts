import type { ChangedPolicy, ChangeGuard, PolicySnapshot } from '@/domain/policies';
import { compilePolicies } from '@/domain/policy/compile';
import type { InventoryIndex } from '@/domain/policy/inventory-index';
import { compareSnapshots, sameSnapshot } from '@/domain/policy/snapshot';
import type { CleanupRequest } from '@/domain/policy-deployment';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { AppError } from '../../lib/errors';
import {
  listPolicyRules,
  lockPolicy,
  type PolicyRow,
  policyNameTaken,
  replaceRules,
  updatePolicy,
} from '../../repositories/policies';
import { insertPolicyVersion } from '../../repositories/policy-versions';
import { requestCleanupIn } from '../deployments/request-cleanup';
import { startDeployments } from '../deployments/start-deployments';
import { assertTier } from './assert-tier';
import { readBoard } from './board/read-board';
import { describePolicy } from './describe-policy';
import { noSuchPolicy } from './no-such-policy';
import { policyNameConflict } from './policy-name-conflict';
import { isDeployed } from './world/load-policy-world';

/** A policy as it is stored, with everything that a version keeps. */
export async function snapshotOf(tx: Tx, row: PolicyRow): Promise<PolicySnapshot> {
  const { name, description, enabled, tier, tenant_visibility, priority, definition } = row;
  return {
    name,
    description,
    enabled,
    tier,
    tenant_visibility,
    priority,
    definition,
    rules: await listPolicyRules(tx, row.id),
  };
}

/** @throws AppError `version_conflict` with what is stored now, so that the caller can compare it with what they have */
export function assertVersion(row: PolicyRow, given: number | undefined, current: PolicySnapshot): void {
  if (given === undefined || given === row.version) return;
  throw new AppError('version_conflict', 'Somebody else changed the policy meanwhile. Look at it again, then save.', {
    extra: { version: row.version, given_version: given, current },
  });
}

/**
 * Whether two versions put the same rules at the same guests, for all that is known of the inventory now. If so, live rules
 * of the first count as those of the second; each is compared with what is wanted all the same.
 */
function compilesAlike(row: PolicyRow, before: PolicySnapshot, after: PolicySnapshot, index: InventoryIndex): boolean {
  if (!isDeployed(before) || !isDeployed(after)) return false;
  const { id, tenant_id, project_id, created_at } = row;
  const [old, fresh] = [before, after].map(({ definition, rules, tier, priority }) =>
    JSON.stringify(
      compilePolicies(
        [{ id, version: 1, tenant_id, project_id, tier, priority, created_at, definition, rules }],
        index,
        'compared',
      ).guests,
    ),
  );
  return old === fresh;
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
): Promise<CleanupRequest[]> {
  const { rules, ...fields } = after;
  if (fields.name !== before.name && (await policyNameTaken(tx, row.tenant_id, fields.name))) {
    throw policyNameConflict(fields.name);
  }
  const version = row.version + 1;
  const rules_version = compilesAlike(row, before, after, index) ? (row.rules_version ?? row.version) : null;
  await updatePolicy(tx, row.id, { ...fields, version, rules_version });
  await replaceRules(tx, row.id, rules);
  const author_id = scope.actor.kind === 'user' ? scope.actor.id : null;
  await insertPolicyVersion(tx, { policy_id: row.id, version, snapshot: after, reason, author_id });
  await publishEvent(tx, { type: 'policy.changed', policy_id: row.id, tenant_id: row.tenant_id });
  // What is no longer to be in force does not wait for somebody to apply.
  const cleanup =
    isDeployed(before) && !isDeployed(after)
      ? await requestCleanupIn(
          tx,
          scope,
          { ...row, policy_id: row.id, policy_version: version, name: after.name },
          after.enabled ? 'audit' : 'disabled',
        )
      : [];
  await recordAudit(tx, scope, {
    action,
    object_kind: 'policy',
    object_id: row.id,
    object_name: after.name,
    tenant_id: row.tenant_id,
    before: { version: row.version, ...before },
    after: { version, reason, ...after, changes: compareSnapshots(before, after), cleanup },
  });
  return cleanup;
}

/**
 * Changes a policy: every change is one new version with author, reason and everything that the policy then says. Without
 * a change nothing is written. A policy that stops being enabled and enforced has its rules removed from the clusters.
 * @throws AppError `not_found`, `version_conflict` with both versions, `conflict` when the name is taken, and whatever
 * `change` throws
 */
export async function changePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason = '' }: ChangeGuard,
  action: `policy.${string}`,
  change: (current: PolicySnapshot, tx: Tx) => PolicySnapshot | Promise<PolicySnapshot>,
): Promise<ChangedPolicy> {
  const { index } = (await readBoard()).world;
  const cleanup = await db.transaction(async (tx) => {
    const row = await lockPolicy(tx, scope.tenants, id);
    if (!row) throw noSuchPolicy();
    const before = await snapshotOf(tx, row);
    assertVersion(row, version, before);
    const after = await change(before, tx);
    assertTier(row.tenant_id, after);
    return sameSnapshot(before, after) ? [] : store(tx, scope, row, before, after, action, reason, index);
  });
  await startDeployments(cleanup.map(({ deployment_id }) => deployment_id));
  return { ...(await describePolicy(scope.tenants, id)), cleanup };
}

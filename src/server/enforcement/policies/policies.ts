import type { KeptOfPolicy } from '@/domain/change/items';
import type { Page } from '@/domain/list';
import { type Owned, type Reach, toOwner } from '@/domain/permissions';
import type {
  ChangedPolicy,
  ChangeGuard,
  DeletedPolicy,
  Policy,
  PolicyChange,
  PolicyCreate,
  PolicyListInput,
  PolicyListItem,
  PolicySnapshot,
} from '@/domain/policies';
import { completeSnapshot, identifyRules } from '@/domain/policy/snapshot';
import { toDisplayStatus } from '@/domain/policy/status';
import type { CleanupRequest } from '@/domain/policy-deployment';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { publishEvent } from '../../events/event-hub';
import { newId } from '../../lib/ids';
import { assertVersion, nameTaken, notFound } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import { assertNoApprovalNeeded, toPolicyInput } from '../changes/gate';
import { assertNoRollout, type WithinChange } from '../changes/rollout/guard';
import { requestCleanupIn } from '../deployments/request-again';
import { startDeployments } from '../deployments/schedule';
import { pinPolicyGroups } from '../groups/pin-groups';
import { assertUnmanaged } from '../managed/managed';
import * as repository from '../queries/policies';
import {
  deletePolicy as deleteRow,
  findPolicy,
  insertPolicy,
  isPolicyNameUsed,
  lockPolicy,
  replaceRules,
} from '../queries/policies';
import { insertPolicyVersion } from '../queries/policy-versions';
import { insertConfirmations } from '../queries/recertifications';
import {
  assertNoPastEntered,
  assertRulesFit,
  assertTier,
  changePolicy,
  describePolicy,
  readPolicySnapshot,
} from './change-policy';
import type { FirewallState } from './firewall-state/firewall-state';
import { readFirewallState, refreshFirewallState } from './firewall-state/read-firewall-state';
import {
  findTouching,
  getVisibleStatus,
  listVisiblePlaces,
  touchingPolicies,
  withDeploymentStatus,
} from './policies-in-reach';
import { isDeployed } from './policy-inputs';

/** Ids of the policies that fit filters which only the firewall state can answer; null when none of these is asked for. */
function listMatchingIds(firewall: FirewallState, reach: Reach, input: PolicyListInput): string[] | null {
  const { deployment_status, shown_status, cluster_id, workload_id } = input;
  const filters = [deployment_status, shown_status, cluster_id, workload_id];
  if (filters.every((filter) => filter === undefined)) return null;
  const desired = deployment_status === 'none' ? null : deployment_status;
  return firewall.inputs.policies
    .filter((policy) => {
      const { status, deployments } = getVisibleStatus(firewall, policy, reach);
      const onCluster = deployments.find((deployment) => deployment.cluster_id === cluster_id);
      const shown = cluster_id === undefined ? status : (onCluster?.status ?? null);
      return (
        (desired === undefined || shown === desired) &&
        (shown_status === undefined ||
          toDisplayStatus({ status: shown, deployments: onCluster ? [onCluster] : deployments }) === shown_status) &&
        (cluster_id === undefined || (onCluster !== undefined && onCluster.guests > 0)) &&
        (workload_id === undefined || listVisiblePlaces(firewall, policy, reach).includes(workload_id))
      );
    })
    .map(({ id }) => id);
}

/** One page of the policies visible to the caller, each with its status. No cluster is contacted. */
export async function listPolicies(scope: Scope<'policy:read'>, input: PolicyListInput): Promise<Page<PolicyListItem>> {
  const { reach } = scope;
  const firewall = await readFirewallState();
  const page = await repository.listPolicies(
    reach,
    input,
    listMatchingIds(firewall, reach, input),
    touchingPolicies(firewall, reach),
  );
  return { ...page, items: page.items.map((policy) => withDeploymentStatus(firewall, policy, reach)) };
}

/**
 * One policy with its status. With `fresh` the guests concerned are read now, otherwise the status comes from the
 * last snapshot, whose age is part of the answer.
 * @throws AppError `not_found`
 */
export async function readPolicy(scope: Scope<'policy:read'>, id: string, fresh = false): Promise<Policy> {
  const { reach } = scope;
  if (!fresh) return describePolicy(reach, id);
  const policy = await findPolicy(db, reach, id, await findTouching(reach));
  if (!policy) throw notFound('policy');
  return describePolicy(
    reach,
    id,
    await refreshFirewallState((firewall) => listVisiblePlaces(firewall, policy, reach)),
  );
}

type NewPolicy = {
  readonly id: string;
  readonly owner: Owned;
  readonly snapshot: PolicySnapshot;
  readonly reason: string;
  /** One more than the last of a policy that is created again. */
  readonly version?: number;
  /** Of a policy that is created again. */
  readonly kept?: KeptOfPolicy | undefined;
};

/** Adds a policy with its rules inside the caller's transaction. @throws AppError `conflict` when the owner has one of this name */
export async function createPolicyIn(
  tx: Tx,
  scope: Scope<'policy:write'>,
  { id, owner, snapshot: given, reason, version = 1, kept }: NewPolicy,
): Promise<void> {
  const { tenant_id, project_id } = owner;
  const snapshot = { ...given, definition: await pinPolicyGroups(tx, owner, given.definition) };
  const { rules, ...fields } = snapshot;
  assertTier(tenant_id, fields);
  if (await isPolicyNameUsed(tx, owner, fields.name)) throw nameTaken('policy', fields.name);
  await insertPolicy(tx, { ...fields, id, version, ...owner, ...(kept && { created_at: kept.created_at }) });
  if (kept) await insertConfirmations(tx, id, kept.confirmations);
  await replaceRules(tx, id, rules);
  const author_id = scope.actor.kind === 'user' ? scope.actor.id : null;
  await insertPolicyVersion(tx, { policy_id: id, version, snapshot, reason, author_id });
  await publishEvent(tx, { type: 'policy.changed', policy_id: id, ...owner });
  await recordAudit(tx, scope, {
    action: 'policy.created',
    object_kind: 'policy',
    object_id: id,
    object_name: fields.name,
    tenant_id,
    after: { version, reason, project_id, ...snapshot },
  });
}

/**
 * Adds a policy with its rules as version 1. Nothing is applied: that is a separate request.
 * @throws AppError `conflict` when the owner has one of this name, `malformed` without a tenant or project of the
 *   caller's
 */
export async function createPolicy(scope: Scope<'policy:write'>, input: PolicyCreate): Promise<Policy> {
  const { reason, tenant_id: tenant, project_id: project, rules: given, ...content } = input;
  const id = newId();
  await db.transaction(async (tx) => {
    const owner = await chooseOwner(tx, scope.reach, { tenant_id: tenant, project_id: project });
    const rules = identifyRules([], given, newId);
    const snapshot = completeSnapshot(owner.tenant_id, { ...content, rules });
    assertTier(owner.tenant_id, snapshot);
    assertRulesFit(rules);
    await assertNoApprovalNeeded(tx, [owner], {
      isEnforcing: isDeployed(snapshot),
      title: `Create ${snapshot.name}`,
      items: [{ kind: 'policy', policy: { ...toPolicyInput(snapshot, reason), ...toOwner(owner) } }],
    });
    await createPolicyIn(tx, scope, { id, owner: toOwner(owner), snapshot, reason });
  });
  return describePolicy(scope.reach, id);
}

/**
 * Changes fields of a policy; those that are left out stay, rules that are given replace all of them.
 * @throws AppError as `changePolicy` and `assertNoPastEntered`
 */
export function updatePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason, project_id, rules, ...fields }: PolicyChange,
): Promise<ChangedPolicy> {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return changePolicy(scope, id, { version, reason, project_id }, 'policy.updated', (current) => {
    const after = {
      ...current,
      ...given,
      rules: rules ? identifyRules(current.rules, rules, newId) : current.rules,
    };
    assertNoPastEntered(after, [current]);
    return after;
  });
}

/**
 * Deletes a policy inside the caller's transaction.
 * @param rollout the change that deletes it, which then removes its rules by itself
 * @returns removals for `startDeployments` after the commit
 */
export async function deletePolicyIn(
  tx: Tx,
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason = '' }: ChangeGuard,
  rollout?: WithinChange,
): Promise<CleanupRequest[]> {
  const row = await lockPolicy(tx, scope.reach, id);
  if (!row) throw notFound('policy');
  const before = await readPolicySnapshot(tx, row);
  assertVersion('policy', row.version, version, { current: before });
  assertUnmanaged('policy', row, rollout);
  await assertNoRollout(tx, [id], rollout);
  // Also for a policy that is disabled: an earlier removal may have failed on a cluster.
  const cleanup = rollout
    ? []
    : await requestCleanupIn(tx, scope, { ...row, policy_id: id, policy_version: row.version }, 'deleted');
  if (!rollout) {
    await assertNoApprovalNeeded(tx, [row], {
      isEnforcing: isDeployed(before) || cleanup.length > 0,
      title: `Delete ${row.name}`,
      items: [{ kind: 'policy_delete', policy_id: id, base_version: row.version }],
    });
  }
  await deleteRow(tx, id);
  await publishEvent(tx, { type: 'policy.changed', policy_id: id, ...toOwner(row) });
  await recordAudit(tx, scope, {
    action: 'policy.deleted',
    object_kind: 'policy',
    object_id: id,
    object_name: row.name,
    tenant_id: row.tenant_id,
    before: { version: row.version, project_id: row.project_id, ...before },
    after: { reason, cleanup },
  });
  return cleanup;
}

/**
 * Deletes a policy. What removes its rules from the clusters is stored with the deletion and outlives the policy; so do
 * its versions.
 * @throws AppError `not_found`, `version_conflict`, `conflict` while a change with it is rolled out
 */
export async function deletePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  guard: ChangeGuard,
): Promise<DeletedPolicy> {
  const cleanup = await db.transaction((tx) => deletePolicyIn(tx, scope, id, guard));
  await startDeployments(cleanup.map(({ deployment_id }) => deployment_id));
  return { id, cleanup };
}

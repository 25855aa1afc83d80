import type { Page } from '@/domain/list';
import {
  type ChangedPolicy,
  type ChangeGuard,
  PolicySnapshot,
  type PolicyVersion,
  type PolicyVersionDetail,
  type PolicyVersionListInput,
  type VersionComparison,
} from '@/domain/policies';
import { compareSnapshots } from '@/domain/policy/snapshot';
import { lockAuditChain } from '../../audit/queries/audit';
import { recordAudit } from '../../audit/record';
import { type Scope, systemScope } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { findPolicy } from '../queries/policies';
import { findPolicyVersions, listPolicyVersions, listUnrecordedVersions } from '../queries/policy-versions';
import { changePolicy } from './change-policy';

/** The answer to a number that no version of the policy has. */
export const versionNotFound = (version: number) =>
  new AppError('not_found', `The policy has no version ${version}. See its history for the versions that exist.`);

/** One version with everything that it keeps. @throws AppError `not_found` */
export async function readVersion(
  scope: Scope<'policy:read'>,
  policyId: string,
  version: number,
): Promise<PolicyVersionDetail> {
  if (!(await findPolicy(db, scope.reach, policyId))) throw notFound('policy');
  const found = (await findPolicyVersions(db, policyId, [version])).get(version);
  if (!found) throw versionNotFound(version);
  return found;
}

/** What changed from one version to another, in either direction. @throws AppError `not_found` */
export async function compareVersions(
  scope: Scope<'policy:read'>,
  policyId: string,
  from: number,
  to: number,
): Promise<VersionComparison> {
  if (!(await findPolicy(db, scope.reach, policyId))) throw notFound('policy');
  const versions = await findPolicyVersions(db, policyId, [from, to]);
  const take = (version: number) => {
    const found = versions.get(version);
    if (!found) throw versionNotFound(version);
    return found;
  };
  const { snapshot: before, ...first } = take(from);
  const { snapshot: after, ...second } = take(to);
  return { from: first, to: second, ...compareSnapshots(before, after) };
}

/** One page of a policy's versions. @throws AppError `not_found` */
export async function listVersions(
  scope: Scope<'policy:read'>,
  policyId: string,
  input: PolicyVersionListInput,
): Promise<Page<PolicyVersion>> {
  if (!(await findPolicy(db, scope.reach, policyId))) throw notFound('policy');
  return listPolicyVersions(policyId, input);
}

/** As the migrations `networks-by-cluster` and `groups-by-id` write them. */
const MIGRATION_REASONS = ['Networks named with their cluster', 'Groups of tenants named by their IDs'];

/**
 * Adds the audit records of policy versions that a migration of the database made: it runs before this program, and cannot
 * extend the chain. Safe to run from any number of processes and again at any time.
 * @returns how many were added
 */
export function recordMigratedVersions(): Promise<number> {
  const scope = systemScope('policy:write', 'upgrade');
  return db.transaction(async (tx) => {
    // Before looking: of two processes the second must see what the first added.
    await lockAuditChain(tx);
    const versions = await listUnrecordedVersions(tx, MIGRATION_REASONS);
    for (const { policy_id, version, reason, snapshot, before, tenant_id } of versions) {
      await recordAudit(tx, scope, {
        action: 'policy.updated',
        object_kind: 'policy',
        object_id: policy_id,
        object_name: snapshot.name,
        tenant_id,
        before: before && { version: version - 1, ...before },
        after: { version, reason, ...snapshot },
      });
    }
    return versions.length;
  });
}

/**
 * Restores an earlier version of the policy as a new version. Nothing is applied; but when the earlier version was
 * not enforced, the rules are removed from the clusters.
 * @throws AppError as `changePolicy`; `not_found` also for the version
 */
export function revertPolicy(
  scope: Scope<'policy:write'>,
  id: string,
  toVersion: number,
  guard: ChangeGuard,
): Promise<ChangedPolicy> {
  const reason = guard.reason || `Restored version ${toVersion}`;
  return changePolicy(scope, id, { ...guard, reason }, 'policy.reverted', async (_, tx) => {
    const found = (await findPolicyVersions(tx, id, [toVersion])).get(toVersion);
    if (!found) throw versionNotFound(toVersion);
    return PolicySnapshot.parse(found.snapshot);
  });
}

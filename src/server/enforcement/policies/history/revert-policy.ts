import { type ChangedPolicy, type ChangeGuard, PolicySnapshot } from '@/domain/policies';
import type { Scope } from '../../../auth/scope';
import { findPolicyVersions } from '../../queries/policy-versions';
import { changePolicy } from '../change-policy';
import { noSuchVersion } from './read-version';

/**
 * Makes the policy say again what it said in an earlier version, as a new version. Nothing is applied by that; but when
 * the earlier version was not in force, the rules are removed from the clusters.
 * @throws AppError as `changePolicy`; `not_found` also for the version
 */
export function revertPolicy(
  scope: Scope<'policy:write'>,
  id: string,
  toVersion: number,
  guard: ChangeGuard,
): Promise<ChangedPolicy> {
  const reason = guard.reason || `Back to version ${toVersion}`;
  return changePolicy(scope, id, { ...guard, reason }, 'policy.reverted', async (_, tx) => {
    const found = (await findPolicyVersions(tx, id, [toVersion])).get(toVersion);
    if (!found) throw noSuchVersion(toVersion);
    return PolicySnapshot.parse(found.snapshot);
  });
}

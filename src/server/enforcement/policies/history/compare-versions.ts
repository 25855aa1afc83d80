import type { VersionComparison } from '@/domain/policies';
import { compareSnapshots } from '@/domain/policy/snapshot';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { findPolicy } from '../../queries/policies';
import { findPolicyVersions } from '../../queries/policy-versions';
import { noSuchVersion } from './read-version';

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
    if (!found) throw noSuchVersion(version);
    return found;
  };
  const { snapshot: before, ...first } = take(from);
  const { snapshot: after, ...second } = take(to);
  return { from: first, to: second, ...compareSnapshots(before, after) };
}

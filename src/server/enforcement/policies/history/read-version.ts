import type { PolicyVersionDetail } from '@/domain/policies';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { AppError } from '../../../lib/errors';
import { notFound } from '../../../lib/refusals';
import { findPolicy } from '../../queries/policies';
import { findPolicyVersions } from '../../queries/policy-versions';

/** The answer to a number that no version of the policy has. */
export const noSuchVersion = (version: number) =>
  new AppError('not_found', `The policy has no version ${version}. Look at its history for those that there are.`);

/** One version with everything that it keeps. @throws AppError `not_found` */
export async function readVersion(
  scope: Scope<'policy:read'>,
  policyId: string,
  version: number,
): Promise<PolicyVersionDetail> {
  if (!(await findPolicy(db, scope.reach, policyId))) throw notFound('policy');
  const found = (await findPolicyVersions(db, policyId, [version])).get(version);
  if (!found) throw noSuchVersion(version);
  return found;
}

import type { Page } from '@/domain/list';
import type { PolicyVersion, PolicyVersionListInput } from '@/domain/policies';
import type { Scope } from '../../../auth/scope';
import { db } from '../../../db/client';
import { notFound } from '../../../lib/refusals';
import { findPolicy } from '../../queries/policies';
import { listPolicyVersions } from '../../queries/policy-versions';

/** One page of a policy's versions. @throws AppError `not_found` */
export async function listVersions(
  scope: Scope<'policy:read'>,
  policyId: string,
  input: PolicyVersionListInput,
): Promise<Page<PolicyVersion>> {
  if (!(await findPolicy(db, scope.reach, policyId))) throw notFound('policy');
  return listPolicyVersions(policyId, input);
}

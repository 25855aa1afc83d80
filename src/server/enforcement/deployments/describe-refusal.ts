import { z } from 'zod';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { findPolicyState } from '../queries/policy-states';
import { refusalOf } from './policy-refusals';

/** What the answer to a malformed apply says of the policy; null when there is none within reach. */
export async function describeRefusal(scope: Scope<'policy:apply'>, policyId: string) {
  if (!z.uuid().safeParse(policyId).success) return null;
  const policy = await findPolicyState(db, policyId, scope.reach);
  return policy && refusalOf(policy, false);
}

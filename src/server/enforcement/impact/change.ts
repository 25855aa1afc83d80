import type { DraftImpactInput, PolicyImpactInput } from '@/domain/impact/impact';
import type { PolicyImpactChange } from '@/domain/impact/stored-impact';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { notFound } from '../../lib/refusals';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { isDeployed } from '../policies/policy-inputs';
import { changedPolicy, draftPolicy } from '../policies/preview/preview-policy';
import { findPolicy } from '../queries/policies';

/** The change that a draft is: the policy applied as if it were enforced. @throws as `draftPolicy` */
export async function computeDraftChange(
  scope: Scope<'policy:read'>,
  { policy }: DraftImpactInput,
): Promise<PolicyImpactChange> {
  const draft = await draftPolicy(scope, policy);
  return { policy: { ...draft, name: policy.name }, leaves: 'apply' };
}

/**
 * The change of a stored policy. Disabling it or switching it to audit removes it where it is; everything else is what applying
 * would do, whatever the stored policy's state. @throws as `changedPolicy`
 */
export async function computePolicyChange(
  scope: Scope<'policy:read'>,
  firewall: FirewallState,
  id: string,
  { since: _since, until: _until, enabled, ...input }: PolicyImpactInput,
): Promise<PolicyImpactChange> {
  if (!(await findPolicy(db, scope.reach, id))) throw notFound('policy');
  const { stored, policy } = await changedPolicy(scope, firewall, id, input);
  const ends = enabled === false || (isDeployed(stored) && policy.definition.enforcement_mode === 'audit');
  return { policy, leaves: ends ? 'cleanup' : 'apply' };
}

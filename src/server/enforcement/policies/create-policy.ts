import type { Policy, PolicyCreate, PolicySnapshot } from '@/domain/policies';
import { completeSnapshot, identifyRules } from '@/domain/policy/snapshot';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { newId } from '../../lib/ids';
import { nameTaken } from '../../lib/refusals';
import { chooseOwner } from '../../tenancy/choose-owner';
import { insertPolicy, policyNameTaken, replaceRules } from '../queries/policies';
import { insertPolicyVersion } from '../queries/policy-versions';
import { assertTier } from './assert-tier';
import { describePolicy } from './describe-policy';

/**
 * Adds a policy with its rules as version 1. Nothing is applied: that is asked for by itself.
 * @throws AppError `conflict` when the owner has one of this name, `malformed` without a tenant or project of the caller's
 */
export async function createPolicy(scope: Scope<'policy:write'>, input: PolicyCreate): Promise<Policy> {
  const { reason, tenant_id: tenant, project_id: project, rules: given, ...said } = input;
  const id = newId();
  await db.transaction(async (tx) => {
    const owner = await chooseOwner(tx, scope.reach, { tenant_id: tenant, project_id: project });
    const { tenant_id, project_id } = owner;
    const { rules, ...fields }: PolicySnapshot = completeSnapshot(tenant_id, {
      ...said,
      rules: identifyRules([], given, newId),
    });
    assertTier(tenant_id, fields);
    if (await policyNameTaken(tx, owner, fields.name)) throw nameTaken('policy', fields.name);
    await insertPolicy(tx, { ...fields, id, ...owner });
    await replaceRules(tx, id, rules);
    const snapshot = { ...fields, rules };
    const author_id = scope.actor.kind === 'user' ? scope.actor.id : null;
    await insertPolicyVersion(tx, { policy_id: id, version: 1, snapshot, reason, author_id });
    await publishEvent(tx, { type: 'policy.changed', policy_id: id, ...owner });
    await recordAudit(tx, scope, {
      action: 'policy.created',
      object_kind: 'policy',
      object_id: id,
      object_name: fields.name,
      tenant_id,
      after: { version: 1, reason, project_id, ...snapshot },
    });
  });
  return describePolicy(scope.reach, id);
}

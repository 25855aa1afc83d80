import type { Change } from '@/domain/change/change';
import { ChangeCreate } from '@/domain/change/change';
import type { ChangeEdit } from '@/domain/change/items';
import { fixPolicy, isFixable } from '@/domain/hygiene/fix';
import { isWithinReach } from '@/domain/permissions';
import { PolicyCreate } from '@/domain/policies';
import type { Scope, Session } from '../../auth/scope';
import { db } from '../../db/client';
import { AppError } from '../../lib/errors';
import { notFound } from '../../lib/refusals';
import { createChange } from '../changes/draft/create-change';
import { findFindingRow } from '../queries/hygiene';
import { findPolicy, listPolicyRules } from '../queries/policies';

/**
 * Drafts a change that removes the rule of a finding, narrows it to what was used, or removes the endpoints that resolve to nothing
 * or were not used. Where nothing of the policy would be left, the policy is deleted.
 * @throws AppError `not_found`; `refused` when no change of the policy alone fixes it; `version_conflict` when the policy was edited
 *   since it was checked
 */
export async function draftFix(scope: Scope<'policy:write'>, session: Session, id: string): Promise<Change> {
  const finding = await findFindingRow(db, scope.reach, id);
  if (!finding || !isWithinReach(finding, scope.reach)) throw notFound('hygiene_finding');
  const { policy_id, policy_version: base_version, subject, policy_name, kind } = finding;
  if (policy_id === null || base_version === null) {
    throw new AppError(
      'refused',
      'Fabric does not manage this rule. Edit it in Proxmox VE, or replace it by a policy.',
    );
  }
  if (!isFixable(finding)) {
    throw new AppError(
      'refused',
      'No single edit fixes this finding. Edit the policy: change the order, or one of the rules.',
    );
  }
  const policy = await findPolicy(db, scope.reach, policy_id);
  if (!policy) throw notFound('hygiene_finding');
  if (policy.version !== base_version) {
    throw new AppError(
      'version_conflict',
      `${policy.name} was edited since its rules were checked. Wait for the next check, then try again.`,
    );
  }
  const { name, description, enabled, tier, tenant_visibility, priority, definition } = policy;
  const { owner, ticket, expires_at } = policy;
  const rules = await listPolicyRules(db, policy_id);
  const fixed = fixPolicy({ definition, rules }, finding);
  const edit: ChangeEdit = fixed
    ? {
        kind: 'policy',
        policy_id,
        base_version,
        policy: PolicyCreate.parse({
          ...{ name, description, enabled, tier, tenant_visibility, priority, owner, ticket, expires_at },
          definition: fixed.definition,
          rules: fixed.rules.map(({ id: _, position: __, ...rule }) => rule),
        }),
      }
    : { kind: 'policy_delete', policy_id, base_version };
  const settings = ChangeCreate.omit({ items: true }).parse({
    title: `Clean up ${policy_name ?? name}: ${subject}`.slice(0, 120).trim(),
    description: `Rule hygiene: ${kind}.`,
  });
  return createChange(scope, session, { ...settings, items: [edit] });
}

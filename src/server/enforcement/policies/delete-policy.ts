import { ownedPart } from '@/domain/permissions';
import type { ChangeGuard, DeletedPolicy } from '@/domain/policies';
import { recordAudit } from '../../audit/record';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { assertVersion, notFound } from '../../lib/refusals';
import { requestCleanupIn } from '../deployments/request-cleanup';
import { startDeployments } from '../deployments/start-deployments';
import { deletePolicy as deleteRow, lockPolicy } from '../queries/policies';
import { snapshotOf } from './change-policy';

/**
 * Deletes a policy. What removes its rules from the clusters is stored with the deletion and outlives the policy; so do
 * its versions.
 * @throws AppError `not_found`, `version_conflict`
 */
export async function deletePolicy(
  scope: Scope<'policy:write'>,
  id: string,
  { version, reason = '' }: ChangeGuard,
): Promise<DeletedPolicy> {
  const cleanup = await db.transaction(async (tx) => {
    const row = await lockPolicy(tx, scope.reach, id);
    if (!row) throw notFound('policy');
    const before = await snapshotOf(tx, row);
    assertVersion('policy', row.version, version, { current: before });
    // Also for a policy that is disabled: an earlier removal may have failed on a cluster.
    const requests = await requestCleanupIn(
      tx,
      scope,
      { ...row, policy_id: id, policy_version: row.version },
      'deleted',
    );
    await deleteRow(tx, id);
    await publishEvent(tx, { type: 'policy.changed', policy_id: id, ...ownedPart(row) });
    await recordAudit(tx, scope, {
      action: 'policy.deleted',
      object_kind: 'policy',
      object_id: id,
      object_name: row.name,
      tenant_id: row.tenant_id,
      before: { version: row.version, project_id: row.project_id, ...before },
      after: { reason, cleanup: requests },
    });
    return requests;
  });
  await startDeployments(cleanup.map(({ deployment_id }) => deployment_id));
  return { id, cleanup };
}

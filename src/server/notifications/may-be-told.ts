import { CONDITION_PERMISSION, type Condition } from '@/domain/notifications/condition';
import { assertMayGrant } from '../access/users/may-grant';
import type { Actor } from '../auth/scope';
import type { Tx } from '../db/client';

/**
 * Refuses to have somebody told, by a rule or a channel, of what the actor may not read there: otherwise whoever may write
 * rules could read everything.
 * @throws AppError `forbidden`
 */
export async function assertMayBeTold(
  tx: Tx,
  actor: Actor,
  tenantId: string | null,
  conditions: readonly Condition[],
): Promise<void> {
  const permissions = [...new Set(conditions.map((condition) => CONDITION_PERMISSION[condition]))];
  if (permissions.length > 0) await assertMayGrant(tx, actor, [{ permissions, tenant_id: tenantId, project_id: null }]);
}

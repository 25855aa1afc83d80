import type { Executor } from '../../db/client';
import { publishEvent } from '../../events/publish-event';

/** Tells that a deployment was begun, went on or ended, when the transaction commits. */
export const deploymentChanged = (
  tx: Executor,
  { id, policy_id, tenant_id }: { id: string; policy_id: string; tenant_id: string | null },
): Promise<void> => publishEvent(tx, { type: 'deployment.changed', deployment_id: id, policy_id, tenant_id });

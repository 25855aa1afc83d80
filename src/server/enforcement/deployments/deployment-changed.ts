import { type Owned, ownedPart } from '@/domain/permissions';
import type { Executor } from '../../db/client';
import { publishEvent } from '../../events/publish-event';

/** Tells that a deployment was begun, went on or ended, when the transaction commits. */
export const deploymentChanged = (
  tx: Executor,
  { id, policy_id, ...owner }: Owned & { id: string; policy_id: string },
): Promise<void> => publishEvent(tx, { type: 'deployment.changed', deployment_id: id, policy_id, ...ownedPart(owner) });

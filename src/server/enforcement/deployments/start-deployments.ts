import { db } from '../../db/client';
import { policyApply, policyCleanup } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { logger } from '../../lib/logger';
import { listDeploymentKinds } from '../queries/deployments';

/**
 * Hands waiting deployments to the queue, after the transaction that made them. When the queue does not answer they
 * keep waiting: the schedule finds them within a minute.
 */
export async function startDeployments(ids: readonly string[]): Promise<void> {
  try {
    for (const { id, kind } of await listDeploymentKinds(db, ids)) {
      await enqueue(kind === 'apply' ? policyApply : policyCleanup, { deployment_id: id });
    }
  } catch (error) {
    logger.warn({ err: error, deployment_ids: ids }, 'deployments wait until the queue answers');
  }
}

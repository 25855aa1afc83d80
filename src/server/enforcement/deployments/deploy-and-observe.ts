import { firewallObserve } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { logger } from '../../lib/logger';
import { runDeployment } from './run-deployment';

/** Carries out a deployment, then has the cluster's guests read again, so that pages tell what has become of it. */
export async function deployAndObserve(id: string, signal: AbortSignal): Promise<void> {
  const done = await runDeployment(id, { signal });
  if (!done) return;
  try {
    await enqueue(firewallObserve, done);
  } catch (error) {
    logger.warn({ err: error, cluster_id: done.cluster_id }, 'the cluster is read again later');
  }
}

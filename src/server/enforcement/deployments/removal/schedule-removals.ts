import { db } from '../../../db/client';
import { listDueRemovals } from '../../queries/residual-rules';
import { startDeployments } from '../start-deployments';
import { requestRemovalIn } from './request-removal';

/** Called every minute: what moves left behind and could not be removed is tried again, at least every quarter of an hour. */
export async function scheduleRemovals(): Promise<void> {
  const ids = await db.transaction(async (tx) => requestRemovalIn(tx, await listDueRemovals(tx)));
  await startDeployments(ids);
}

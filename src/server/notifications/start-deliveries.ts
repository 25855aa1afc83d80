import { db } from '../db/client';
import { notificationDeliver } from '../jobs/definitions';
import { enqueue } from '../jobs/enqueue';
import { clock } from '../lib/clock';
import { logger } from '../lib/logger';
import { leaseBefore } from './deliver-notification';
import { listDueDeliveries } from './queries/notification-deliveries';

/** More than these wait for the next round, so that one round never takes long. */
const MOST = 500;

/** Has deliveries sent now. That the queue does not answer is no failure: they are due, and found again. */
export async function startDeliveries(ids: readonly string[]): Promise<void> {
  try {
    for (const delivery_id of ids) await enqueue(notificationDeliver, { delivery_id });
  } catch (error) {
    logger.warn({ err: error }, 'deliveries of notifications wait: the queue does not answer');
  }
}

/** Has sent what is due: first tries whose job was lost, further tries, and what a worker that ended left behind. */
export async function scheduleDeliveries(): Promise<void> {
  const now = clock.now();
  for (const delivery_id of await listDueDeliveries(db, now.toISOString(), leaseBefore(now), MOST))
    await enqueue(notificationDeliver, { delivery_id });
}

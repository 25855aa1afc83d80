import { db } from '../../db/client';
import { firewallObserve } from '../../jobs/definitions';
import { enqueue } from '../../jobs/enqueue';
import { clock } from '../../lib/clock';
import { listClustersToObserve } from '../queries/firewall-snapshots';

/** How old readings may become. A reading of a thousand guests takes about a minute. */
export const OBSERVE_EVERY_MS = 5 * 60_000;

/** Has the clusters read whose readings have become too old. */
export async function scheduleObservations(): Promise<void> {
  const before = new Date(clock.now().getTime() - OBSERVE_EVERY_MS).toISOString();
  for (const cluster_id of await listClustersToObserve(db, before)) await enqueue(firewallObserve, { cluster_id });
}

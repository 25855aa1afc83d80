import { db } from '../../db/client';
import { publishEvent } from '../../events/publish-event';
import { clock } from '../../lib/clock';
import { markSilentAgents } from '../queries/agents';

/** An agent is silent when three of its heartbeats are missing, but not before this many seconds. */
const MISSED_HEARTBEATS = 3;
const MINIMUM_SECONDS = 90;

/** Notes which agents fell silent, and tells the pages. A heartbeat makes an agent speak again. @returns how many fell silent */
export function watchAgents(): Promise<number> {
  return db.transaction(async (tx) => {
    const silent = await markSilentAgents(tx, clock.now().toISOString(), MISSED_HEARTBEATS, MINIMUM_SECONDS);
    for (const cluster_id of new Set(silent.map((agent) => agent.cluster_id))) {
      await publishEvent(tx, { type: 'inventory.changed', cluster_id });
    }
    return silent.length;
  });
}

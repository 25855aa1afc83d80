import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { moveMinutesToHours } from '../../repositories/rollups';
import {
  type AgedTable,
  deleteAged,
  deleteOfNode,
  findGoneNodes,
  NODE_TABLES,
} from '../../repositories/telemetry-retention';
import { storedSettings } from '../settings/stored-settings';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Rows of one statement: its locks last some tens of milliseconds. */
const BATCH = 5_000;

/** Minutes are kept this long, then summed to hours; hours as long as the second. */
const MINUTE_HOURS = DAY_HOURS;
const HOURLY_HOURS = 400 * DAY_HOURS;
/** Counters of interfaces are kept as long as flows, but no longer than a week: there is a row for every heartbeat. */
const INTERFACE_HOURS = 7 * DAY_HOURS;

export type Retained = Record<AgedTable | 'minutes_moved' | 'rows_of_gone_nodes', number>;

/** Repeats a batch until it finds less than it could take. A batch that is interrupted has done nothing. */
async function inBatches(batch: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  let total = 0;
  for (;;) {
    signal?.throwIfAborted();
    const done = await batch();
    total += done;
    if (done < BATCH) return total;
  }
}

/**
 * Deletes telemetry that is older than its retention or whose node is gone, and moves minutes that are older than a day
 * into hours. In small statements that wait for nobody, so heartbeats never wait for them. Safe to run at any time, twice
 * at once, and to interrupt.
 * @returns how many rows of each went
 */
export async function retainTelemetry(signal?: AbortSignal): Promise<Retained> {
  const now = clock.now().getTime();
  const { flow_retention_hours } = await storedSettings(db);
  const ago = (hours: number) => new Date(now - hours * HOUR_MS).toISOString();
  const aged = (table: AgedTable, hours: number) => inBatches(() => deleteAged(db, table, ago(hours), BATCH), signal);

  const minuteCutoff = new Date(Math.floor((now - MINUTE_HOURS * HOUR_MS) / HOUR_MS) * HOUR_MS).toISOString();
  const done: Retained = {
    traffic_flows: await aged('traffic_flows', flow_retention_hours),
    minutes_moved: await inBatches(() => moveMinutesToHours(db, minuteCutoff, BATCH), signal),
    flow_rollup_hours: await aged('flow_rollup_hours', HOURLY_HOURS),
    interface_samples: await aged('interface_samples', Math.min(flow_retention_hours, INTERFACE_HOURS)),
    interface_traffic: await aged('interface_traffic', Math.min(flow_retention_hours, INTERFACE_HOURS)),
    agent_heartbeats: await aged('agent_heartbeats', DAY_HOURS),
    agent_enrolments: await aged('agent_enrolments', 7 * DAY_HOURS),
    rows_of_gone_nodes: 0,
  };
  for (const table of NODE_TABLES) {
    for (const nodeId of await findGoneNodes(db, table)) {
      done.rows_of_gone_nodes += await inBatches(() => deleteOfNode(db, table, nodeId, BATCH), signal);
    }
  }
  logger.info(done, 'telemetry retained');
  return done;
}

import { setTimeout as delay } from 'node:timers/promises';
import { COVERAGE_DAYS } from '@/domain/coverage';
import { HOURLY_HOURS, minuteCutoff } from '@/domain/flow/plan-range';
import { SUM_SECONDS } from '@/domain/flow/plan-sums';
import { db } from '../../db/client';
import { clock } from '../../lib/clock';
import { logger } from '../../lib/logger';
import { storedSettings } from '../../settings/stored-settings';
import { moveMinutesToHours } from '../storage/postgres/minutes';
import {
  type AgedTable,
  countPagesWithAged,
  deleteAged,
  deleteOfNode,
  findGoneNodes,
  NODE_TABLES,
  type NodeTable,
  type Pages,
} from '../storage/postgres/retention';
import { retireOwners } from '../storage/postgres/traffic-owners';
import { deleteOldestSums } from '../storage/postgres/traffic-sums';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Pages, or for nodes that are gone rows, of one statement: its locks last some tens of milliseconds. */
const CHUNK_PAGES = 256;
const BATCH_ROWS = 5_000;
/** Milliseconds a statement is followed by at most, when the store is busy for another reason. */
const LONGEST_REST_MS = 1_000;

/** Counters of interfaces are kept as long as flows, but no longer than a week: there is a row for every heartbeat. */
const INTERFACE_HOURS = 7 * DAY_HOURS;
const SPARE_HOURS = 2;

export type Retained = Record<
  Exclude<AgedTable, 'flow_rollup_minutes'> | 'minutes_moved' | 'traffic_sums' | 'rows_of_gone_nodes',
  number
>;

/**
 * Works through the pages of a table that may hold expired rows. A chunk that is interrupted has done nothing. It rests as
 * long as it works: nothing is in a hurry here, and at most half of a core and of the disk is taken from heartbeats.
 */
async function inChunks(
  name: AgedTable,
  cutoff: string,
  work: (pages: Pages) => Promise<number>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const pages = await countPagesWithAged(db, name, cutoff);
  let total = 0;
  for (let from = 0; from < pages; from += CHUNK_PAGES) {
    signal?.throwIfAborted();
    const started = performance.now();
    total += await work({ from, to: from + CHUNK_PAGES });
    await delay(Math.min(performance.now() - started, LONGEST_REST_MS), undefined, { signal }).catch(() => undefined);
  }
  return total;
}

/**
 * Deletes sums of traffic that are older than what they are read for. Five minutes stay some hours longer than minutes, because
 * a process whose clock is behind may still ask for them.
 */
async function deleteSums(now: number, signal: AbortSignal | undefined): Promise<number> {
  let total = 0;
  const cutoffs = [
    { bucket_seconds: SUM_SECONDS.fine, before: minuteCutoff(now) - SPARE_HOURS * HOUR_MS },
    { bucket_seconds: SUM_SECONDS.hour, before: now - HOURLY_HOURS * HOUR_MS },
  ];
  for (const name of ['traffic_by_workload', 'traffic_totals'] as const) {
    for (const { bucket_seconds, before } of cutoffs) {
      for (let after = new Date(0).toISOString(); ; ) {
        signal?.throwIfAborted();
        const range = { bucket_seconds, after, before: new Date(before).toISOString() };
        const bucket = await deleteOldestSums(db, name, range);
        if (!bucket) break;
        total += bucket.gone;
        after = bucket.bucket_at;
      }
    }
  }
  return total;
}

/** Deletes what a node that is gone has left in a table. */
async function deleteGone(table: NodeTable, nodeId: string, signal: AbortSignal | undefined): Promise<number> {
  for (let total = 0; ; ) {
    signal?.throwIfAborted();
    const gone = await deleteOfNode(db, table, nodeId, BATCH_ROWS);
    total += gone;
    if (gone < BATCH_ROWS) return total;
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
  const aged = (table: AgedTable, hours: number) =>
    inChunks(table, ago(hours), (pages) => deleteAged(db, table, ago(hours), pages), signal);

  signal?.throwIfAborted();
  const minutesUntil = new Date(minuteCutoff(now)).toISOString();
  const done: Retained = {
    traffic_flows: await aged('traffic_flows', flow_retention_hours),
    unconfirmed_flows: await aged('unconfirmed_flows', flow_retention_hours),
    // Flows from before are refused.
    workload_placements: await aged('workload_placements', flow_retention_hours),
    minutes_moved: await inChunks(
      'flow_rollup_minutes',
      minutesUntil,
      (pages) => moveMinutesToHours(db, minutesUntil, pages),
      signal,
    ),
    flow_unresolved_minutes: await inChunks(
      'flow_unresolved_minutes',
      minutesUntil,
      (pages) => deleteAged(db, 'flow_unresolved_minutes', minutesUntil, pages),
      signal,
    ),
    flow_rollup_hours: await aged('flow_rollup_hours', HOURLY_HOURS),
    interface_samples: await aged('interface_samples', Math.min(flow_retention_hours, INTERFACE_HOURS)),
    interface_traffic: await aged('interface_traffic', Math.min(flow_retention_hours, INTERFACE_HOURS)),
    agent_heartbeats: await aged('agent_heartbeats', DAY_HOURS),
    agent_enrolments: await aged('agent_enrolments', 7 * DAY_HOURS),
    rule_hits: await aged('rule_hits', COVERAGE_DAYS * DAY_HOURS),
    workload_coverage: await aged('workload_coverage', COVERAGE_DAYS * DAY_HOURS),
    traffic_sums: await deleteSums(now, signal),
    rows_of_gone_nodes: 0,
  };
  await retireOwners(db, new Date(now).toISOString(), ago(HOURLY_HOURS));
  for (const table of NODE_TABLES) {
    for (const nodeId of await findGoneNodes(db, table)) {
      done.rows_of_gone_nodes += await deleteGone(table, nodeId, signal);
    }
  }
  logger.info(done, 'telemetry retained');
  return done;
}

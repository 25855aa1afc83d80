import {
  computeMonitoring,
  HEARTBEATS_KEPT_MS,
  listCompleteSlots,
  type MonitoredPlace,
  type RangeMonitoring,
  SLOT_MS,
} from '@/domain/dashboard/monitoring';
import { cache } from '../../lib/cache';
import { listHeartbeatSlots } from '../../traffic/queries/agents';

/** Heartbeats of a window may be committed this much after its end. */
const SETTLE_MS = 60_000;

/** Windows that have ended: what they hold does not change. They are asked for again and again. */
const ended = cache<ReadonlySet<string>, number>({
  name: 'heartbeat_windows',
  maxEntries: 2 * (HEARTBEATS_KEPT_MS / SLOT_MS),
  isFresh: (endsAt, now) => endsAt <= now,
});

/**
 * Running workloads by whether the agents of their nodes reported in a range. At most one query, about what was not read before.
 * @param now milliseconds, as the limits of the range
 */
export async function readMonitoring(
  places: readonly MonitoredPlace[],
  range: { since: number; until: number },
  now: number,
): Promise<RangeMonitoring> {
  const requested = listCompleteSlots(range, now);
  const known = new Map(requested.map((slot) => [slot, ended.peek(String(slot), now)]));
  const unread = requested.filter((slot) => !known.get(slot));
  const [first] = unread;
  const last = requested.at(-1);
  const read = new Map<number, Set<string>>();
  if (first !== undefined && last !== undefined) {
    // A late heartbeat of an agent with a long interval covers the windows before.
    const until = Math.min(last + 3_600_000 + SLOT_MS, now);
    const found = await listHeartbeatSlots(new Date(first).toISOString(), new Date(until).toISOString());
    for (const { slot, node_id } of found) read.set(slot, (read.get(slot) ?? new Set()).add(node_id));
    for (let slot = first; slot + SLOT_MS + SETTLE_MS <= until; slot += SLOT_MS) {
      ended.load(String(slot), slot + SLOT_MS, () => read.get(slot) ?? new Set());
    }
  }
  return computeMonitoring(places, range, now, (nodeId, slot) =>
    Boolean((known.get(slot) ?? read.get(slot))?.has(nodeId)),
  );
}

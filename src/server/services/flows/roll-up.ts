import { portOfService } from '@/domain/flow/port-of-service';
import type { FlowTotals } from '../../repositories/flows';
import type { RollupRecord } from '../../repositories/rollups';
import type { JudgedFlow } from './judge-flows';
import { stableKey } from './stable-key';

const MINUTE_MS = 60_000;

/**
 * What a flow adds to a sum. An agent that does not say how much is new has sent a total: the rest over what is stored is
 * new, or all of it when the total fell, because then counting began again.
 */
function added(total: number | null, delta: number | null, stored: number | null | undefined): number {
  if (delta !== null) return delta;
  if (total === null) return 0;
  return stored !== null && stored !== undefined && stored <= total ? total - stored : total;
}

/**
 * The traffic of a heartbeat by minute, ends, service and verdict, sorted by key as the store asks for.
 * @param stored totals of the known flows before this heartbeat, at least of those without a delta
 * @param inserted keys of the flows that are new
 */
export function rollUp(
  flows: readonly JudgedFlow[],
  stored: ReadonlyMap<string, FlowTotals>,
  inserted: ReadonlySet<string>,
): RollupRecord[] {
  const sums = new Map<string, RollupRecord>();
  for (const { record, delta_bytes, delta_packets, source_prefix, destination_prefix } of flows) {
    const before = stored.get(record.flow_key);
    // A report older than the stored one changed nothing.
    if (before && before.observed_at > record.observed_at) continue;
    const minute = new Date(Math.floor(Date.parse(record.observed_at) / MINUTE_MS) * MINUTE_MS).toISOString();
    const identity = {
      source_workload_id: record.source_workload_id,
      destination_workload_id: record.destination_workload_id,
      source_prefix,
      destination_prefix,
      source_internal: record.source_cidr !== null,
      destination_internal: record.destination_cidr !== null,
      protocol: record.protocol,
      ...portOfService(record),
      decision: record.decision,
    };
    const rollup_key = stableKey(Object.values(identity));
    const key = `${minute} ${rollup_key}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { bucket_at: minute, rollup_key, ...identity, bytes: 0, packets: 0, flows: 0 };
      sums.set(key, sum);
    }
    sum.bytes = Math.min(sum.bytes + added(record.bytes, delta_bytes, before?.bytes), Number.MAX_SAFE_INTEGER);
    sum.packets = Math.min(
      sum.packets + added(record.packets, delta_packets, before?.packets),
      Number.MAX_SAFE_INTEGER,
    );
    if (inserted.has(record.flow_key)) sum.flows += 1;
  }
  return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
